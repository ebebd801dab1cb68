"""`doctor`: check Git, clusters, permissions, and versions."""

import time
from pathlib import Path

import click

from reconciler.cli.cluster_options import Reach, reaching_options
from reconciler.cli.opening import environment, open_here, open_there
from reconciler.cli.options import option, output_options, repository_option
from reconciler.cli.output import emit, emit_document, painter, progress
from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import GitRepository
from reconciler.reconcile.doctor import diagnose, diagnosis_code
from reconciler.report.json import diagnosis_document
from reconciler.report.text.runs import diagnosis_text


@click.command()
@repository_option
@option("--remote", metavar="URL", help="Look at this remote (https, ssh, file, or a path).")
@option("--branch", help="Branch; else the one that is checked out, or the remote's default.")
@reaching_options
@output_options("text", "json", "yaml")
def doctor(
    repo: Path,
    remote: str | None,
    branch: str | None,
    reach: Reach,
    output: str,
    color: str,
) -> int:
    """Tell what of Git, clusters, rights and versions is in order, and how to mend the rest.

    Writes nothing, neither in Git nor in a cluster. Exit code 4: something of Git is wrong; 5:
    something of a cluster is.
    """

    def opened() -> GitRepository:
        if remote is not None:
            return open_there(remote, branch)
        return open_here(repo, branch)

    if reach.is_named:
        reach.require()
    probe = RepositoryProbe(opened, environment())
    with progress("looking"):
        diagnosis = diagnose(probe, reach.open() if reach.is_named else None, time.time)
    code = diagnosis_code(diagnosis)
    if output == "text":
        emit(diagnosis_text(diagnosis, painter(color)))
    else:
        emit_document(diagnosis_document(diagnosis, code), output)
    return code
