"""Which repository a path means: a checkout, or a bare one."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from reconciler.adapters.git.conversion import Conversion
from reconciler.adapters.git.guard import guarded
from reconciler.adapters.git.heads import shown_branch
from reconciler.adapters.git.naming import check_branch
from reconciler.adapters.git.process import GitProcess, discover
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.revision import GitSource
from reconciler.adapters.git.root_folder import RootFolder, found_root, root_folder
from reconciler.adapters.git.rooting import require_place, require_root
from reconciler.adapters.git.worktree import WorktreeSource
from reconciler.model.settings import PATH as SETTINGS
from reconciler.ports import GitError, UsageError

_OWNED = re.compile(r"dubious ownership in repository at '(.*)'")
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
    git_dir, worktree = _locate(path, environment)
    git = GitProcess(git_dir, environment, root=_root(path, worktree, root))
    shown = shown_branch(git)
    # Of a branch that is only read from, the name does not matter.
    name = check_branch(branch) if branch else shown or "main"
    return GitRepository(git, name, None, worktree, worktree is not None and shown == name)


def open_worktree(repository: GitRepository, root: Path) -> WorktreeSource:
    """The work tree of a checkout, with what HEAD holds (nothing before the first commit)."""
    if repository.worktree is None:
        raise UsageError(f"{root} has no work tree", "leave --worktree out")
    git = repository.git
    place = require_place(git.root, repository.worktree)
    conversion = Conversion(lambda: guarded(git), place)
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


def checkout_around(path: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the top of the checkout, or the bare repository, that a folder belongs to, if any.

    The folder need not exist.

    Raises:
        GitError: Another user owns it.
    """
    while not path.is_dir():
        path = path.parent
    try:
        git_dir, worktree = _locate(path, environment)
    except _NoRepositoryError:
        return None
    return worktree or git_dir


class _NoRepositoryError(GitError):
    """A folder belongs to no repository."""


def _locate(path: Path, environment: Mapping[str, str]) -> tuple[Path, Path | None]:
    """Return the repository's own folder, and its work tree if it has one.

    Raises:
        GitError: Git finds no repository, or one of another user.
    """
    folder = path.parent if path.name == ".git" else path
    is_bare = _is_file(folder / "HEAD") and not os.path.lexists(folder / ".git")
    found = discover(folder, environment, is_bare=is_bare)
    if "dubious ownership" in found.err:
        place = _OWNED.search(found.err)
        message = f"{place[1] if place else path} belongs to another user"
        hint = f"if you trust it: git config --global --add safe.directory {place[1] if place else path}"
        raise GitError(message, hint)
    if found.status != 0:
        raise _NoRepositoryError(f"{path} is not a Git repository", _NO_REPOSITORY)
    git_dir, *up = os.fsdecode(found.out).splitlines()
    return Path(git_dir), (folder / up[0]).resolve() if up else None


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - what cannot be looked at is none, and no error
