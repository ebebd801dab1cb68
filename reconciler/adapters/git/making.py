"""Where a repository begins: in a checkout that is there, or in one that is made."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reconciler.adapters.git.guard import read_configuration
from reconciler.adapters.git.opening import checkout_around, open_repository
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.repository import GitRepository
from reconciler.model.settings import PATH as SETTINGS
from reconciler.ports import UsageError


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
