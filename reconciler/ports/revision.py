"""A revision: what all else of Git is about."""

from msgspec import Struct


class Revision(Struct, frozen=True):
    """A commit: its id and its committer date in seconds since 1970."""

    id: str
    clock: int
