"""One file of a commit."""

from typing import NamedTuple


class Change(NamedTuple):
    """One file of a commit: its new bytes, or None when it goes."""

    path: str
    data: bytes | None
