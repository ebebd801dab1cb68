"""Other roots of a repository: what git tells of files and commits outside of the own one."""

import re
from collections.abc import Generator, Iterator
from contextlib import closing

from msgspec import Struct

from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.process import GitProcess

_SAYS = ("--grep=^Ipam-Plan: sha256:", "--no-merges")
# A trailer may be as long as somebody likes.
_FORMAT = "%H %<(1000,trunc)%(trailers:key=Ipam-Plan,valueonly,separator=%x2C)"
_SAID = re.compile(r"([0-9a-f]{40,64}) sha256:[0-9a-f]{64}(?: ([^\n]{1,800}))?", re.ASCII)
# Of roots that are not there any more the newest commits tell; one that rests for longer than so
# many commits of others is not found.
_MOST = "--max-count=20000"


class GitRoots(Struct, frozen=True):
    """What is known of files outside of the root."""

    git: GitProcess

    @property
    def own(self) -> str:
        """The folder that is the root; empty for the top."""
        return self.git.root.path

    def files(self, rev: str) -> Generator[str, None, None]:
        """The files of a revision, wherever they are.

        Raises:
            GitError: Git fails.
            LimitError: There is more than the memory of git holds.
        """
        return self._listed(rev, "ls-tree", "-r", "-z", "--full-tree", "--name-only", rev)

    def dropped(self, base: str, rev: str) -> Generator[str, None, None]:
        """Files that one revision has, and another has not, but for those of the root.

        Raises:
            GitError: Git fails.
            LimitError: There is more than the memory of git holds.
        """
        how = ("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=D", "--name-only")
        with closing(self._listed(rev, *how, base, rev)) as paths:
            yield from (it for it in paths if not self.own or not self.git.root.holds(it))

    def made(self, revision: str) -> Iterator[tuple[str, str]]:
        """Other roots, each once, with the newest commit that says that reconcile made it there.

        Raises:
            GitError: Git fails.
        """
        met = {self.own: None}
        options = (*_SAYS, _MOST, "-z", f"--format={_FORMAT}")
        listing = fields(self.git, Tally("what commits say"), "log", *options, revision, "--")
        with closing(listing) as said:
            for line in said:
                found = _SAID.fullmatch(line.rstrip())
                root = (found[2] or "") if found is not None else self.own
                if found is not None and root not in met:
                    met[root] = None
                    yield root, found[1]

    def _listed(self, rev: str, *command: str) -> Generator[str, None, None]:
        with closing(fields(self.git, Tally(f"all of {rev[:12]}"), *command)) as paths:
            yield from paths
