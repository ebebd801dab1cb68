"""`verify`: check that every reconcile commit matches its plan."""

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from reconciler.cli import output as cli_output
from reconciler.cli.opening import open_here
from reconciler.cli.options import output_options, repository_option
from reconciler.cli.output import emit, emit_document, painter, progress
from reconciler.gitio.opening import open_revision
from reconciler.model.errors import ExitCode
from reconciler.reconcile.verify import Verified, revisions_of
from reconciler.reconcile.verify import verify as run_verify
from reconciler.report.queries import verification_document
from reconciler.report.text.runs import verification_text, verified_text


@click.command()
@repository_option
@click.argument("reach", metavar="[RANGE]", default="HEAD")
@output_options("text", "json", "yaml")
def verify(repo: Path, reach: str, output: str, color: str) -> int:
    """Replay every reconcile commit, and compare its bytes with what it holds.

    RANGE is a branch, or A..B; all of HEAD when none is given. Commits of others that touch what
    reconcile writes are listed. Exit code 1: some commit says that reconcile made it, and a plan of
    its base does not make it.
    """
    repository = open_here(repo)
    newest, after = revisions_of(reach)
    head = open_revision(repository, newest).revision()
    brush = painter(color)
    found: list[Verified] = []
    # On a terminal, the printed lines show the progress.
    shows = output != "text" or not sys.stdout.isatty()
    with progress("verifying") if shows else nullcontext():
        for item in run_verify(repository, head.id, after):
            found.append(item)
            if output == "text":
                emit(verified_text(item, brush))
                cli_output.flush()
    code = ExitCode.WRONG if any(item.is_wrong for item in found) else ExitCode.OK
    if output == "text":
        emit(verification_text(found, brush))
    else:
        emit_document(verification_document(head.id, found, code), output)
    return code
