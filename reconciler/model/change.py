"""Changes of files and values that follow from them."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct


class FileChange(NamedTuple):
    """One file of a commit: its new bytes, or None when it goes."""

    path: str
    data: bytes | None


class Observation(Struct, frozen=True):
    """One look at clusters. It is committed with what follows from it, in one commit.

    Attributes:
        at: When, in seconds since 1970: by the management cluster's clock, else by this machine's.
        changes: Files of the observed folder that are made, changed or removed, in canonical bytes.
        seen: What the trailer `Ipam-Observed` names; empty for none.
    """

    at: int
    changes: tuple[FileChange, ...]
    seen: str = ""

    @property
    def removed(self) -> tuple[str, ...]:
        """Paths of the files that go."""
        return tuple(change.path for change in self.changes if change.data is None)


class Proposed(StrEnum):
    """What became of it.

    Attributes:
        NOTHING: There was nothing to do, and nothing there that waits for a merge.
        STANDS: It holds the very same already.
        BROUGHT: It holds now what is to be merged.
        WITHDRAWN: It is removed: nothing is left to be done of what it held.
    """

    NOTHING = "nothing"
    STANDS = "stands"
    BROUGHT = "brought"
    WITHDRAWN = "withdrawn"
