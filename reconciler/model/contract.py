"""What a team may ask for, which folders are its own, and whether a change stays within that."""

from typing import NamedTuple

from msgspec import Struct


class Contract(NamedTuple):
    """What a team may ask for. What is empty limits nothing.

    Attributes:
        team: Its name.
        namespaces: Those that it may ask in. What a team names is another's for all others.
        pools: The keys of those that it may be given addresses of, as text.
        most: The most addresses of one type that one document may ask for; None without a limit.
        folders: Its own, each with `/` behind it.
        owners: What forges call its people, such as `@acme/payments`.
    """

    team: str
    namespaces: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    most: int | None = None
    folders: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


class Within(Struct, frozen=True):
    """Whether a change stays within what one team may do by itself.

    Attributes:
        team: The team; empty where the change is more than that.
        reasons: Why it is more; none where it is not.
    """

    team: str
    reasons: tuple[str, ...] = ()
