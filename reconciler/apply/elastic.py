"""Values of elastic growth."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.inventory import InventoryObjects
from reconciler.families.demand import DemandEntry
from reconciler.kube.resources import DesiredObject, with_status
from reconciler.model.claim import Allocation
from reconciler.model.objects import Ref
from reconciler.model.plan import CONDITION, REASONS

_NOTHING = IPSet()


class Service(NamedTuple):
    """A Service of type LoadBalancer, with the fields that growth depends on.

    Attributes:
        name: `namespace/name`.
        addresses: Its addresses.
        created: The creation time by the server's clock, in seconds since 1970.
        is_dying: The Service is being deleted.
        is_ours: Its class and annotations permit the pool of `ipam`.
        pinned: The addresses that it requests by value.
        sharing: The key of MetalLB's IP sharing; empty for none.
        backend: Services share an address only if this value is equal.
        ports: Services share an address only if their ports differ.
        needs_ipv6: An IPv4 address is not sufficient.
        problem: Why it cannot be served as it is; empty if it can.
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
        """Return whether it waits for an address of the pool of `ipam`."""
        return self.is_ours and not self.is_dying and not self.addresses


class ElasticPool(NamedTuple):
    """An IPAddressPool of `ipam`, as it is in the cluster.

    Attributes:
        avoids_buggy: It assigns no IPv4 address that ends in 0 or 255.
        assigns: It assigns addresses to Services that do not name it.
    """

    addresses: IPSet
    avoids_buggy: bool = False
    assigns: bool = True


class ObservedCluster(Struct, frozen=True):
    """The observed state of a tenant's cluster.

    Attributes:
        odd: Invalid Services, with the reason.
        now: The server's clock, in seconds since 1970; 0 if unknown.
        unwell: Why new addresses would have no effect now; empty if they would.
    """

    services: tuple[Service, ...]
    pools: tuple[ElasticPool, ...]
    now: int
    odd: tuple[str, ...] = ()
    unwell: str = ""


class GrantedRanges(Struct, frozen=True):
    """The ranges and the demand of an elastic tenant in the tree.

    Attributes:
        entries: The entries of its Demand; None without a Demand.
        records: Its records of load-balancer addresses, in any phase.
        increment: The minimum number of addresses per growth.
        room: The number of addresses left in its quota; None without a quota.
        now: Seconds since 1970, by a clock that the tenant does not control; 0 if there is none.
    """

    entries: tuple[DemandEntry, ...] | None
    records: tuple[Allocation, ...]
    increment: int = 1
    room: int | None = None
    now: int = 0


class StatusMessage(NamedTuple):
    """A message about a tenant: a reason in CamelCase, and a sentence."""

    reason: str
    message: str


class Figures(NamedTuple):
    """The demand for addresses, and how it is covered.

    Attributes:
        pending: Addresses that Services wait for.
        spare: Addresses that the cluster announces and no Service uses.
        in_flight: Allocated addresses that are not announced yet.
        blocked: Needed addresses that cannot be allocated.
    """

    pending: int = 0
    spare: int = 0
    in_flight: int = 0
    blocked: int = 0

    @property
    def need(self) -> int:
        """Return the number of addresses that are not covered."""
        return max(0, self.pending - self.spare - self.in_flight)


class ClusterReading(NamedTuple):
    """The state of a cluster before any write.

    Attributes:
        announced: The addresses of the pools of `ipam`.
        used: The addresses of Services, from any pool.
    """

    announced: IPSet
    used: IPSet


class Use(NamedTuple):
    """The number of addresses of a record that Services use."""

    record: str
    range: IPRange
    used: int


class GrowthOutcome(Struct, frozen=True):
    """The growth that follows from the state of a cluster.

    Attributes:
        entries: The entries that stay or come back, by index.
        back: The entries that come back.
        wish: The number of additional addresses to request; 0 for none.
        needed: The number of those that Services wait for. The others are requested in advance.
        first: The index of the first new entry.
        going: Entries that can be released, in the order of release.
        idle: The start of the idle time of each entry, by `idle_key`.
        names: Some of the waiting Services, for messages.
        why: Why less than the need is requested; empty if all of it is.
        words: Messages for the tenant, except for blocked growth.
        again: Seconds until the result changes without any change in the cluster.
        reading: The observed use; None if an object is invalid.
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
"""Maximum characters of a message. A cluster can contain many names."""


def worded(
    desired: Sequence[DesiredObject],
    live: InventoryObjects,
    words: Mapping[Ref, tuple[StatusMessage, ...]],
    growing: Callable[[], Collection[Ref]],
) -> list[DesiredObject]:
    """Return the objects with messages in their conditions.

    Args:
        desired: The desired objects.
        live: The live objects.
        words: The messages, by object, for observed objects.
        growing: Returns the objects that can still grow; called if an earlier message exists.
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
    # A tenant chose some of the words, so control characters are removed.
    plain = "".join(it if it.isprintable() else "?" for it in text)
    return StatusMessage(words[0].reason, plain[:_MAX_TELLING])


def _kept(status: Mapping[str, Any]) -> StatusMessage | None:
    """Return the message of an earlier run."""
    for it in status.get("conditions") or ():
        if it.get("type") == CONDITION and it.get("reason") in REASONS:
            return StatusMessage(it["reason"], str(it.get("message", "")))
    return None


def _with(condition: Mapping[str, str], told: StatusMessage | None) -> Mapping[str, str]:
    """Return the condition with the message. A condition that is not ready keeps its reason."""
    if told is None or condition["type"] != CONDITION or condition["status"] != "True":
        return condition
    return {**condition, "reason": told.reason, "message": told.message}
