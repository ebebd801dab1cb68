"""`who`: current and previous holders of addresses."""

from collections.abc import Iterator
from pathlib import Path

import click

from reconciler.addresses import mistaken
from reconciler.cli import output as cli_output
from reconciler.cli.opening import ReadRevision, history_of, open_source
from reconciler.cli.options import option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter, progress, tell, tell_errors
from reconciler.gitio.annals import GitAnnals
from reconciler.history.commits import Caused, History
from reconciler.history.who import WhoAnswer, revision_at, what_happened
from reconciler.history.who import who as find_out
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.read import evaluate_source
from reconciler.report.queries import happening_rows, holder_rows, holders_document
from reconciler.report.text.queries import happening_text, who_text
from reconciler.report.text.table import Painter


@click.command()
@click.argument("asked", metavar="ADDRESS|CIDR|NAME")
@reading_options
@option("--at", metavar="DATE|REV", help="As it was: a day, a time, 30d before, or a revision.")
@option("--history", "past", is_flag=True, help="Tell all that ever happened to it.")
@output_options("text", "json", "yaml", "csv")
def who(
    asked: str,
    repo: Path,
    rev: str,
    worktree: bool,
    at: str | None,
    past: bool,
    output: str,
    color: str,
) -> int:
    """Tell who has an address, since when, and by which commit of whom.

    Of a CIDR or a range such as 10.0.0.0-10.0.0.9 each part is told; of a name all addresses of
    that tenant, record or pool. Exit code 1 when nothing of the repository stands there.
    """
    if worktree and at is not None:
        raise UsageError("--worktree and --at exclude each other")
    read, brush = _read(repo, rev, at, worktree=worktree), painter(color)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
        history = history_of(read, evaluation.tree.settings)
        answer = find_out(evaluation, history, asked)
    tell_errors(evaluation.findings, brush)
    if past:
        is_known = _with_history(answer, history, evaluation.tree.revision, output, brush)
    else:
        _now(answer, evaluation.tree.revision, output, brush)
        is_known = answer.is_known
    if not is_known:
        _unknown(answer, looked_back=past)
    return ExitCode.OK if is_known else ExitCode.WRONG


def _read(repo: Path, rev: str, at: str | None, *, worktree: bool) -> ReadRevision:
    read = open_source(repo, rev, worktree=worktree)
    if at is None:
        return read
    found = revision_at(read.repository, GitAnnals(read.repository.git), rev, at)
    return open_source(repo, found, worktree=False)


def _now(answer: WhoAnswer, revision: str | None, output: str, brush: Painter) -> None:
    if output == "text":
        emit(who_text(answer.holders, answer.brought, brush))
    elif output == "csv":
        emit("".join(holder_rows(answer.holders, answer.brought)))
    else:
        document = holders_document(answer.asked, revision, answer.holders, answer.brought, None)
        emit_document(document, output)


def _with_history(
    answer: WhoAnswer, history: History, revision: str | None, output: str, brush: Painter
) -> bool:
    """Print holders and events, and return whether there were any."""
    told = what_happened(history, answer.asked)
    if output in ("json", "yaml"):
        found = list(told)
        brought = answer.brought
        document = holders_document(answer.asked, revision, answer.holders, brought, found)
        emit_document(document, output)
        return bool(found) or answer.is_known
    count = 0
    if output == "text":
        emit(who_text(answer.holders, answer.brought, brush))
    lines = happening_rows(told) if output == "csv" else _lines(told, brush)
    for line in lines:
        emit(line)
        cli_output.flush()  # show each event early: the full search can be slow
        count += 1
    return count > (output == "csv") or answer.is_known


def _lines(told: Iterator[Caused], brush: Painter) -> Iterator[str]:
    return (happening_text(item, brush) for item in told)


def _unknown(answer: WhoAnswer, *, looked_back: bool) -> None:
    if answer.range is not None:
        tell(f"nothing of this repository stands at {answer.asked}")
        return
    if (wrong := mistaken(answer.asked)) is not None:
        tell(f"{wrong}{f'; {wrong.hint}' if wrong.hint else ''}")
        return
    near = f"; did you mean {answer.near}?" if answer.near else "; ipam get allocations lists them"
    before = "" if looked_back else "; with --history: who had that name"
    tell(f"no tenant, record or pool is named {answer.asked!r}{near}{before}")
