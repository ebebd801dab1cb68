"""`explain`: why a claim has, or cannot get, its addresses; and what the codes mean."""

from pathlib import Path
from typing import Any

import click

from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.options import option, output_options, reading_options
from reconciler.cli.shared.output import emit, emit_document, painter
from reconciler.findings import CODES
from reconciler.ports import ExitCode, UsageError
from reconciler.report.explanation import explanation, matching
from reconciler.report.machine import envelope
from reconciler.report.standing import asked_range, standing
from reconciler.report.text.explain import explanation_text, standing_text
from reconciler.report.text.table import Painter, table


@click.command()
@click.argument("claim", required=False)
@option("--codes", is_flag=True, help="List the codes of all findings, a line each.")
@reading_options
@output_options("text", "json", "yaml")
def explain(
    claim: str | None, codes: bool, repo: Path, rev: str, worktree: bool, output: str, color: str
) -> int:
    """Tell why a claim has, or cannot get, its addresses.

    CLAIM is a key as plan -o json shows it, or namespace/name, or the name of a record. Or an
    address, a CIDR or a range: then what stands there is told, pools, records, routers, addresses
    in use and networks of pods and services.
    """
    if codes:
        return _codes(output, painter(color))
    if claim is None:
        raise UsageError(
            "name a claim or an address, or ask for --codes", "ipam get allocations lists them"
        )
    evaluation = evaluated(repo, rev, color, worktree=worktree)
    found = matching(evaluation, claim)
    if not found and (asked := asked_range(claim)) is not None:
        return _standing(standing(evaluation, asked), output, painter(color))
    if not found:
        raise UsageError(f"no claim {claim!r}", "ipam plan --all lists all claims")
    explained = [explanation(evaluation, key) for key in found]
    if output == "text":
        emit("\n".join(explanation_text(item, painter(color)) for item in explained))
    else:
        emit_document({**envelope("ExplanationList"), "items": explained}, output)
    return ExitCode.OK


def _standing(told: dict[str, Any], output: str, brush: Painter) -> int:
    if output == "text":
        emit(standing_text(told, brush))
    else:
        emit_document(told, output)
    return ExitCode.OK


def _codes(output: str, brush: Painter) -> int:
    if output == "text":
        emit(table(("CODE", "MEANING"), [[code, CODES[code]] for code in sorted(CODES)], brush))
    else:
        items = [{"code": code, "help": CODES[code]} for code in sorted(CODES)]
        emit_document({**envelope("CodeList"), "items": items}, output)
    return ExitCode.OK
