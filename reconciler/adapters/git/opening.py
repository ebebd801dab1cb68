"""Which repository a path means: a checkout, or a bare one."""

import os
from collections.abc import Mapping
from pathlib import Path

from reconciler.adapters.git.conversion import Conversion
from reconciler.adapters.git.guard import guarded, read_configuration, require_own
from reconciler.adapters.git.heads import shown_branch, small_text
from reconciler.adapters.git.naming import check_branch
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.revision import GitSource
from reconciler.adapters.git.root_folder import RootFolder, found_root, root_folder
from reconciler.adapters.git.rooting import require_place, require_root
from reconciler.adapters.git.worktree import WorktreeSource
from reconciler.model.settings import PATH as SETTINGS
from reconciler.ports import GitError, UsageError

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
