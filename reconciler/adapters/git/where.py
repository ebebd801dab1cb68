"""Where a branch is, asked often: at a remote by git, here by what the file system says."""

import os
from dataclasses import dataclass, field

from reconciler.adapters.git.fetch import remote_head
from reconciler.adapters.git.folders import common_folder
from reconciler.adapters.git.objects import find_revisions
from reconciler.adapters.git.repository import GitRepository
from reconciler.ports import GitError


@dataclass
class BranchHead:
    """The head of a repository's branch. One thread asks.

    Here git is only asked when one of the files was touched in which it keeps references.
    """

    repository: GitRepository
    _files: tuple[object, ...] = ()
    _head: str = field(default="")

    def __call__(self) -> str:
        """Its id.

        Raises:
            GitError: The remote cannot be reached, or there is no such branch.
        """
        repository = self.repository
        if repository.remote is not None:
            return remote_head(repository.git, repository.remote, repository.branch)
        files = self._state()
        if files != self._files or not self._head:
            name = f"refs/heads/{repository.branch}"
            found = find_revisions(repository.git, [name]).revisions[0]
            if found is None:
                raise GitError(f"branch {repository.branch} is not in the repository")
            self._files, self._head = files, found.id
        return self._head

    def _state(self) -> tuple[object, ...]:
        common = common_folder(self.repository.git)
        names = (f"refs/heads/{self.repository.branch}", "packed-refs", "reftable/tables.list")
        return tuple(_state(os.path.join(common, name)) for name in names)  # noqa: PTH118 - five times a second


def _state(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - five times a second
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
