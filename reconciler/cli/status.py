"""`status`: usage of each pool, as a table, as bars, or as a map."""

import shutil
from pathlib import Path

import click

from reconciler.cli.opening import evaluated, history_of, open_source
from reconciler.cli.options import option, output_options, reading_options
from reconciler.cli.output import (
    emit,
    emit_document,
    is_plain,
    note,
    painter,
    progress,
    tell_errors,
)
from reconciler.history.forecast import trends
from reconciler.history.queries import past_of, pools_of_name
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import Key
from reconciler.planning.digest import summary
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import pool_map
from reconciler.planning.read import evaluate_source
from reconciler.report.json import pool_list
from reconciler.report.queries import pool_map_document
from reconciler.report.text.plan import counted
from reconciler.report.text.pools import GUTTER, Barred, bars_text, map_text, status_text
from reconciler.report.text.table import Painter

_ALL = "*"


@click.command()
@click.argument("pools", nargs=-1, metavar="[POOL]...")
@reading_options
@option(
    "--map",
    "mapped",
    metavar="[POOL]",
    is_flag=False,
    flag_value=_ALL,
    help="Draw the addresses of a pool, or of all.",
)
@option("--bars", is_flag=True, help="A bar for each pool, with its last 90 days.")
@output_options("text", "wide", "json", "yaml")
def status(
    pools: tuple[str, ...],
    repo: Path,
    rev: str,
    worktree: bool,
    mapped: str | None,
    bars: bool,
    output: str,
    color: str,
) -> int:
    """Show how full each pool is, by the records as they stand; with POOL of these alone.

    With --bars each pool is a bar across the terminal, with marks at its own thresholds, and its
    use of the last 90 days by the history of Git.

    With --map the addresses themselves: letters are who holds them, other signs stand below the
    map. Where there are many, a cell is a power of two of them.
    """
    _require_fitting(pools, mapped, output, bars=bars)
    if bars:
        return _bars(pools, repo, rev, output, color, worktree=worktree)
    evaluation = evaluated(repo, rev, color, worktree=worktree)
    if mapped is not None:
        _map(evaluation, mapped, output, painter(color))
        return ExitCode.OK
    keys = _named(evaluation, pools)
    if output in ("json", "yaml"):
        emit_document(pool_list(evaluation, keys), output)
        return ExitCode.OK
    shown = status_text(evaluation, painter(color), keys, wide=output == "wide", plain=is_plain())
    emit(shown)
    _tell_pending(evaluation)
    return ExitCode.OK


def _require_fitting(
    pools: tuple[str, ...], mapped: str | None, output: str, *, bars: bool
) -> None:
    """Refuse options that exclude each other.

    Raises:
        UsageError: The options exclude each other.
    """
    if mapped is not None and bars:
        raise UsageError("--map and --bars exclude each other")
    if mapped is not None and pools:
        raise UsageError("--map draws one pool, or all", "ipam map draws one, too")
    if bars and output in ("json", "yaml"):
        hint = "ipam forecast -o json has the same past, ipam status -o json the figures"
        raise UsageError("--bars is for people", hint)


def _named(evaluation: Evaluation, names: tuple[str, ...]) -> list[Key] | None:
    """Return the named pools once each, in the order of all pools, or None for all."""
    if not names:
        return None
    found = {key for name in names for key in pools_of_name(evaluation, name)}
    return [key for key in evaluation.plan.after if key in found]


def _tell_pending(evaluation: Evaluation) -> None:
    if evaluation.changes:
        refused = summary(evaluation)["refuse"]
        told = f"{counted(evaluation)}, {refused} refused" if refused else counted(evaluation)
        note(f"pending: {told}; ipam plan shows it")


def _bars(
    names: tuple[str, ...], repo: Path, rev: str, output: str, color: str, *, worktree: bool
) -> int:
    read, brush = open_source(repo, rev, worktree=worktree), painter(color)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
        keys = _named(evaluation, names) or list(evaluation.plan.after)
        history = history_of(read, evaluation.tree.settings)
        past = past_of(history, evaluation.state.clock)
    tell_errors(evaluation.findings, brush)
    state, usage = evaluation.state, evaluation.plan.before
    trend = trends(usage, past, keys)
    drawn = [Barred(it, usage[it], state.pools[it].thresholds, trend[it]) for it in keys]
    width = shutil.get_terminal_size().columns
    emit(bars_text(drawn, brush, width, wide=output == "wide", plain=is_plain()))
    _tell_pending(evaluation)
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
