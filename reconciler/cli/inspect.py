"""`status`, `get`, `explain`: what is, and why."""

from pathlib import Path
from typing import Any

import click

from reconciler.cli.options import option, output_options, reading_options
from reconciler.cli.progress import progress
from reconciler.cli.shared import emit, open_facts, open_source, painter, tell
from reconciler.commands.incremental import evaluate_incrementally
from reconciler.commands.reading import evaluate_source
from reconciler.evaluate import Evaluation
from reconciler.findings import CODES
from reconciler.ports import ExitCode, UsageError
from reconciler.report.explanation import explanation, explanation_text, matching
from reconciler.report.listing import allocations_text, pools_text, tenants_text
from reconciler.report.machine import (
    allocation_list,
    document_list,
    envelope,
    json_text,
    pool_list,
    summary,
    yaml_text,
)
from reconciler.report.table import Painter, table
from reconciler.report.text import counted, findings_text, status_text


@click.command()
@reading_options
@output_options("text", "json", "yaml")
def status(repo: Path, rev: str, worktree: bool, output: str, color: str) -> int:
    """Show how full each pool is, by the records as they stand."""
    evaluation = _evaluate(repo, rev, color, worktree=worktree, whole=False)
    if output != "text":
        return _machine(pool_list(evaluation), output)
    emit(status_text(evaluation, painter(color)))
    if evaluation.changes:
        refused = summary(evaluation)["refuse"]
        told = f"{counted(evaluation)}, {refused} refused" if refused else counted(evaluation)
        tell(f"pending: {told}; ipam plan shows it")
    return ExitCode.OK


@click.command()
@click.argument("what", type=click.Choice(["pools", "allocations", "tenants"]))
@click.argument("names", nargs=-1)
@reading_options
@output_options("text", "wide", "name", "json", "yaml")
def get(
    what: str, names: tuple[str, ...], repo: Path, rev: str, worktree: bool, output: str, color: str
) -> int:
    """List pools, allocations or tenants, in the columns of kubectl get."""
    evaluation = _evaluate(repo, rev, color, worktree=worktree)
    wanted = frozenset(names)
    if output in ("json", "yaml"):
        return _machine(_listed(evaluation, what, wanted), output)
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


@click.command()
@click.argument("claim", required=False)
@option("--codes", is_flag=True, help="List the codes of all findings, a line each.")
@reading_options
@output_options("text", "json", "yaml")
def explain(
    claim: str | None, codes: bool, repo: Path, rev: str, worktree: bool, output: str, color: str
) -> int:
    """Tell why a claim has, or cannot get, its addresses.

    CLAIM is a key as plan -o json shows it, or namespace/name, or the name of a record.
    """
    if codes:
        return _codes(output, painter(color))
    if claim is None:
        raise UsageError("name a claim, or ask for --codes", "ipam get allocations lists them")
    evaluation = _evaluate(repo, rev, color, worktree=worktree)
    found = matching(evaluation, claim)
    if not found:
        raise UsageError(f"no claim {claim!r}", "ipam plan --all lists all claims")
    explained = [explanation(evaluation, key) for key in found]
    if output == "text":
        emit("\n".join(explanation_text(item, painter(color)) for item in explained))
        return ExitCode.OK
    return _machine({**envelope("ExplanationList"), "items": explained}, output)


def _evaluate(
    repo: Path, rev: str, color: str, *, worktree: bool, whole: bool = True
) -> Evaluation:
    read = open_source(repo, rev, worktree=worktree)
    with progress("reading"):
        if whole:
            evaluation = evaluate_source(read.source)
        else:
            evaluation = evaluate_incrementally(read.source, open_facts(read.repository))
    if evaluation.findings:
        errors = [found for found in evaluation.findings if found.severity == "error"]
        tell(findings_text(errors, painter(color))) if errors else None
    return evaluation


def _machine(document: dict[str, Any], output: str) -> int:
    emit(json_text(document) if output == "json" else yaml_text(document))
    return ExitCode.OK


def _listed(evaluation: Evaluation, what: str, names: frozenset[str]) -> dict[str, Any]:
    if what == "allocations":
        records = [item for item in evaluation.state.records if not names or item.name in names]
        return allocation_list(records)
    kind = {"pools": "NetworkPool", "tenants": "TenantCluster"}[what]
    bodies = [
        {**document.body, "metadata": {**document.metadata, "namespace": document.namespace}}
        for document in evaluation.documents.of(kind)
        if not names or document.name in names
    ]
    return document_list(f"{kind}List", bodies)


def _table(
    evaluation: Evaluation, what: str, names: frozenset[str], brush: Painter, *, wide: bool
) -> str:
    if what == "pools":
        return pools_text(evaluation, names, brush, wide=wide)
    if what == "tenants":
        return tenants_text(evaluation, names, brush, wide=wide)
    records = sorted(
        (item for item in evaluation.state.records if not names or item.name in names),
        key=lambda item: (item.namespace, item.name),
    )
    return allocations_text(records, evaluation.tree.clock, brush, wide=wide)


def _resource(item: dict[str, Any]) -> str:
    group = str(item["apiVersion"]).partition("/")[0]
    return f"{str(item['kind']).lower()}.{group}"


def _codes(output: str, brush: Painter) -> int:
    if output == "text":
        emit(table(("CODE", "MEANING"), [[code, CODES[code]] for code in sorted(CODES)], brush))
        return ExitCode.OK
    items = [{"code": code, "help": CODES[code]} for code in sorted(CODES)]
    return _machine({**envelope("CodeList"), "items": items}, output)
