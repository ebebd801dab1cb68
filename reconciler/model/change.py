"""File changes, cluster observations, and proposal results."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct


class FileChange(NamedTuple):
    """One file of a commit: its new bytes, or None if it is deleted."""

    path: str
    data: bytes | None


class Observation(Struct, frozen=True):
    """Changed files of the observed folder at a time. `seen` is `Ipam-Observed`, or empty."""

    at: int
    changes: tuple[FileChange, ...]
    seen: str = ""

    @property
    def removed(self) -> tuple[str, ...]:
        """Return paths of deleted files."""
        return tuple(change.path for change in self.changes if change.data is None)


class Proposed(StrEnum):
    """The result of updating a proposal branch."""

    NONE = "none"  # no changes are needed, and no proposal is open
    UNCHANGED = "unchanged"  # the open proposal already contains the changes
    PUSHED = "pushed"  # it was created or updated
    DELETED = "deleted"  # it was removed, because its changes are no longer needed
