"""`apply`: apply the committed records to clusters."""

from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.target import ApplyOptions
from reconciler.cli.cluster_options import Reach, reaching_options, wishing_options
from reconciler.cli.opening import open_branch
from reconciler.cli.options import Number, option, output_options, repository_option
from reconciler.cli.output import emit, emit_document, painter, progress, tell_errors
from reconciler.gitio.interface import Source
from reconciler.gitio.repository import GitRepository
from reconciler.model.errors import ExitCode, UsageError
from reconciler.reconcile.branch import current_head, is_in_history
from reconciler.reconcile.evaluation import applied_code, as_reconciled
from reconciler.reconcile.records import require_unedited
from reconciler.report.json import apply_document
from reconciler.report.text.runs import applied_text


@click.command()
@repository_option
@option("--remote", metavar="URL", help="Apply this remote (https, ssh, file, or a path).")
@option("--branch", help="Branch; else the one that is checked out, or the remote's default.")
@option("--rev", help="Revision of the branch; else its head.")
@reaching_options
@wishing_options
@option("--dry-run", is_flag=True, help="Write nothing; tell what would be written.")
@option("--detailed-exitcode", is_flag=True, help="With --dry-run: 2 when something would change.")
@option("--allow-release", type=Number(), help="Delete up to so many objects.")
@option("--shard", metavar="I/N", default="0/1", help="Only this part of the clusters, from 0/N.")
@output_options("text", "json", "yaml")
def apply(
    repo: Path,
    remote: str | None,
    branch: str | None,
    rev: str | None,
    reach: Reach,
    wish: ApplyOptions,
    dry_run: bool,
    detailed_exitcode: bool,
    allow_release: int | None,
    shard: str,
    output: str,
    color: str,
) -> int:
    """Bring the clusters to what the committed records say, by server-side apply.

    Only what is on the branch of the remote is applied. A run that finds nothing to do writes
    nothing. Exit code 5: some cluster failed; the others were applied.
    """
    if not reach.is_named:
        message = "no management cluster is named"
        raise UsageError(message, "--kubeconfig PATH, or $KUBECONFIG")
    reach.require()
    part = parse_shard(shard)
    wish = replace(wish, dry_run=dry_run, allow_release=allow_release, shard=part)
    repository = open_branch(repo, remote, branch)
    with progress("reading"):
        source = published(repository, rev)
        evaluation = as_reconciled(source, repository)
        require_unedited(evaluation)
    wish = replace(wish, root=repository.git.root.path)
    with progress("applying"):
        applied = apply_fleet(evaluation, reach.open(), wish, partial(is_in_history, repository))
    code = applied_code(evaluation, applied)
    would_change = dry_run and any(item.is_changed for item in applied)
    if code is ExitCode.OK and detailed_exitcode and would_change:
        code = ExitCode.CHANGES
    brush = painter(color)
    if output == "text":
        tell_errors(evaluation.findings, brush)
        emit(applied_text(applied, brush, dry_run=dry_run))
    else:
        document = apply_document(applied, evaluation.tree.revision or "", code)
        emit_document(document, output)
    return code


def published(repository: GitRepository, rev: str | None) -> Source:
    """Return the files of the branch head, or of one of its revisions.

    Raises:
        UsageError: The revision is not on the branch, so it is not reviewed, and other runs do not
            know its allocations.
    """
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
    raise UsageError(f"--shard {text!r} is not I/N", "0/4 is the first of four")
