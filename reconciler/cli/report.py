"""`report`: an HTML page of a revision and its history."""

from pathlib import Path

import click

from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import apply_result_of, apply_result_option, parsed_file
from reconciler.cli.options import option
from reconciler.daemon.http import Page
from reconciler.gitio.repository import Repository
from reconciler.history.applied import read_served
from reconciler.model.errors import ExitCode, UsageError
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.report.page.document import Given, page, shipped_parts
from reconciler.report.page.html import policy
from reconciler.review.checks import review
from reconciler.review.result import Compared, with_emptiness

_MAX_BYTES = 256 * 1024 * 1024


def _page_of(
    read: opening.ReadRevision,
    evaluation: Evaluation,
    compared: Compared,
    base: str | None,
    given: Given,
) -> str:
    # For a wrong folder, the page would report that nothing needs attention.
    compared = with_emptiness(read.source, compared, allows=False)
    return page(evaluation, compared, read.history(evaluation.tree.settings), base, given)


def served_page(repository: Repository, revision: str) -> Page:
    """Return the bytes of `report --rev` for a browser, in parallel to other readers."""
    read = opening.apart(repository, revision)
    compared = review(read.source, read.repository, None)
    html = _page_of(read, evaluate_source(read.source), compared, None, Given()).encode()
    return Page(html, policy(shipped_parts()))


@click.command(cls=VerbCommand)
@options.history
@options.base
@options.out("the page", is_folder=False, required=True)
@apply_result_option
@option("--results", metavar="FILE", help="Show growth times from reconcile --watch -o json.")
@options.color
def report(
    reading: options.Reading,
    base: str | None,
    out: Path,
    apply_result: str | None,
    results: str | None,
    color: str,
) -> int:
    """Write an HTML page of all pools: holders, dates, free ranges, and pools that fill up.

    The file needs only a browser: no server, no network. With --base, it shows the effect of
    merging the revision. The page depends only on the revision, not on the clock.
    """
    if out.suffix.lower() not in (".html", ".htm"):
        hint = "write, for example, --out report.html"
        raise UsageError(f"--out {out} is not an HTML file", hint)
    hint = "pass the output of ipam reconcile --watch -o json"
    served = parsed_file("--results", results, _MAX_BYTES, hint, read_served)
    given = Given(apply_result_of(apply_result), served)
    found = opening.reviewed(reading, opening.ChangeOptions(base))
    read = opening.open_source(reading if base is None else options.Reading(reading.repo, base))
    with output.progress("reading"):
        evaluation = evaluate_source(read.source) if base is None else found.compared.evaluation
        of_base = None if base is None else read.repository.resolve(base).id
        text = _page_of(read, evaluation, found.compared, of_base, given)
    output.tell_errors(evaluation.findings, output.painter(color))
    output.write_texts("--out", [(out, text)])
    output.note(f"Wrote {out}: {len(text.encode()) // 1024} KiB, open it in a browser.")
    return ExitCode.OK
