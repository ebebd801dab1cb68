"""The root that is worked on among all of its repository, by paths that count from the top."""

from collections.abc import Generator, Iterator
from typing import Protocol


class Roots(Protocol):
    """What is known of files outside of the root. Any call may raise a `GitError`."""

    @property
    def own(self) -> str:
        """The folder that is the root; empty for the top."""

    def files(self, rev: str) -> Generator[str, None, None]:
        """The files of a revision, wherever they are."""

    def dropped(self, base: str, rev: str) -> Generator[str, None, None]:
        """Files that one revision has, and another has not, but for those of the root.

        Of the top, which all is part of, its own are among them.
        """

    def made(self, revision: str) -> Iterator[tuple[str, str]]:
        """Other roots, each once, with the newest commit that says that reconcile made it there.

        The newest first, as far as a commit contains them. Nothing proves what commits say.
        """
