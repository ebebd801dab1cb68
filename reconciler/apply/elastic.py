"""Values of elastic growth."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.apply.inventory import InventoryObjects
from reconciler.families.demand import DemandEntry
from reconciler.kube.resources import DesiredObject, with_status
from reconciler.model.claim import Allocation
from reconciler.model.objects import Ref
from reconciler.model.plan import CONDITION, REASONS

_NOTHING = IPSet()


class Service(NamedTuple):
    """A Service of type LoadBalancer, as far as it bears on growth.

    Attributes:
        name: `namespace/name`.
        addresses: Those that it has.
        created: By the server's clock, in seconds since 1970.
        is_dying: Somebody deleted it.
        is_ours: Its class and its annotations leave it to the pool that we keep.
        pinned: The addresses that it asks for by name.
        sharing: The key of those that it may share an address with; empty for nobody.
        backend: Only those share that have the same.
        ports: Those share that have others.
        needs_ipv6: An IPv4 address alone does not do.
        problem: Why nobody can serve it as it is; empty when somebody can.
    """

    name: str
    uid: str
    addresses: IPSet = _NOTHING
    created: int = 0
    is_dying: bool = False
    is_ours: bool = True
    pinned: IPSet = _NOTHING
    sharing: str = ""
    backend: str = ""
    ports: frozenset[str] = frozenset()
    needs_ipv6: bool = False
    problem: str = ""

    @property
    def waits(self) -> bool:
        """It asks the pool that we keep for an address, and has none."""
        return self.is_ours and not self.is_dying and not self.addresses


class ElasticPool(NamedTuple):
    """An IPAddressPool of ours, as it is in the cluster.

    Attributes:
        avoids_buggy: It gives no IPv4 address that ends in 0 or 255.
        assigns: It gives addresses to those who do not name it.
    """

    addresses: IPSet
    avoids_buggy: bool = False
    assigns: bool = True


class ObservedCluster(Struct, frozen=True):
    """What the cluster of a tenant shows.

    Attributes:
        odd: Services that cannot be read, and why.
        now: By the server's clock, in seconds since 1970; 0 when it tells no time.
        unwell: Why an address that is granted would not help now; empty when it would.
    """

    services: tuple[Service, ...]
    pools: tuple[ElasticPool, ...]
    now: int
    odd: tuple[str, ...] = ()
    unwell: str = ""


class GrantedRanges(Struct, frozen=True):
    """What the tree says of a tenant that may grow.

    Attributes:
        entries: What its cluster asked for before; None where nobody ever wrote that down.
        records: Of its load-balancer addresses, in any phase.
        increment: How many addresses it grows by at least.
        room: How many more its quota lets it hold; None without one.
        now: Seconds since 1970 by a clock that is not the tenant's; 0 when there is none.
    """

    entries: tuple[DemandEntry, ...] | None
    records: tuple[Allocation, ...]
    increment: int = 1
    room: int | None = None
    now: int = 0


class StatusMessage(NamedTuple):
    """Something that is told of a tenant: a reason in CamelCase, and a sentence for people."""

    reason: str
    message: str


class Figures(NamedTuple):
    """How many addresses are asked for, and where they come from.

    Attributes:
        pending: Addresses that Services wait for.
        spare: Addresses that the cluster announces and no Service uses.
        in_flight: Addresses that are granted, and not announced yet.
        blocked: Addresses that are needed and cannot be had.
    """

    pending: int = 0
    spare: int = 0
    in_flight: int = 0
    blocked: int = 0

    @property
    def need(self) -> int:
        """How many more are needed."""
        return max(0, self.pending - self.spare - self.in_flight)


class ClusterReading(NamedTuple):
    """What was read of a cluster, before anything was written there.

    Attributes:
        announced: The addresses of our pools.
        used: Those that Services have, of whatever pool.
    """

    announced: IPSet
    used: IPSet


class Use(NamedTuple):
    """How many of a record's addresses Services use."""

    record: str
    range: IPRange
    used: int


class GrowthOutcome(Struct, frozen=True):
    """What follows from what a cluster shows.

    Attributes:
        entries: Those that stay, by index; with those that come back.
        back: Those of them that come back.
        wish: How many addresses to ask for besides; 0 for none.
        needed: How many of them are waited for. The others are asked for in advance.
        first: The index of the first new entry.
        going: Entries that may be given back, in the order in which they go.
        idle: Since when the addresses of an entry are idle, by `idle_key`.
        names: Some of the Services that wait, for people.
        why: Why not all is asked for that is needed; empty when it is.
        words: What is told of the tenant, but for growth that is blocked.
        again: After so many seconds something else follows, whether or not anything changes.
        reading: What the cluster showed of its use; None where something there cannot be read.
    """

    entries: tuple[DemandEntry, ...]
    figures: Figures
    first: int
    back: tuple[DemandEntry, ...] = ()
    wish: int = 0
    needed: int = 0
    going: tuple[DemandEntry, ...] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    names: str = ""
    why: str = ""
    words: tuple[StatusMessage, ...] = ()
    again: float | None = None
    reading: ClusterReading | None = None


_MAX_TELLING = 1_024
"""Characters of a message: those of others are as long, and a cluster may hold many names."""


def worded(
    desired: Sequence[DesiredObject],
    live: InventoryObjects,
    words: Mapping[Ref, tuple[StatusMessage, ...]],
    growing: Callable[[], Collection[Ref]],
) -> list[DesiredObject]:
    """Objects with what is told of them in their condition.

    Args:
        desired: What the objects shall be.
        live: What they are.
        words: What was seen, by object; nothing of an object that was not looked at.
        growing: Tells the objects that may grow still; asked where something was told before.
    """
    found: list[DesiredObject] = []
    for item in desired:
        before = live[item.ref].status if item.ref in live else {}
        told = _describe(words[item.ref]) if item.ref in words else _kept(before)
        if told is not None and item.ref not in words and item.ref not in growing():
            told = None
        status = item.status or {}
        conditions = [_with(it, told) for it in status.get("conditions") or ()]
        found.append(with_status(item, {"conditions": conditions}) if told else item)
    return found


def _describe(words: tuple[StatusMessage, ...]) -> StatusMessage | None:
    if not words:
        return None
    text = "; ".join(word.message for word in words)
    # A tenant chose some of the words: nothing of them may move a cursor.
    plain = "".join(it if it.isprintable() else "?" for it in text)
    return StatusMessage(words[0].reason, plain[:_MAX_TELLING])


def _kept(status: Mapping[str, Any]) -> StatusMessage | None:
    """What a run told before."""
    for it in status.get("conditions") or ():
        if it.get("type") == CONDITION and it.get("reason") in REASONS:
            return StatusMessage(it["reason"], str(it.get("message", "")))
    return None


def _with(condition: Mapping[str, str], told: StatusMessage | None) -> Mapping[str, str]:
    """The condition with what is told; one that says that nothing is ready says so still."""
    if told is None or condition["type"] != CONDITION or condition["status"] != "True":
        return condition
    return {**condition, "reason": told.reason, "message": told.message}
