"""`apply`, `render`, `doctor`, and `verify`."""

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.policies import policies as admission_policies
from reconciler.apply.render import incomplete_pools, kept_clusters, left_ranges
from reconciler.apply.render import render as run_render
from reconciler.apply.targets import ApplyOptions
from reconciler.cli import cluster_options, opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import write_uids
from reconciler.cli.options import option
from reconciler.documents.findings import has_error, join_limited, nearest, plural
from reconciler.families.clusters import described_clusters
from reconciler.gitio.interface import Source
from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import Repository, open_revision
from reconciler.kube.clusters import KubeClusters
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.objects import MANAGEMENT
from reconciler.reconcile.branch import current_head, is_in_history
from reconciler.reconcile.discovery import of_repository
from reconciler.reconcile.doctor import diagnose
from reconciler.reconcile.evaluation import (
    applied_code,
    as_reconciled,
    require_unedited,
    with_found,
)
from reconciler.reconcile.verify import Verified, revisions_of
from reconciler.reconcile.verify import verify as run_verify
from reconciler.report.formats import envelope
from reconciler.report.json import apply_document
from reconciler.report.queries import diagnosis_document, verification_document
from reconciler.report.text import runs


@click.command(cls=VerbCommand)
@options.repository
@options.remote
@options.branch
@option("--rev", metavar="REV", help="Apply this revision of the branch. Default: its head.")
@cluster_options.reach
@cluster_options.apply
@options.dry_run
@options.detailed_exitcode
@option("--shard", metavar="I/N", default="0/1", help="Apply only part I (from 0) of N parts.")
@output.options("text", "json", "yaml")
def apply(
    repo: Path,
    remote: str | None,
    branch: str | None,
    rev: str | None,
    reach: KubeClusters,
    wanted: ApplyOptions,
    dry_run: bool,
    detailed_exitcode: bool,
    shard: str,
    result: output.Result,
) -> int:
    """Apply the committed records to the clusters, by server-side apply.

    Only commits on the branch of the remote are applied. A run without changes writes nothing.
    Exit code 5: a cluster failed; ipam applied to all others.
    """
    if not reach.is_named:
        hint = "pass --kubeconfig PATH (or set KUBECONFIG) for a management cluster, else --clusters DIR"
        raise UsageError("no cluster given", hint)
    cluster_options.require_reach()
    part = parse_shard(shard)
    repository = opening.open_branch(repo, remote, branch)
    with output.progress("reading"):
        evaluation = as_reconciled(_published(repository, rev), repository)
        require_unedited(evaluation)
    wanted = replace(wanted, dry_run=dry_run, shard=part)
    described = described_clusters(evaluation.documents)
    for name in sorted({*reach.clusters, *wanted.enroll} - {*described, MANAGEMENT}):
        meant = f"; did you mean {like}?" if (like := nearest(name, sorted(described))) else ""
        output.note(f"No document describes a cluster {name}{meant}")
    if strays := reach.strays(described):
        output.note(f"No document describes the clusters of {join_limited(strays)}")
    with output.progress("applying"):
        wanted = of_repository(wanted, repository, evaluation)
        applied = apply_fleet(evaluation, reach, wanted, partial(is_in_history, repository))
    if not dry_run:
        write_uids(repository, evaluation, [it for it in applied if it.cluster in wanted.enroll])
    code = applied_code(evaluation, applied)
    would_change = dry_run and any(item.is_changed for item in applied)
    if code is ExitCode.OK and detailed_exitcode and would_change:
        code = ExitCode.CHANGES
    if not result.is_document:
        output.tell_errors(evaluation.findings, result.brush)
    result.show(
        lambda brush: runs.applied_text(applied, brush, dry_run=dry_run),
        lambda: apply_document(applied, evaluation.tree.revision or "", code),
    )
    return code


def _published(repository: Repository, rev: str | None) -> Source:
    head, _ = current_head(repository)
    repository.require_pushed(head)
    if rev is None:
        return repository.source(head.id)
    source = repository.source(rev)
    revision = source.revision()
    if revision is None or not repository.is_in(revision.id, head.id):
        raise UsageError(f"{rev} is not on branch {repository.branch}", "push it first")
    return source


def parse_shard(text: str) -> tuple[int, int]:
    """Return the index (from 0) and the count of a shard such as `0/4`."""
    index, slash, count = text.partition("/")
    if slash and index.isdecimal() and count.isdecimal() and text.isascii():
        shard = int(index), int(count)
        if shard[0] < shard[1]:
            return shard
    raise UsageError(f"--shard {text!r} is not I/N", "write 0/4 for the first of four parts")


@click.command(cls=VerbCommand)
@options.reading
@options.out("the objects", is_folder=True, required=True)
@option("--policies", is_flag=True, help="Also write the admission policies.")
@option(
    "--reconciler", metavar="USER", default="", help="With --policies: permit this user to apply."
)
@options.break_glass
@output.options("text", "json", "yaml")
def render(
    reading: options.Reading,
    out: Path,
    policies: bool,
    reconciler: str,
    break_glass: Sequence[str],
    result: output.Result,
) -> int:
    """Write the objects of each cluster to its own folder, from the committed records.

    For kubectl, Flux, and Argo CD, each folder has a kustomization. Exit code 1: the repository
    has errors, so the clusters with errors keep their earlier files. Objects of other owners are
    never written: only apply sets fields of them, such as the endpoint of a Cluster. Exit code 3:
    records were edited outside of reconcile.
    """
    if bool(reconciler) != policies or (break_glass and not policies):
        message = "--policies needs --reconciler USER; --break-glass needs --policies"
        raise UsageError(
            message, "add --policies --reconciler system:serviceaccount:flux-system:flux"
        )
    with output.progress("reading"):
        read = opening.open_source(reading)
        evaluation = as_reconciled(read.source, read.repository)
        require_unedited(evaluation)
        wrong = list(incomplete_pools(evaluation))
        kept = kept_clusters(evaluation, (it for it, _ in wrong))
        evaluation = with_found(evaluation, [it for _, it in wrong])
    output.tell_errors(evaluation.findings, result.brush)
    manifests = admission_policies(reconciler, break_glass) if policies else ()
    is_wrong = has_error(evaluation.findings)
    counts = {} if kept is None else run_render(evaluation, out, manifests, kept)
    if is_wrong and not counts:
        output.tell(f"Nothing was written to {out}: fix the errors first.")
    elif kept:
        named = join_limited(sorted(kept))
        output.tell(f"The files of {named} were not written to {out}: fix the errors first.")
    for line in left_ranges(evaluation, kept or ()) if counts or not is_wrong else ():
        output.note(line)
    result.show(
        lambda _: "".join(
            f"{out}/{name}: {plural(n, 'file') if n else 'removed'}\n" for name, n in counts.items()
        ),
        lambda: {**envelope("RenderResult"), "out": str(out), "clusters": counts},
    )
    return ExitCode.WRONG if is_wrong else ExitCode.OK


@click.command(cls=VerbCommand)
@options.repository
@options.remote
@options.branch
@option("--to-branch", metavar="NAME", help="Also check this branch of proposals.")
@cluster_options.reach
@output.options("text", "json", "yaml")
def doctor(
    repo: Path,
    remote: str | None,
    branch: str | None,
    to_branch: str | None,
    reach: KubeClusters,
    result: output.Result,
) -> int:
    """Check Git, clusters, permissions, and versions, and show how to fix each problem.

    ipam doctor writes to neither Git nor a cluster. Exit code 4: a problem in Git. Exit code 5: a
    problem in a cluster.
    """
    here = partial(opening.open_here, repo, branch)
    opened = here if remote is None else partial(opening.open_there, remote, branch)
    if reach.is_named:
        cluster_options.require_reach()
    probe = RepositoryProbe(opened, dict(os.environ))
    with output.progress("looking"):
        diagnosis = diagnose(probe, reach if reach.is_named else None, to_branch or "")
    result.show(
        lambda brush: runs.diagnosis_text(diagnosis, brush), lambda: diagnosis_document(diagnosis)
    )
    return diagnosis.exit_code


@click.command(cls=VerbCommand)
@options.repository
@click.argument("reach", metavar="[RANGE]", default="HEAD")
@output.options("text", "json", "yaml")
def verify(repo: Path, reach: str, result: output.Result) -> int:
    """Replay every reconcile commit, and compare the result byte for byte.

    RANGE is a branch, or A..B. Default: all commits of HEAD. Other commits that edit files of
    reconcile are also listed. Exit code 1: a commit claims to be made by reconcile, but a plan of
    its base does not produce it.
    """
    repository = opening.open_here(repo)
    newest, after = revisions_of(reach)
    head = open_revision(repository, newest).revision()
    brush, is_text = result.brush, not result.is_document
    found: list[Verified] = []
    # On a terminal, the printed lines show the progress.
    is_silent = is_text and sys.stdout.isatty()
    with nullcontext() if is_silent else output.progress("verifying"):
        for item in run_verify(repository, head.id, after):
            found.append(item)
            if is_text:
                output.emit(runs.verified_text(item, brush), flushes=True)
    code = ExitCode.WRONG if any(item.is_wrong for item in found) else ExitCode.OK
    result.show(
        lambda brush: runs.verification_text(found, brush),
        lambda: verification_document(head.id, found, code),
    )
    return code
