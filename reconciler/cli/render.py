"""`render`: the objects of every cluster as files."""

from collections.abc import Sequence
from pathlib import Path

import click

from reconciler.apply.policies import policies as admission_policies
from reconciler.apply.render import render as run_render
from reconciler.cli.opening import open_source
from reconciler.cli.options import option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter, progress, tell, tell_errors
from reconciler.documents.findings import has_error
from reconciler.model.errors import ExitCode, UsageError
from reconciler.reconcile.evaluation import as_reconciled
from reconciler.reconcile.records import require_unedited
from reconciler.report.json import envelope


@click.command()
@reading_options
@option("--out", type=click.Path(path_type=Path), required=True, help="Folder to write.")
@option("--policies", is_flag=True, help="The admission policies, too.")
@option("--reconciler", metavar="USER", default="", help="With --policies: who applies the files.")
@option("--break-glass", metavar="GROUP", multiple=True, help="Who may pass the policies.")
@output_options("text", "json", "yaml")
def render(
    repo: Path,
    rev: str,
    worktree: bool,
    out: Path,
    policies: bool,
    reconciler: str,
    break_glass: Sequence[str],
    output: str,
    color: str,
) -> int:
    """Write the objects that clusters get, a folder a cluster, from the committed records.

    For kubectl, Flux and Argo CD: each folder has a kustomization. Nothing is written while
    something is wrong in the repository (exit code 1), and never what belongs to others: apply
    sets the fields that are ours there, such as the endpoint of a Cluster and its port. Records
    that were edited outside of reconcile end it with exit code 3.
    """
    if bool(reconciler) != policies or (break_glass and not policies):
        message = "--policies needs --reconciler USER, who applies; --break-glass needs --policies"
        raise UsageError(message, "--reconciler system:serviceaccount:flux-system:flux")
    with progress("reading"):
        read = open_source(repo, rev, worktree=worktree)
        source = read.source
        evaluation = as_reconciled(source, read.repository)
        require_unedited(evaluation)
    tell_errors(evaluation.findings, painter(color))
    manifests = admission_policies(reconciler, break_glass) if policies else ()
    stays = has_error(evaluation.findings)
    counts = {} if stays else run_render(evaluation, out, manifests)
    if stays:
        tell(f"Nothing was written to {out}: mend the errors first.")
    if output == "text":
        for cluster, count in counts.items():
            emit(f"{out}/{cluster}: {count} files\n")
    else:
        document = {**envelope("RenderResult"), "out": str(out), "clusters": counts}
        emit_document(document, output)
    return ExitCode.WRONG if stays else ExitCode.OK
