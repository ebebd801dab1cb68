"""What `ipam doctor` sees of Git: nothing is changed, neither here nor at the remote.

Of a remote that is named by its URL, the mirror in the cache is brought up to date.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from reconciler.adapters.git.exchange import remote_head, try_push
from reconciler.adapters.git.objects import find_revisions
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.remotes import with_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.ports import GitError, Revision, Source, UsageError

_READ_ONLY = "cannot be written"


class RepositoryProbe:
    """A repository that is opened when it is first asked about, a checkout with its remote."""

    def __init__(
        self, open_repository: Callable[[], GitRepository], environment: Mapping[str, str]
    ) -> None:
        self._open = open_repository
        self._environment = environment
        self._opened: GitRepository | None = None

    @property
    def _repository(self) -> GitRepository:
        if self._opened is None:
            self._opened = _reaching(self._open())
        return self._opened

    def version(self) -> str:
        """The version of git, `2.43.0`."""
        said = GitProcess(Path(os.sep), self._environment).check("version").decode()
        return said.removeprefix("git version ").split(" ")[0]

    def title(self) -> str:
        """What sort of repository it is, and its branch."""
        repository = self._repository
        if repository.is_mirror:
            sort = "a mirror of the remote"
        elif repository.worktree is not None:
            sort = "a checkout"
        else:
            sort = "a bare repository"
        return f"{sort}, branch {repository.branch}"

    def remote_head(self) -> str | None:
        """The id of the branch's head at the remote; None when there is no remote."""
        repository = self._repository
        if repository.remote is None:
            return None
        if repository.is_mirror:
            return repository.fetch().id
        return remote_head(repository.git, repository.remote, repository.branch)

    def find(self, oid: str | None) -> Revision | None:
        """A commit by its id, or the head of the branch here; None when it is not here."""
        repository = self._repository
        here = f"refs/ipam/remote/{repository.branch}" if repository.is_mirror else ""
        names = [
            oid or here or f"refs/heads/{repository.branch}",
            f"refs/heads/{repository.branch}",
        ]
        seen = repository.seen
        revision, seen.local = find_revisions(repository.git, names).revisions
        return revision

    @property
    def repository(self) -> GitRepository:
        """The repository that is looked at."""
        return self._repository

    def check_push(self, revision: Revision) -> None:
        """Refuse a remote, or a repository, that takes no commits."""
        repository = self._repository
        if repository.remote is not None:
            try_push(repository.git, repository.remote, repository.branch, revision)
            _check_writable(Path(repository.remote.removeprefix("file://")))
        else:
            _check_writable(repository.git.git_dir)

    def check_clean(self, folders: Sequence[str], revision: Revision) -> None:
        """Refuse a checkout that has changes which are not committed."""
        self._repository.require_clean(folders, revision)

    def source(self, revision: Revision) -> Source:
        """The files of a revision."""
        return self._repository.source(revision.id)


def _reaching(repository: GitRepository) -> GitRepository:
    """The repository with its remote. A wrong one in its configuration is no wrong usage."""
    if repository.is_mirror:
        return repository
    try:
        return with_remote(repository)
    except UsageError as wrong:
        raise GitError(str(wrong), wrong.hint) from wrong


def _check_writable(folder: Path) -> None:
    """A folder that git would write into without a server; anything else passes."""
    inside = [path for path in (folder, folder / ".git") if (path / "objects").is_dir()]
    if any(not os.access(path / "objects", os.W_OK) for path in inside):
        raise GitError(f"{folder} {_READ_ONLY}", "let this user write into it")
