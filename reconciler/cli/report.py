"""`report`: one page that answers what people come for."""

from pathlib import Path

import click

from reconciler.cli.shared.apply_result import apply_result_of, apply_result_option
from reconciler.cli.shared.opening import open_source
from reconciler.cli.shared.options import base_option, option, repository_option, talk_options
from reconciler.cli.shared.output import note, painter, tell_errors
from reconciler.cli.shared.outs import write_texts
from reconciler.cli.shared.progress import progress
from reconciler.cli.shared.report_page import page_of
from reconciler.cli.shared.results import results_of
from reconciler.cli.shared.reviewing import reviewed
from reconciler.commands.reading.reader import evaluate_source
from reconciler.ports import ExitCode, UsageError
from reconciler.report.page.material import Given


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
