"""`report`: an HTML page of a revision and its history."""

from pathlib import Path

import click

from reconciler.cli.files import apply_result_of, apply_result_option
from reconciler.cli.opening import ReadRevision, apart, history_of, open_source, reviewed
from reconciler.cli.options import base_option, option, repository_option, talk_options
from reconciler.cli.output import note, painter, progress, tell_errors, write_texts
from reconciler.daemon.metrics import Page
from reconciler.gitio.repository import GitRepository
from reconciler.history.applied import Served, read_served
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.report.page.build import material, page, shipped_parts
from reconciler.report.page.html import Given, policy
from reconciler.review.checks import review
from reconciler.review.result import Compared, with_emptiness


def page_of(
    read: ReadRevision, evaluation: Evaluation, compared: Compared, base: str | None, given: Given
) -> str:
    """Return the page of a revision with its history.

    Args:
        read: The revision whose history is shown: the base if there is one.
        evaluation: Evaluation of the shown revision.
        compared: Comparison that `check` makes of it.
        base: Id of the base, or None.
        given: Results of clusters.
    """
    # For a wrong folder, the page would report that nothing needs attention.
    compared = with_emptiness(read.source, compared, allows=False)
    history = history_of(read, evaluation.tree.settings)
    return page(material(evaluation, compared, history, base, given))


def served_page(repository: GitRepository, revision: str) -> Page:
    """Return the bytes of `report --rev` for a browser, in parallel to other readers."""
    read = apart(repository, revision)
    compared = review(read.source, read.repository, None)
    html = page_of(read, evaluate_source(read.source), compared, None, Given()).encode()
    return Page(html, policy(shipped_parts()))


_MAX_BYTES = 256 * 1024 * 1024


def results_of(file: Path | None) -> list[Served] | None:
    """Return the completed growth of a file, or None without a file.

    Raises:
        UsageError: The file cannot be read, or has other content.
    """
    if file is None:
        return None
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise UsageError(f"--results {file}: it has more than {_MAX_BYTES} bytes")
        return read_served(file.read_bytes())
    except OSError as failed:
        why = failed.strerror or str(failed)
        raise UsageError(f"--results {file}: it cannot be read: {why}") from failed
    except ValueError as wrong:
        hint = "give what ipam reconcile --watch -o json printed"
        raise UsageError(f"--results {file}: {wrong}", hint) from wrong


@click.command()
@repository_option
@option("--rev", default="HEAD", show_default=True, help="Revision to show.")
@base_option
@option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File to write, such as report.html.",
)
@apply_result_option
@option(
    "--results",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What reconcile --watch -o json printed: how long growth waited.",
)
@talk_options
def report(
    repo: Path,
    rev: str,
    base: str | None,
    out: Path,
    apply_result: str | None,
    results: Path | None,
    color: str,
) -> int:
    """Write one page with all pools: who has what, since when, what is free, what fills up.

    The file needs nothing but a browser: no server, no network. With --base it shows what merging
    the revision changes. No clock is asked: the page says what the revision says.
    """
    if out.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"--out {out}: a page is a file of HTML", "name it report.html")
    given = Given(apply_result_of(apply_result), results_of(results))
    found = reviewed(repo, rev, base, worktree=False)
    read = open_source(repo, rev if base is None else base, worktree=False)
    with progress("reading"):
        evaluation = evaluate_source(read.source) if base is None else found.compared.evaluation
        of_base = None if base is None else read.repository.resolve(base).id
        text = page_of(read, evaluation, found.compared, of_base, given)
    tell_errors(evaluation.findings, painter(color))
    write_texts([(out, text)])
    note(f"Wrote {out}: {len(text.encode()) // 1024} KiB, open it in a browser.")
    return ExitCode.OK
