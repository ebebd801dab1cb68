"""Pools and contracts of teams."""

from enum import Enum, StrEnum
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.key import Key


class Placement(Enum):
    """How one range is picked among the free runs."""

    BEST_FIT = "best-fit"  # the smallest run that fits, the lowest of equals, from its start
    LOWEST = "lowest"  # the numerically lowest run that fits


class Tier(StrEnum):
    """How full a pool is, rising."""

    OK = "ok"
    WARNING = "warning"
    CRITICAL = "critical"
    EXHAUSTED = "exhausted"

    @property
    def rank(self) -> int:
        """0 for ok to 3 for exhausted."""
        return list(Tier).index(self)


class Thresholds(Struct, frozen=True):
    """Percent of the usable addresses at which each tier is reached (>=)."""

    warning: int = 70
    critical: int = 85
    exhausted: int = 95

    @property
    def levels(self) -> tuple[int, int, int]:
        """All three, rising."""
        return self.warning, self.critical, self.exhausted

    def tier(self, used: int, total: int) -> Tier:
        """The tier of a pool; one without usable addresses is exhausted."""
        reached = Tier.OK
        for tier in (Tier.WARNING, Tier.CRITICAL, Tier.EXHAUSTED):
            if 100 * used >= int(getattr(self, tier)) * total:
                reached = tier
        return reached


class Pool(Struct, frozen=True):
    """A pool.

    Attributes:
        usable: What may be given out: its windows without the reserved blocks and gateways.
        windows: The allocatable ranges as written. An automatic claim may cross the border of two
            that touch, a pin may not.
        reserved: Addresses of the network that it never gives out.
        space: Address space. Only pools of one space compete for addresses.
        gate: The lowest tier that `check` refuses, or None for never.
        extent: All addresses of the pool's network, for display.
        is_paused: It gives nothing out, and what it gave is neither released nor free again.
        kept: Blocks that people keep out of it, each with what they say that it is for.
        retention: Seconds for which a released record holds its addresses, where Settings say fewer.
        auto_assign: Claims that name no address may have one, too.
    """

    key: Key
    usable: IPSet
    windows: tuple[IPRange, ...]
    reserved: IPSet
    placement: Placement
    thresholds: Thresholds
    gate: Tier | None
    space: str
    extent: IPSet
    source: Location
    auto_assign: bool = True
    is_paused: bool = False
    retention: int = 0
    kept: tuple[tuple[IPRange, str], ...] = ()


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
