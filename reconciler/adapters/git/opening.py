"""Which repository a path or URL means: a checkout, a bare one, or a mirror in the cache."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

from reconciler.adapters.git.conversion import Conversion
from reconciler.adapters.git.fetch import default_branch, fetch_objects
from reconciler.adapters.git.filtered import promisor
from reconciler.adapters.git.guard import (
    Setting,
    guarded,
    read_configuration,
    require_apart,
    require_own,
)
from reconciler.adapters.git.heads import require_unshown, shown_branch, small_text
from reconciler.adapters.git.mirror import make_mirror, require_ours
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.remote import Remote, check_branch, check_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.revision import GitSource
from reconciler.adapters.git.root_folder import RootFolder, found_root, root_folder
from reconciler.adapters.git.rooting import require_place, require_root
from reconciler.adapters.git.worktree import WorktreeSource
from reconciler.ports import GitError, UsageError
from reconciler.settings import PATH as SETTINGS

_FOLLOWED = ("branch", "remote")
_URL = ("remote", "url")
_NO_REPOSITORY = "name one with --repo DIR, or ipam -C DIR; ipam init DIR begins one"


def open_repository(
    path: Path,
    environment: Mapping[str, str],
    branch: str | None = None,
    root: str | None = None,
) -> GitRepository:
    """The repository at a path: a bare one, or the one that a checkout belongs to.

    Args:
        path: Folder.
        environment: What git may know of the environment.
        branch: Branch to work on; else the one that is checked out.
        root: Folder of the repository; else the nearest with Settings in a checkout, from the path
            upwards; else all of it.

    Raises:
        UsageError: There is no such folder; or the root leads elsewhere.
        GitError: It is no Git repository, or another user's.
    """
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", "name a Git repository with --repo")
    path = path.resolve()
    git_dir, worktree = _locate(path)
    around = [] if worktree is None else [worktree, worktree / ".git"]
    require_own([*around, git_dir], environment)
    git = GitProcess(git_dir, environment, root=_root(path, worktree, root))
    shown = shown_branch(git)
    # Of a branch that is only read from, the name does not matter.
    name = check_branch(branch) if branch else shown or "main"
    return GitRepository(git, name, None, worktree, worktree is not None and shown == name)


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
    git = guarded(repository.git, settings, remote.url if remote is not None else "")
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
    guards = replace(repository, git=guarded(repository.git, settings, remote.url))
    fetch_objects(_reaching(guards, remote), remote.url, oids)


def _reaching(repository: GitRepository, remote: Remote) -> GitProcess:
    """Git that reaches a remote which the repository's own configuration names."""
    own = (repository.worktree or repository.git.git_dir, repository.git.git_dir)
    require_apart(remote.folders, own)
    require_own(remote.folders, repository.git.environment)
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
    if not _is_file(git_dir / "HEAD"):
        make_mirror(git, cache, checked.url)
    if name is None:
        name = check_branch(default_branch(git, checked.url))
    return GitRepository(git, name, checked.url, is_mirror=True)


def open_worktree(repository: GitRepository, root: Path) -> WorktreeSource:
    """The work tree of a checkout, with what HEAD holds (nothing before the first commit)."""
    if repository.worktree is None:
        raise UsageError(f"{root} has no work tree", "leave --worktree out")
    git = repository.git
    place = require_place(git.root, repository.worktree)
    conversion = Conversion(lambda: guarded(git, read_configuration(git), ""), place)
    try:
        head = repository.source("HEAD")
    except GitError:
        head = None
    return WorktreeSource(place, head, git, conversion)


def open_revision(repository: GitRepository, rev: str) -> GitSource:
    """The files of a revision in which the root is to be.

    Raises:
        GitError: There is no such revision, or the root is no folder of it.
    """
    source = repository.source(rev)
    require_root(repository.git, source.revision(), source.top)
    return source


def ground(repository: GitRepository) -> Path | None:
    """Where the files of the root are in the checkout; None where there is no checkout."""
    top = repository.worktree
    return top / repository.git.root.path if top is not None else None


def _root(path: Path, top: Path | None, named: str | None) -> RootFolder:
    if named is not None or top is None:
        return root_folder(named or "")
    return found_root(path, top, SETTINGS)


def checkout_around(path: Path) -> Path | None:
    """The top of the checkout, or the bare repository, that a folder belongs to; None: to none.

    The folder need not be there.
    """
    try:
        git_dir, worktree = _locate(path)
    except GitError:
        return None
    return worktree or git_dir


def _locate(path: Path) -> tuple[Path, Path | None]:
    """The repository's own folder, and its work tree if it has one.

    By hand and not by git's discovery: with a bare repository that is not named git would have to
    trust what it finds. A checkout goes before a bare repository of the same folder: whoever may
    add files to a checkout could lay one out in it.
    """
    for folder in (path, *path.parents):
        inner = folder / ".git"
        if _is_file(inner / "HEAD"):
            return inner, folder
        if _is_file(inner):
            target = Path(small_text(inner).removeprefix("gitdir: "))
            target = target if target.is_absolute() else (folder / target).resolve()
            if not _is_folder(target):
                raise GitError(f"{inner} leads to no Git repository", _NO_REPOSITORY)
            return target, folder
        if folder == path and _is_file(path / "HEAD") and _is_folder(path / "objects"):
            return path, path.parent if path.name == ".git" else None
    raise GitError(f"{path} is not a Git repository", _NO_REPOSITORY)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - what cannot be looked at is none, and no error


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 - what cannot be looked at is none, and no error
