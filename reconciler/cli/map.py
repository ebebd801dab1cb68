"""`map`: a drawing of the addresses of pools."""

import shutil
from pathlib import Path

import click

from reconciler.cli.opening import open_source
from reconciler.cli.options import option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter, progress, tell_errors
from reconciler.gitio.annals import GitAnnals
from reconciler.history.queries import pools_of_name
from reconciler.history.who import revision_at
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import MAX_COLUMNS, pool_map
from reconciler.planning.read import evaluate_source
from reconciler.report.maps import pool_svg
from reconciler.report.queries import pool_map_document
from reconciler.report.text.pools import GUTTER, SHORT_ROWS, map_text, short_text, told_lines
from reconciler.report.text.table import Painter


@click.command()
@click.argument("pool", required=False)
@reading_options
@option("--at", metavar="DATE|REV", help="As it was: a day, a time, 30d before, or a revision.")
@option("--svg", is_flag=True, help="As a picture, for light and for dark: the same as -o svg.")
@output_options("text", "json", "yaml", "svg")
def map(  # noqa: A001 - its name
    pool: str | None,
    repo: Path,
    rev: str,
    worktree: bool,
    at: str | None,
    svg: bool,
    output: str,
    color: str,
) -> int:
    """Draw the addresses of a pool: who holds which, and what is free. Without POOL all, in short.

    Letters are who holds them, other signs stand below the map. Where there are many, a cell is a
    power of two of them. IPv6 is told in intervals.
    """
    if worktree and at is not None:
        raise UsageError("--worktree and --at exclude each other")
    read = open_source(repo, rev, worktree=worktree)
    if at is not None:
        found = revision_at(read.repository, GitAnnals(read.repository.git), rev, at)
        read = open_source(repo, found, worktree=False)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
    brush = painter(color)
    tell_errors(evaluation.findings, brush)
    named = None if pool is None else pools_of_name(evaluation, pool)
    width = shutil.get_terminal_size().columns
    if output == "text" and not svg:
        emit(_text(evaluation, named, brush, width))
        return ExitCode.OK
    keys = sorted(evaluation.state.pools) if named is None else named
    columns = MAX_COLUMNS if svg or output == "svg" else width - GUTTER
    maps = [pool_map(evaluation.state, key, columns) for key in keys]
    if svg or output == "svg":
        emit(pool_svg([(it, told_lines(it)) for it in maps]))
        return ExitCode.OK
    emit_document(pool_map_document(evaluation.tree.revision, maps), output)
    return ExitCode.OK


def _text(evaluation: Evaluation, named: list[Key] | None, brush: Painter, width: int) -> str:
    state, usage, columns = evaluation.state, evaluation.plan.before, width - GUTTER
    if named is not None:
        return "\n".join(map_text(pool_map(state, it, columns), brush, width) for it in named)
    keys = sorted(state.pools)
    return short_text(
        [(pool_map(state, it, columns, SHORT_ROWS), usage[it]) for it in keys], brush, width
    )
