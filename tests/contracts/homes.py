"""Repositories of each type that `ipam` supports, with actions of other people."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.gitio.remotes import open_mirror, with_remote
from reconciler.gitio.repository import Repository, open_repository
from tests.fakes import FakeRepository
from tests.world import CLOCK, commit, git, repository, write

Files = Mapping[str, str]
ENVIRONMENT = {"PATH": os.environ["PATH"]}
FIRST: Files = {"pools/a.yaml": "a: 1\n", "tenants/t/b.yaml": "b: 2\n", "ipam.yaml": "s: 1\n"}

FOLDER = 'infra/ip "ä.m'
AROUND: Files = {
    "pools/a.yaml": "another: 1\n",
    "ipam.yaml": "another: 1\n",
    "infra/ip/pools/a.yaml": "a: 3\n",
}
"""Files outside a root that is a folder."""


class Home(ABC):
    """A repository, and actions of other people."""

    clock: int

    @abstractmethod
    def open(self) -> Repository:
        """Open the repository like a run."""

    @abstractmethod
    def advance(self, files: Files, remove: str = "") -> str:
        """Commit as another person, to the authoritative branch."""

    def leap(self, clock: int, files: Files) -> str:
        """Commit as another person whose clock is wrong."""
        before, self.clock = self.clock, clock - 60
        made = self.advance(files)
        self.clock = before
        return made

    @abstractmethod
    def force(self, rev: str) -> None:
        """Rewrite the branch."""

    @abstractmethod
    def head(self) -> str:
        """Return the head of the authoritative branch."""

    @abstractmethod
    def files(self) -> dict[str, str]:
        """Return all files of the authoritative branch."""


@dataclass
class GitHome(Home):
    """A real repository. Its authoritative branch is in a bare repository, or in the checkout.

    Attributes:
        folder: The root folder in the repository, or empty.
    """

    kind: str
    root: Path
    url: str = ""
    files_at_first: Files = field(default_factory=lambda: FIRST)
    clock: int = CLOCK
    folder: str = ""

    def __post_init__(self) -> None:
        around = AROUND if self.folder else {}
        self.author = repository(self.root / "author", {**self._in(self.files_at_first), **around})
        self.truth = self.author
        if self.kind != "checkout":
            self.truth = self.root / "served" / "remote.git"
            git(self.root, "clone", "-q", "--bare", str(self.author), str(self.truth))
            git(self.truth, "config", "http.receivepack", "true")
            git(self.author, "remote", "add", "origin", str(self.truth))
        if self.kind == "checkout-file":
            git(self.root, "clone", "-q", f"file://{self.truth}", "checkout")

    def open(self) -> Repository:
        root = self.folder or None
        match self.kind:
            case "bare":
                return with_remote(open_repository(self.truth, ENVIRONMENT, None, root))
            case "checkout":
                return with_remote(open_repository(self.author, ENVIRONMENT, None, root))
            case "checkout-file":
                checkout = self.root / "checkout"
                return with_remote(open_repository(checkout, ENVIRONMENT, None, root))
            case "mirror-file":
                url, cache = f"file://{self.truth}", self.root / "cache"
                return open_mirror(url, cache, ENVIRONMENT, None, root)
            case _:
                cache = self.root / "cache"
                return open_mirror(f"{self.url}/remote.git", cache, ENVIRONMENT, None, None)

    def advance(self, files: Files, remove: str = "") -> str:
        self.clock += 60
        if self.truth != self.author:
            git(self.author, "fetch", "-q", "origin", "main")
            git(self.author, "reset", "-q", "--hard", "FETCH_HEAD")
        write(self.author, self._in(files))
        if remove:
            (self.author / self.folder / remove).unlink()
        made = commit(self.author, clock=self.clock)
        if self.truth != self.author:
            git(self.author, "push", "-q", "origin", "main")
        return made

    def force(self, rev: str) -> None:
        if self.truth != self.author:
            git(self.truth, "fetch", "-q", str(self.author), rev)
            git(self.truth, "update-ref", "refs/heads/main", rev)
        else:
            git(self.truth, "reset", "-q", "--hard", rev)

    def head(self) -> str:
        return git(self.truth, "rev-parse", "refs/heads/main")

    def files(self) -> dict[str, str]:
        listed = git(self.truth, "ls-tree", "-r", "-z", "--name-only", "refs/heads/main")
        paths = [path for path in listed.split("\0") if path]
        texts = {path: git(self.truth, "show", f"refs/heads/main:{path}") + "\n" for path in paths}
        around = {path: texts.pop(path) for path in AROUND if path in texts and self.folder}
        assert not self.folder or around == AROUND, "files around the root changed"
        prefix = f"{self.folder}/" if self.folder else ""
        assert all(path.startswith(prefix) for path in texts)
        return {path.removeprefix(prefix): text for path, text in texts.items()}

    def _in(self, files: Files) -> dict[str, str]:
        prefix = f"{self.folder}/" if self.folder else ""
        return {f"{prefix}{path}": text for path, text in files.items()}


@dataclass
class FakeHome(Home):
    """A repository in memory."""

    repository: FakeRepository = field(default_factory=FakeRepository)
    clock: int = CLOCK

    def __post_init__(self) -> None:
        files = {path: text.encode() for path, text in FIRST.items()}
        self.repository.head = self.repository.add("", CLOCK, files)

    def open(self) -> Repository:
        return self.repository

    def advance(self, files: Files, remove: str = "") -> str:
        self.clock += 60
        old = self.repository.commits[self.repository.head][2]
        new = {**old, **{path: text.encode() for path, text in files.items()}}
        new.pop(remove, None)
        self.repository.head = self.repository.add(self.repository.head, self.clock, new)
        return self.repository.head

    def force(self, rev: str) -> None:
        self.repository.head = rev

    def head(self) -> str:
        return self.repository.head

    def files(self) -> dict[str, str]:
        files = self.repository.commits[self.repository.head][2]
        return {path: data.decode() for path, data in files.items()}
