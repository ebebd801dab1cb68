"""Which remote belongs to a checkout, what is fetched of it; and its mirror in the cache."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from reconciler.adapters.git.fetch import default_branch, fetch_objects
from reconciler.adapters.git.filtered import promisor
from reconciler.adapters.git.guard import (
    Setting,
    guarded,
    read_configuration,
    require_apart,
)
from reconciler.adapters.git.heads import require_unshown
from reconciler.adapters.git.mirror import make_mirror, require_ours
from reconciler.adapters.git.naming import check_branch
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.remote import Remote, check_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.root_folder import root_folder
from reconciler.ports import GitError

_FOLLOWED = ("branch", "remote")
_URL = ("remote", "url")


def with_remote(repository: GitRepository) -> GitRepository:
    """The checkout with the remote that its branch follows, or `origin`, if it has one.

    A bare repository is the truth itself, wherever it was cloned from. From here on git compares
    files and reaches remotes, so the repository's own configuration is guarded against.

    Raises:
        UsageError: The remote may not be reached, or something of the configuration not be taken;
            or the branch that is checked out has an odd name, or is checked out elsewhere, too.
    """
    check_branch(repository.branch)
    settings = read_configuration(repository.git)
    named, remote = _remote(repository, settings)
    git = guarded(repository.git, settings)
    repository = replace(repository, git=git)
    if remote is None or repository.is_checked_out:
        require_unshown(git, repository.branch)
    if repository.worktree is None or remote is None:
        return repository
    return replace(
        repository,
        remote=remote.url,
        git=_reaching(repository, remote),
        followed=f"refs/remotes/{named}/{repository.branch}",
    )


def bringing(repository: GitRepository) -> GitRepository:
    """The clone, which fetches what a filter left out when that is to be read."""
    git = replace(repository.git, brings=partial(bring, repository))
    return replace(repository, git=git)


def bring(repository: GitRepository, oids: Sequence[str]) -> None:
    """Fetch objects that a filter left out of a clone, from the remote that promised them.

    Raises:
        GitError: Nobody promised them, or who did cannot be reached.
        UsageError: The remote may not be reached, or something of the configuration not be taken.
    """
    settings = read_configuration(repository.git)
    name = promisor(settings)
    if (remote := _named(repository, settings, name)) is None:
        message = f"there is no remote {name} to bring what a filter left out of the clone"
        raise GitError(message, "git remote add it, or clone without a filter")
    guards = replace(repository, git=guarded(repository.git, settings))
    fetch_objects(_reaching(guards, remote), remote.url, oids)


def open_mirror(
    remote: str,
    cache: Path,
    environment: Mapping[str, str],
    branch: str | None = None,
    root: str | None = None,
) -> GitRepository:
    """A bare mirror of a remote in the cache folder; made when it is not there.

    Without a root all of it counts: the folder where one stands is none of the remote's.

    Raises:
        GitError: The remote cannot be reached, or the cache is not ours or cannot be written.
    """
    checked = check_remote(remote)
    name = check_branch(branch) if branch is not None else None
    git_dir = cache / "remotes" / f"{sha256(checked.url.encode()).hexdigest()[:32]}.git"
    require_ours(cache, git_dir)
    git = checked.reached_by(GitProcess(git_dir, environment, root=root_folder(root or "")))
    if not os.path.isfile(git_dir / "HEAD"):  # noqa: PTH113 - what cannot be looked at is none
        make_mirror(git, cache, checked.url)
    if name is None:
        name = check_branch(default_branch(git, checked.url))
    return GitRepository(git, name, checked.url, is_mirror=True)


def _reaching(repository: GitRepository, remote: Remote) -> GitProcess:
    """Git that reaches a remote which the repository's own configuration names."""
    own = (repository.worktree or repository.git.git_dir, repository.git.git_dir)
    require_apart(remote.folders, own)
    return remote.reached_by(repository.git)


def _remote(repository: GitRepository, settings: Sequence[Setting]) -> tuple[str, Remote | None]:
    """What the configuration of a checkout calls the remote of its branch, and names as that."""
    branches = {it.between: it.value for it in settings if (it.section, it.variable) == _FOLLOWED}
    named = branches.get(repository.branch, "origin")
    if repository.worktree is None or named == ".":
        return named, None
    return named, _named(repository, settings, named)


def _named(repository: GitRepository, settings: Sequence[Setting], name: str) -> Remote | None:
    """The remote of a name; None where the configuration knows none."""
    urls = {it.between: it.value for it in settings if (it.section, it.variable) == _URL}
    if not (url := urls.get(name, "")):
        return None
    if "://" not in url and not Path(url).is_absolute():
        beside = (repository.worktree or repository.git.git_dir) / url
        url = str(beside) if beside.is_dir() else url
    return check_remote(url)
