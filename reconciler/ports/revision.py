"""A revision: what all else of Git is about."""

from typing import NamedTuple


class Revision(NamedTuple):
    """A commit: its id and its committer date in seconds since 1970."""

    id: str
    clock: int
