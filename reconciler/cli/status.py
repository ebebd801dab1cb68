"""`status`: how full each pool is, and the map of a pool."""

import shutil
import sys
from pathlib import Path

import click

from reconciler.asking.cells import pool_map
from reconciler.cli.shared.evaluating import evaluated
from reconciler.cli.shared.options import option, output_options, reading_options
from reconciler.cli.shared.output import emit, emit_document, note, painter
from reconciler.commands.asking import pools_of_name
from reconciler.digest import summary
from reconciler.evaluate import Evaluation
from reconciler.ports import ExitCode
from reconciler.report.machine import pool_list
from reconciler.report.pool_map import pool_map_document
from reconciler.report.text.map import GUTTER, map_text
from reconciler.report.text.plan import counted
from reconciler.report.text.status import status_text
from reconciler.report.text.table import Painter

_ALL = "*"


@click.command()
@reading_options
@option(
    "--map",
    "mapped",
    metavar="[POOL]",
    is_flag=False,
    flag_value=_ALL,
    help="Draw the addresses of a pool, or of all.",
)
@output_options("text", "wide", "json", "yaml")
def status(
    repo: Path, rev: str, worktree: bool, mapped: str | None, output: str, color: str
) -> int:
    """Show how full each pool is, by the records as they stand.

    With --map the addresses themselves: letters are who holds them, other signs stand below the
    map. Where there are many, a cell is a power of two of them.
    """
    evaluation = evaluated(repo, rev, color, worktree=worktree, whole=mapped is not None)
    if mapped is not None:
        _map(evaluation, mapped, output, painter(color))
        return ExitCode.OK
    if output in ("json", "yaml"):
        emit_document(pool_list(evaluation), output)
        return ExitCode.OK
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    emit(status_text(evaluation, painter(color), wide=output == "wide", plain=plain))
    if evaluation.changes:
        refused = summary(evaluation)["refuse"]
        told = f"{counted(evaluation)}, {refused} refused" if refused else counted(evaluation)
        note(f"pending: {told}; ipam plan shows it")
    return ExitCode.OK


def _map(evaluation: Evaluation, name: str, output: str, brush: Painter) -> None:
    """Draw the pools of a name, or all."""
    keys = sorted(evaluation.state.pools) if name == _ALL else pools_of_name(evaluation, name)
    width = shutil.get_terminal_size().columns
    maps = [pool_map(evaluation.state, key, width - GUTTER) for key in keys]
    if output in ("json", "yaml"):
        emit_document(pool_map_document(evaluation.tree.revision, maps), output)
        return
    emit("\n".join(map_text(found, brush, width) for found in maps) or "No pools found.\n")
