"""Opening, reading, and review of repositories."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from msgspec import Struct
from msgspec.structs import replace as replace_

from reconciler.cli.options import ROOT, source_at
from reconciler.cli.output import note, painter, progress, tell_errors
from reconciler.documents.findings import join_limited
from reconciler.documents.text import escape
from reconciler.documents.yaml import HAS_LIBYAML
from reconciler.gitio.annals import GitAnnals
from reconciler.gitio.interface import Repository, Source
from reconciler.gitio.merging import merge, quarantined
from reconciler.gitio.opening import (
    ground,
    open_repository,
    open_revision,
    open_worktree,
    uncommitted,
)
from reconciler.gitio.process import GitCommandCache
from reconciler.gitio.remote_state import LastSeen
from reconciler.gitio.remotes import bringing, open_mirror, with_remote
from reconciler.gitio.repository import GitRepository
from reconciler.history.commits import History
from reconciler.model.errors import GitError, UsageError
from reconciler.model.settings import Settings
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.planning.settings import looked_at
from reconciler.reconcile.commits import newest
from reconciler.review.checks import review
from reconciler.review.merging import merged
from reconciler.review.other_changes import SimulationRepository, compare_with_others
from reconciler.review.result import Compared, Together


def environment() -> Mapping[str, str]:
    """Return the variables that Git and the login at a remote need."""
    return dict(os.environ)


def cache_folder() -> Path:
    """Return `$XDG_CACHE_HOME/gitops-ipam`, whose content is disposable.

    Raises:
        UsageError: The location cannot be determined.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "gitops-ipam"
    try:
        return Path.home() / ".cache" / "gitops-ipam"
    except RuntimeError:
        message = "this user has no home folder to keep a cache in"
        raise UsageError(message, "set XDG_CACHE_HOME, or HOME") from None


class ReadRevision(Struct, frozen=True):
    """Repository, and the files of it that a command reads."""

    repository: GitRepository
    source: Source

    @property
    def ground(self) -> Path | None:
        """The path of the root in the checkout."""
        return ground(self.repository)


def asked_root() -> str | None:
    """Return the folder that `--root` names, or None if it is not given."""
    context = click.get_current_context(silent=True)
    return context.meta.get(ROOT) if context is not None else None


def open_here(repo: Path, branch: str | None = None) -> GitRepository:
    """Return the repository of `--repo`, `--root`, and `--branch`."""
    return _leading(open_repository(repo, environment(), branch, asked_root()))


def open_there(remote: str, branch: str | None) -> GitRepository:
    """Return the mirror of the remote of `--remote`, `--root`, and `--branch`."""
    return _leading(open_mirror(remote, cache_folder(), environment(), branch, asked_root()))


def open_source(
    repo: Path,
    rev: str,
    *,
    worktree: bool,
    fetches: bool = False,
) -> ReadRevision:
    """Return the files of `--repo`, `--rev`, and `--worktree`.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        worktree: As `--worktree`.
        fetches: As `--fetch-missing`.
    """
    tell_if_slow()
    found = _asking_once(open_here(repo))
    opened = _bringing(found) if fetches else found
    repository = opened
    if worktree and rev != "HEAD":
        raise UsageError("--worktree and --rev exclude each other")
    if worktree:
        return ReadRevision(repository, open_worktree(repository, repo))
    return ReadRevision(repository, open_revision(repository, rev))


def tell_if_slow() -> None:
    """Print a note if reading is slow."""
    if not HAS_LIBYAML:
        note("warning: PyYAML was built without libyaml; reading is about eight times slower")


def _bringing(repository: GitRepository) -> GitRepository:

    return bringing(repository)


def _asking_once(repository: GitRepository) -> GitRepository:
    """Return the repository with a cache for repeated calls of the command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return repository
    cached = GitCommandCache()
    context.call_on_close(cached.close)
    return replace(repository, git=replace(repository.git, cache=cached))


def apart(repository: GitRepository, revision: str) -> ReadRevision:
    """Return a revision for another thread that shares no mutable state with other readers."""
    git = replace(repository.git, cache=None)  # the cache is not thread-safe
    own = replace(repository, git=git, seen=LastSeen())
    return ReadRevision(own, own.source(revision))


def open_branch(repo: Path, remote: str | None, branch: str | None) -> GitRepository:
    """Return the branch of `--repo`, `--remote`, and `--branch`, with its remote."""
    if remote is not None:
        opened = open_there(remote, branch)
    else:
        opened = with_remote(open_here(repo, branch))
    return opened


def _leading(repository: GitRepository) -> GitRepository:
    """Return the repository with the search for the newest reconcile commit of a revision."""
    return replace(repository, leads=_newest)


def _newest(repository: GitRepository, revision: str) -> str:
    """Return the newest reconcile commit. A shallow clone follows the first parents."""
    try:
        return newest(repository, revision)
    except GitError:
        if repository.is_shallow():
            return ""
        raise


def evaluated(repo: Path, rev: str, color: str, *, worktree: bool) -> Evaluation:
    """Return the evaluation of a revision. Print its errors to stderr.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        color: As `--color`.
        worktree: As `--worktree`.
    """
    read = open_source(repo, rev, worktree=worktree)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
    tell_errors(evaluation.findings, painter(color))
    return evaluation


def uncommitted_evaluation(repo: Path, evaluation: Evaluation) -> Evaluation | None:
    """Return the evaluation of a work tree with uncommitted files, or None without any.

    Args:
        repo: As `--repo`.
        evaluation: Evaluation of its HEAD.
    """
    read = open_source(repo, "HEAD", worktree=False)
    if not uncommitted(read.repository, looked_at(evaluation.tree.settings)):
        return None
    return evaluate_source(open_source(repo, "HEAD", worktree=True).source)


def history_of(read: ReadRevision, settings: Settings) -> History:
    """Return the history of a revision. For a work tree, it is the history of HEAD."""
    head = read.source.revision() or read.repository.resolve("HEAD")
    source = read.repository.source(head.id)
    return History(GitAnnals(read.repository.git), source, settings, head.id)


class Reviewed(Struct, frozen=True):
    """Review with its files, its root folder, and the repository of both sides."""

    compared: Compared
    source: Source
    root: str
    repository: Repository


def reviewed(
    repo: Path,
    rev: str,
    base: str | None,
    *,
    worktree: bool,
    at: str | None = None,
    also: Sequence[str] = (),
    fetches: bool = False,
    proposed: str | None = None,
) -> Reviewed:
    """Return the evaluation of a revision, compared with its base if there is one.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        base: As `--base`.
        worktree: As `--worktree`.
        at: As `--at`.
        also: As `--also`.
        fetches: As `--fetch-missing`.
        proposed: As `--proposed`.

    Raises:
        UsageError: `--also` has no base to merge with.
    """
    if also and (base is None or worktree):
        raise UsageError("--also needs --base, and no --worktree", "name what all are merged into")
    if proposed is not None and base is None:
        raise UsageError("--proposed needs --base", "name what the proposal is merged into")
    read = open_source(repo, rev, worktree=worktree, fetches=fetches)
    with progress("planning"):
        compared, repository = _compared_with(read, base, at, also, proposed)
    if rev == "HEAD" and not worktree:
        _tell_unread(read, compared.evaluation)
    return Reviewed(compared, read.source, read.repository.git.root.path, repository)


def _compared_with(
    read: ReadRevision,
    base: str | None,
    at: str | None,
    also: Sequence[str],
    proposed: str | None,
) -> tuple[Compared, Repository]:
    """Return the comparison of a revision with its base, if any, and the repository of both.

    Args:
        read: The revision.
        base: As `--base`.
        at: As `--at`.
        also: As `--also`.
        proposed: As `--proposed`.
    """
    if base is None:
        source = source_at(read.source, at)
        return review(source, read.repository, None), read.repository
    compared, repository = _beside(read, base, at, proposed)
    return replace_(compared, also=tuple(_others(read, base, also))), repository


def _beside(
    read: ReadRevision, base: str, at: str | None, proposed: str | None
) -> tuple[Compared, Repository]:
    """Return the evaluation of a revision after its merge, and the repository of the merge."""
    found = merged(read.repository, read.source, base, partial(merge, read.repository))
    compared = review(source_at(found.source, at), found.repository, base, proposed)
    return found.reviewed(compared, base), found.repository


def _others(read: ReadRevision, base: str, also: Sequence[str]) -> Iterator[Together]:
    """Yield the result of merging the change together with each change of `--also`."""
    change = read.source.revision()
    if not also or change is None:
        return
    apart = quarantined(read.repository)
    simulation = SimulationRepository(apart, partial(merge, apart))
    yield from compare_with_others(simulation, base, change, also)


def _tell_unread(read: ReadRevision, evaluation: Evaluation) -> None:
    """Print the uncommitted files of the work tree that were not read."""
    if not (found := uncommitted(read.repository, looked_at(evaluation.tree.settings))):
        return
    are, were = ("1 file is", "was") if len(found) == 1 else (f"{len(found)} files are", "were")
    listed = escape(join_limited(found))
    note(f"note: {are} not committed, and {were} not looked at: {listed}; --worktree reads them")
