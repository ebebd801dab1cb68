"""Repositories of every kind that `ipam` works on, each with a way to act as other people do."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reconciler.adapters.git.opening import open_mirror, open_repository, with_remote
from reconciler.ports import Repository
from tests.fakes import FakeRepository
from tests.world import CLOCK, commit, git, repository, write

Files = Mapping[str, str]
ENVIRONMENT = {"PATH": os.environ["PATH"]}
FIRST: Files = {"pools/a.yaml": "a: 1\n", "tenants/t/b.yaml": "b: 2\n", "ipam.yaml": "s: 1\n"}


class Home(ABC):
    """A repository, and what happens to it behind its back."""

    clock: int

    @abstractmethod
    def open(self) -> Repository:
        """The repository, as a run opens it."""

    @abstractmethod
    def advance(self, files: Files, remove: str = "") -> str:
        """Commit as another person does, where the truth is."""

    def leap(self, clock: int, files: Files) -> str:
        """Commit as another person does whose machine's clock is wrong."""
        before, self.clock = self.clock, clock - 60
        made = self.advance(files)
        self.clock = before
        return made

    @abstractmethod
    def force(self, rev: str) -> None:
        """Move the branch as nobody should."""

    @abstractmethod
    def head(self) -> str:
        """Where the branch is, in truth."""

    @abstractmethod
    def files(self) -> dict[str, str]:
        """All files of the branch, in truth."""


@dataclass
class GitHome(Home):
    """A real one. Its truth is a bare repository, or the checkout itself."""

    kind: str
    root: Path
    url: str = ""
    files_at_first: Files = field(default_factory=lambda: FIRST)
    clock: int = CLOCK

    def __post_init__(self) -> None:
        self.author = repository(self.root / "author", self.files_at_first)
        self.truth = self.author
        if self.kind != "checkout":
            self.truth = self.root / "served" / "remote.git"
            git(self.root, "clone", "-q", "--bare", str(self.author), str(self.truth))
            git(self.truth, "config", "http.receivepack", "true")
            git(self.author, "remote", "add", "origin", str(self.truth))
        if self.kind == "checkout-file":
            git(self.root, "clone", "-q", f"file://{self.truth}", "checkout")

    def open(self) -> Repository:
        match self.kind:
            case "bare":
                return with_remote(open_repository(self.truth, ENVIRONMENT))
            case "checkout":
                return with_remote(open_repository(self.author, ENVIRONMENT))
            case "checkout-file":
                return with_remote(open_repository(self.root / "checkout", ENVIRONMENT))
            case "mirror-file":
                return open_mirror(f"file://{self.truth}", self.root / "cache", ENVIRONMENT)
            case _:
                return open_mirror(f"{self.url}/remote.git", self.root / "cache", ENVIRONMENT)

    def advance(self, files: Files, remove: str = "") -> str:
        self.clock += 60
        if self.truth != self.author:
            git(self.author, "fetch", "-q", "origin", "main")
            git(self.author, "reset", "-q", "--hard", "FETCH_HEAD")
        write(self.author, files)
        if remove:
            (self.author / remove).unlink()
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
        paths = git(self.truth, "ls-tree", "-r", "--name-only", "refs/heads/main").splitlines()
        return {path: git(self.truth, "show", f"refs/heads/main:{path}") + "\n" for path in paths}


@dataclass
class FakeHome(Home):
    """The one in memory."""

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
