"""Places where `ipam init` begins."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reconciler.gitio.process import GitProcess, read_configuration
from reconciler.gitio.repository import NoRepositoryError, Repository, locate, open_repository
from reconciler.model.errors import UsageError
from reconciler.model.settings import PATH as SETTINGS


def checkout_around(path: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the checkout or bare repository around a folder, which need not exist, if any.

    Raises GitError if another user owns the repository.
    """
    while not path.is_dir():
        path = path.parent
    try:
        git_dir, worktree = locate(path, environment)
    except NoRepositoryError:
        return None
    return worktree or git_dir


class Site(Struct, frozen=True):
    """Folder for a new or existing repository, and the checkout around it, if any."""

    folder: Path
    repository: Repository | None

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

    Raises UsageError for a file, a bare repository, or a folder in an existing root.
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
    for above in folder.parents:
        if above != around and around not in above.parents:
            break
        if (above / SETTINGS).exists():  # its files would belong to two roots
            hint = f"name that: ipam init {above}; or a folder outside of it"
            raise UsageError(f"{folder} is in {above}, which has an {SETTINGS} of its own", hint)
    return Site(folder, repository)


def make_repository(site: Site, environment: Mapping[str, str], branch: str) -> Site:
    """Create an empty repository with a branch without commits; raise OSError if not writable."""
    git_dir = site.folder / ".git"
    git_dir.mkdir(parents=True, exist_ok=True)
    git = GitProcess(git_dir, environment)
    git.check("init", "--quiet", "--template=", f"--initial-branch={branch}", str(site.folder))
    return replace(site, repository=open_repository(site.folder, environment))
