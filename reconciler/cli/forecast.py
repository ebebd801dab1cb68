"""`forecast`: how long the free addresses of pools last."""

from pathlib import Path

import click

from reconciler.cli.files import apply_result_of, apply_result_option
from reconciler.cli.opening import history_of, open_source
from reconciler.cli.options import option, output_options, repository_option
from reconciler.cli.output import emit, emit_document, is_plain, painter, progress, tell_errors
from reconciler.gitio.annals import GitAnnals
from reconciler.history.queries import forecast as look_ahead
from reconciler.history.queries import idle_of
from reconciler.history.who import revision_at
from reconciler.model.errors import ExitCode
from reconciler.planning.read import evaluate_source
from reconciler.report.queries import outlook_document
from reconciler.report.text.pools import forecast_text


@click.command()
@click.argument("pool", required=False)
@repository_option
@option("--rev", default="HEAD", show_default=True, help="Revision from which on it is told.")
@option("--at", metavar="DATE|REV", help="As it was told then: a day, a time, 30d before.")
@apply_result_option
@output_options("text", "json", "yaml")
def forecast(
    pool: str | None,
    repo: Path,
    rev: str,
    at: str | None,
    apply_result: str | None,
    output: str,
    color: str,
) -> int:
    """Tell how many weeks it is until pools warn, are refused by their gate, and are full.

    By plain rates of the last 30 and 90 days before the revision: what was allocated or held then,
    and is now. No clock is asked.

    With --apply-result it also tells how many load-balancer addresses of each tenant no Service
    uses, as far as that apply looked.
    """
    result = apply_result_of(apply_result)
    read = open_source(repo, rev, worktree=False)
    if at is not None:
        found = revision_at(read.repository, GitAnnals(read.repository.git), rev, at)
        read = open_source(repo, found, worktree=False)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
        history = history_of(read, evaluation.tree.settings)
        past, outlooks = look_ahead(evaluation, history, pool)
        idle = None if result is None else idle_of(evaluation, result, pool)
    brush = painter(color)
    tell_errors(evaluation.findings, brush)
    if output == "text":
        emit(forecast_text(past, outlooks, brush, idle, plain=is_plain()))
    else:
        emit_document(outlook_document(history.start, past, outlooks, idle), output)
    return ExitCode.OK
