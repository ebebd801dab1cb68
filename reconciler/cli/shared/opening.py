"""What verbs read and write: the files, the branch and the cache that their options name."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click
from msgspec import Struct

from reconciler.adapters.git.opening import (
    ground,
    open_repository,
    open_revision,
    open_worktree,
)
from reconciler.adapters.git.process import GitCommandCache
from reconciler.adapters.git.remotes import bringing, open_mirror, with_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.standing import Seen
from reconciler.cli.shared.options import ROOT
from reconciler.cli.shared.output import note
from reconciler.commands.reconcile_commits import newest
from reconciler.documents.yaml import HAS_LIBYAML
from reconciler.ports import GitError, Source, UsageError


def environment() -> Mapping[str, str]:
    """The variables that Git and the login at a remote need."""
    return dict(os.environ)


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/gitops-ipam`: disposable, whatever is in it.

    Raises:
        UsageError: Nobody knows where that is.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "gitops-ipam"
    try:
        return Path.home() / ".cache" / "gitops-ipam"
    except RuntimeError:
        message = "this user has no home folder to keep a cache in"
        raise UsageError(message, "set XDG_CACHE_HOME, or HOME") from None


class Read(Struct, frozen=True):
    """A repository and the files of it that a command reads."""

    repository: GitRepository
    source: Source

    @property
    def ground(self) -> Path | None:
        """Where the files of the root are in the checkout."""
        return ground(self.repository)


def asked_root() -> str | None:
    """The folder that `--root` names; None when it is not given."""
    context = click.get_current_context(silent=True)
    return context.meta.get(ROOT) if context is not None else None


def open_here(repo: Path, branch: str | None = None) -> GitRepository:
    """The repository that `--repo`, `--root` and `--branch` name."""
    return _leading(open_repository(repo, environment(), branch, asked_root()))


def open_there(remote: str, branch: str | None) -> GitRepository:
    """The mirror of the remote that `--remote`, `--root` and `--branch` name."""
    return _leading(open_mirror(remote, cache_folder(), environment(), branch, asked_root()))


def open_source(
    repo: Path,
    rev: str,
    *,
    worktree: bool,
    fetches: bool = False,
) -> Read:
    """The files that `--repo`, `--rev` and `--worktree` name.

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
        return Read(repository, open_worktree(repository, repo))
    return Read(repository, open_revision(repository, rev))


def tell_if_slow() -> None:
    """Say that reading takes long, where that is so."""
    if not HAS_LIBYAML:
        note("warning: PyYAML was built without libyaml; reading is about eight times slower")


def _bringing(repository: GitRepository) -> GitRepository:

    return bringing(repository)


def _asking_once(repository: GitRepository) -> GitRepository:
    """The repository, of which what is asked twice is remembered until the verb ends."""
    context = click.get_current_context(silent=True)
    if context is None:
        return repository
    cached = GitCommandCache()
    context.call_on_close(cached.close)
    return replace(repository, git=replace(repository.git, cache=cached))


def apart(repository: GitRepository, revision: str) -> Read:
    """A revision for a thread of its own: nothing that changes is shared with who else reads."""
    git = replace(repository.git, cache=None)  # its answers come one after the other
    own = replace(repository, git=git, seen=Seen())
    return Read(own, own.source(revision))


def open_branch(repo: Path, remote: str | None, branch: str | None) -> GitRepository:
    """The branch that `--repo`, `--remote` and `--branch` name, with its remote."""
    if remote is not None:
        opened = open_there(remote, branch)
    else:
        opened = with_remote(open_here(repo, branch))
    return opened


def _leading(repository: GitRepository) -> GitRepository:
    """The repository, which finds the newest reconcile commit of a revision."""
    return replace(repository, leads=_newest)


def _newest(repository: GitRepository, revision: str) -> str:
    """Return the newest reconcile commit; a shallow clone follows the first parents."""
    try:
        return newest(repository, revision)
    except GitError:
        if repository.is_shallow():
            return ""
        raise
