"""`get`: pools, allocations and tenants, as `kubectl get` shows them."""

from pathlib import Path
from typing import Any

import click

from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.options import output_options, reading_options
from reconciler.cli.shared.output import emit, emit_document, painter, tell
from reconciler.documents.document import Document
from reconciler.evaluate import Evaluation
from reconciler.findings import article_list
from reconciler.ports import ExitCode
from reconciler.report.machine import allocation_list, document_list
from reconciler.report.text.get import allocations_text, listing_text, listings
from reconciler.report.text.table import Painter

_LISTINGS = listings()
_WORDS = article_list(_LISTINGS)


class _Listing(click.Choice[str]):
    """What can be listed, in the plural or, as kubectl takes it too, in the singular."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The plural."""
        plural = f"{value}s"
        return super().convert(plural if plural in _LISTINGS else value, param, ctx)


@click.command(help=f"List {_WORDS}, in the columns of kubectl get.")
@click.argument("what", type=_Listing([*_LISTINGS]))
@click.argument("names", nargs=-1)
@reading_options
@output_options("text", "wide", "name", "json", "yaml")
def get(
    what: str, names: tuple[str, ...], repo: Path, rev: str, worktree: bool, output: str, color: str
) -> int:
    """List what families show, or records."""
    evaluation = evaluated(repo, rev, color, worktree=worktree)
    wanted = frozenset(names)
    if output in ("json", "yaml"):
        emit_document(_listed(evaluation, what, wanted), output)
        return ExitCode.OK
    if output == "name":
        items = _listed(evaluation, what, wanted)["items"]
        emit("".join(f"{_resource(item)}/{item['metadata']['name']}\n" for item in items))
        return ExitCode.OK
    text = _table(evaluation, what, wanted, painter(color), wide=output == "wide")
    if text:
        emit(text)
    else:
        tell("No resources found.")
    return ExitCode.OK


def _listed(evaluation: Evaluation, what: str, names: frozenset[str]) -> dict[str, Any]:
    listing = _LISTINGS[what]
    if listing is None:
        records = [item for item in evaluation.state.records if not names or item.name in names]
        return allocation_list(records)
    bodies = [
        {**document.body, "metadata": {**document.metadata, **_place(document)}}
        for document in evaluation.documents.of(listing.kind)
        if not names or document.name in names
    ]
    return document_list(f"{listing.kind.kind}List", bodies)


def _place(document: Document) -> dict[str, str]:
    return {"namespace": document.namespace} if document.namespace else {}


def _table(
    evaluation: Evaluation, what: str, names: frozenset[str], brush: Painter, *, wide: bool
) -> str:
    listing = _LISTINGS[what]
    if listing is not None:
        return listing_text(listing, evaluation, names, brush, wide=wide)
    records = sorted(
        (item for item in evaluation.state.records if not names or item.name in names),
        key=lambda item: (item.namespace, item.name),
    )
    return allocations_text(records, evaluation.tree.clock, brush, wide=wide)


def _resource(item: dict[str, Any]) -> str:
    group = str(item["apiVersion"]).partition("/")[0]
    return f"{str(item['kind']).lower()}.{group}"
