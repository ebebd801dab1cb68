"""Finding and opening of repositories."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reconciler.gitio.config import RootFolder, found_root, root_folder
from reconciler.gitio.objects import check_branch, require_place, require_root, shown_branch
from reconciler.gitio.process import GitProcess, discover, failure, guarded, read_configuration
from reconciler.gitio.repository import GitRepository
from reconciler.gitio.revision import GitSource
from reconciler.gitio.worktree import Checkout, Conversion, WorktreeSource
from reconciler.model.errors import GitError, ReconcilerError, UsageError
from reconciler.model.settings import PATH as SETTINGS

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
    if "not a git repository" in found.err or "cannot use bare repository" in found.err:
        raise _NoRepositoryError(f"{path} is not a Git repository", _NO_REPOSITORY)
    if found.status != 0:
        raise failure("rev-parse", found, _NO_REPOSITORY)
    git_dir, *up = os.fsdecode(found.out).splitlines()
    return Path(git_dir), (folder / up[0]).resolve() if up else None


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - what cannot be looked at is none, and no error


class Site(Struct, frozen=True):
    """A folder for a repository.

    Attributes:
        folder: Where.
        repository: The checkout that it is, or is a folder of; None when there is none yet.
    """

    folder: Path
    repository: GitRepository | None

    @property
    def root(self) -> str:
        """The folder's path from the top of the checkout; empty for the top."""
        return self.repository.git.root.path if self.repository is not None else ""

    @property
    def top(self) -> Path:
        """The top of the checkout."""
        return self.repository.git.root.top(self.folder) if self.repository else self.folder

    @property
    def branch(self) -> str:
        """The branch that is checked out; empty when there is none yet."""
        return self.repository.branch if self.repository is not None else ""

    def remotes(self) -> dict[str, str]:
        """The URLs of its remotes by their names."""
        if self.repository is None:
            return {}
        found = read_configuration(self.repository.git)
        return {
            item.between: item.value
            for item in found
            if (item.section, item.variable) == ("remote", "url")
        }


def find_site(folder: Path, environment: Mapping[str, str]) -> Site:
    """Look at a folder, which need not be there.

    Args:
        folder: Where the repository shall begin.
        environment: What git may know of the environment.

    Raises:
        UsageError: It is a file, a bare repository, or a folder in a root that is there.
        GitError: It is another user's.
    """
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "name one that is, or that is not there yet")
    around = checkout_around(folder, environment)
    if around is None:
        return Site(folder, None)
    root = folder.relative_to(around).as_posix()
    repository = open_repository(around, environment, root=root)
    if repository.worktree is None:
        hint = "clone it, and begin in the clone"
        raise UsageError(f"{folder} is a bare repository, which has no files", hint)
    _require_no_root_above(folder, around)
    return Site(folder, repository)


def _require_no_root_above(folder: Path, top: Path) -> None:
    """Refuse a folder in a root: what it holds would belong to two."""
    for above in folder.parents:
        if above != top and top not in above.parents:
            return
        if (above / SETTINGS).exists():
            hint = f"name that: ipam init {above}; or a folder outside of it"
            raise UsageError(f"{folder} is in {above}, which has an {SETTINGS} of its own", hint)


def make_repository(site: Site, environment: Mapping[str, str], branch: str) -> Site:
    """Make an empty repository of a folder, with a branch that has no commit yet.

    Raises:
        OSError: The folder cannot be written.
        GitError: Git cannot.
    """
    git_dir = site.folder / ".git"
    git_dir.mkdir(parents=True, exist_ok=True)
    git = GitProcess(git_dir, environment)
    git.check("init", "--quiet", "--template=", f"--initial-branch={branch}", str(site.folder))
    return replace(site, repository=open_repository(site.folder, environment))


def uncommitted(repository: GitRepository, paths: Sequence[str]) -> list[str]:
    """Files at or below some paths of the work tree that HEAD does not have so.

    None of a bare repository or of a clone that laid nothing out, nor where git cannot be asked: it
    is a word by the way.
    """
    if repository.worktree is None or not (repository.git.git_dir / "index").exists():
        return []
    try:
        return Checkout(guarded(repository.git), repository.worktree).uncommitted(paths)
    except (ReconcilerError, OSError):
        return []
