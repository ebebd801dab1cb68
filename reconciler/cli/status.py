"""`status`: how full each pool is."""

from pathlib import Path

import click

from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.options import output_options, reading_options
from reconciler.cli.shared.output import emit, emit_document, painter, tell
from reconciler.digest import summary
from reconciler.ports import ExitCode
from reconciler.report.machine import pool_list
from reconciler.report.text.plan import counted
from reconciler.report.text.status import status_text


@click.command()
@reading_options
@output_options("text", "wide", "json", "yaml")
def status(repo: Path, rev: str, worktree: bool, output: str, color: str) -> int:
    """Show how full each pool is, by the records as they stand."""
    evaluation = evaluated(repo, rev, color, worktree=worktree, whole=False)
    if output in ("json", "yaml"):
        emit_document(pool_list(evaluation), output)
        return ExitCode.OK
    emit(status_text(evaluation, painter(color), wide=output == "wide"))
    if evaluation.changes:
        refused = summary(evaluation)["refuse"]
        told = f"{counted(evaluation)}, {refused} refused" if refused else counted(evaluation)
        tell(f"pending: {told}; ipam plan shows it")
    return ExitCode.OK
