"""Pools and contracts of teams."""

from enum import Enum, StrEnum
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.key import Key

DEFAULT_SPACE = "default"


class Placement(Enum):
    """How a range is selected among the free ranges."""

    BEST_FIT = "best fit: the smallest free range that fits"  # the lowest of equals, from its start
    LOWEST = "the lowest free range that fits"


class Tier(StrEnum):
    """Usage tiers of a pool, ascending."""

    OK = "ok"
    WARNING = "warning"
    CRITICAL = "critical"
    EXHAUSTED = "exhausted"

    @property
    def rank(self) -> int:
        """Return 0 for ok to 3 for exhausted."""
        return list(Tier).index(self)


class Thresholds(Struct, frozen=True):
    """Percent of the usable addresses at which each tier is reached (>=)."""

    warning: int = 70
    critical: int = 85
    exhausted: int = 95

    @property
    def levels(self) -> tuple[int, int, int]:
        """Return all three thresholds, ascending."""
        return self.warning, self.critical, self.exhausted

    def tier(self, used: int, total: int) -> Tier:
        """Return the tier of a pool; a pool without usable addresses is exhausted."""
        tiers = zip(list(Tier)[1:], self.levels, strict=True)
        reached = [tier for tier, level in tiers if 100 * used >= level * total]
        return reached[-1] if reached else Tier.OK


class Pool(Struct, frozen=True):
    """A pool. `usable` is `windows` (as written) without reserved blocks and gateways.

    Attributes:
        windows: Only an automatic allocation can cross the border of two adjacent windows.
        space: Address space. Only pools of one space compete for addresses.
        gate: The lowest tier that `check` refuses, or None for never.
        extent: All addresses of the pool's network, for display.
        is_paused: It allocates nothing, and its records are neither released nor expired.
        kept: Excluded blocks, each with its description.
        subnet: The network that all addresses of the pool are in, if its document names one.
        anycast: Subnet-router anycast addresses (RFC 4291, 2.6.1), which are allocated last.
        blocks: Addresses that prefixes can have: also network, broadcast, and anycast addresses.
        retention: Seconds for which released records stay reserved, unless Settings have more.
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
    subnet: IPRange | None = None
    anycast: IPSet = IPSet()
    blocks: IPSet = IPSet()

    @property
    def allocatable(self) -> IPSet:
        """Return the addresses that a claim or prefix can get."""
        return self.blocks or self.usable


class Contract(NamedTuple):
    """The contract of a team. Empty fields set no limit; `most` is per type in one document."""

    team: str
    namespaces: tuple[str, ...] = ()
    pools: tuple[str, ...] = ()
    most: int | None = None
    folders: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


class Within(Struct, frozen=True):
    """The team whose own permissions cover a change; else empty, with the reasons."""

    team: str
    reasons: tuple[str, ...] = ()
