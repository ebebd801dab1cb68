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
    """Open the bare repository at a path, or the repository of the checkout around it.

    Args:
        path: Folder.
        environment: Environment variables for Git.
        branch: Branch to work on. Default: the branch that is checked out.
        root: Folder of the repository. Default: in a checkout, the nearest folder with Settings
            from the path upwards, or else the top.

    Raises:
        UsageError: The folder does not exist, or the root is invalid.
        GitError: The folder is not a Git repository, or belongs to another user.
    """
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", "name a Git repository with --repo")
    path = path.resolve()
    git_dir, worktree = _locate(path, environment)
    git = GitProcess(git_dir, environment, root=_root(path, worktree, root))
    shown = shown_branch(git)
    # A repository that is only read does not need a branch name.
    name = check_branch(branch) if branch else shown or "main"
    return GitRepository(git, name, None, worktree, worktree is not None and shown == name)


def open_worktree(repository: GitRepository, root: Path) -> WorktreeSource:
    """Open the work tree of a checkout, compared with HEAD if it has a commit."""
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
    """Open the files of a revision that must contain the root.

    Raises:
        GitError: The revision does not exist, or the root is not a folder of it.
    """
    source = repository.source(rev)
    require_root(repository.git, source.revision(), source.top)
    return source


def ground(repository: GitRepository) -> Path | None:
    """Return the path of the root in the checkout, or None without a checkout."""
    top = repository.worktree
    return top / repository.git.root.path if top is not None else None


def _root(path: Path, top: Path | None, named: str | None) -> RootFolder:
    if named is not None or top is None:
        return root_folder(named or "")
    return found_root(path, top, SETTINGS)


def checkout_around(path: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the top of the checkout, or the bare repository, around a folder, if any.

    The folder need not exist.

    Raises:
        GitError: Another user owns the repository.
    """
    while not path.is_dir():
        path = path.parent
    try:
        git_dir, worktree = _locate(path, environment)
    except _NoRepositoryError:
        return None
    return worktree or git_dir


class _NoRepositoryError(GitError):
    """The folder is not in a repository."""


def _locate(path: Path, environment: Mapping[str, str]) -> tuple[Path, Path | None]:
    """Return the Git folder of a repository, and its work tree if it has one.

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
    """Folder for a new or existing repository.

    Attributes:
        folder: Path of the folder.
        repository: The checkout around the folder, or None if there is none yet.
    """

    folder: Path
    repository: GitRepository | None

    @property
    def root(self) -> str:
        """The folder's path from the top of the checkout, empty for the top."""
        return self.repository.git.root.path if self.repository is not None else ""

    @property
    def top(self) -> Path:
        """The top of the checkout."""
        return self.repository.git.root.top(self.folder) if self.repository else self.folder

    @property
    def branch(self) -> str:
        """The branch that is checked out, or empty if there is none yet."""
        return self.repository.branch if self.repository is not None else ""

    def remotes(self) -> dict[str, str]:
        """Return the URLs of remotes by their names."""
        if self.repository is None:
            return {}
        found = read_configuration(self.repository.git)
        return {
            item.between: item.value
            for item in found
            if (item.section, item.variable) == ("remote", "url")
        }


def find_site(folder: Path, environment: Mapping[str, str]) -> Site:
    """Return the site at a folder, which need not exist.

    Args:
        folder: Folder in which the repository begins.
        environment: Environment variables for Git.

    Raises:
        UsageError: The path is a file, a bare repository, or a folder in an existing root.
        GitError: The repository belongs to another user.
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
    """Refuse a folder in an existing root, because its files would belong to two roots."""
    for above in folder.parents:
        if above != top and top not in above.parents:
            return
        if (above / SETTINGS).exists():
            hint = f"name that: ipam init {above}; or a folder outside of it"
            raise UsageError(f"{folder} is in {above}, which has an {SETTINGS} of its own", hint)


def make_repository(site: Site, environment: Mapping[str, str], branch: str) -> Site:
    """Create an empty repository in a folder, with a branch without commits.

    Raises:
        OSError: The folder cannot be written.
        GitError: Git fails.
    """
    git_dir = site.folder / ".git"
    git_dir.mkdir(parents=True, exist_ok=True)
    git = GitProcess(git_dir, environment)
    git.check("init", "--quiet", "--template=", f"--initial-branch={branch}", str(site.folder))
    return replace(site, repository=open_repository(site.folder, environment))


def uncommitted(repository: GitRepository, paths: Sequence[str]) -> list[str]:
    """Return the files at or below some paths of the work tree that differ from HEAD.

    Return none for a bare repository, for a clone without a checkout, or if Git fails. The result
    is only informational.
    """
    if repository.worktree is None or not (repository.git.git_dir / "index").exists():
        return []
    try:
        return Checkout(guarded(repository.git), repository.worktree).uncommitted(paths)
    except (ReconcilerError, OSError):
        return []
