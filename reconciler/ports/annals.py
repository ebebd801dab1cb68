"""What commands need of a branch's past, a commit after the other."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from reconciler.asking.rows import Row
from reconciler.ports.revision import Revision


class Annals(Protocol):
    """The line of first parents of a branch."""

    def line(self, start: str, paths: Sequence[str]) -> Iterator[Row]:
        """The commits up to one that touched something below some paths, newest first.

        Told only as far as it is asked for.
        """

    def before(self, start: str, seconds: int) -> Revision | None:
        """The newest commit of the line that is not dated later; None where there is none."""

    def is_cut(self) -> bool:
        """Part of the history is not here."""
