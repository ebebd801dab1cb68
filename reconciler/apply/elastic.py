"""Values of elastic growth: Services and pools of a cluster, and messages to tenants."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply.inventory import NAME, InventoryEntry, data_of
from reconciler.apply.snapshot import SERVICES, LiveObjects, Query, Snapshot
from reconciler.apply.steps import is_ours
from reconciler.documents.findings import shown
from reconciler.families.demand import DemandEntry
from reconciler.kube.resources import DesiredObject, with_status
from reconciler.loadbalancers.interface import Controller, LivePool, ServiceRequest
from reconciler.loadbalancers.ranges import describe, ranges_of
from reconciler.model.applied import Use
from reconciler.model.claim import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.objects import Manifest, Ref
from reconciler.model.plan import CONDITION, REASONS
from reconciler.model.settings import POOL_NAME

_TYPE = "LoadBalancer"
_MAX_PINNED = 2


class Service(NamedTuple):
    """A Service of type LoadBalancer: `namespace/name`, and the fields that growth depends on."""

    name: str
    uid: str
    addresses: IPSet
    asked: ServiceRequest
    created: int = 0
    is_dying: bool = False
    is_ours: bool = True
    pinned: IPSet = IPSet()
    # Services share an address if `sharing` and `backend` are equal and their `ports` differ.
    sharing: str = ""
    backend: str = ""
    ports: frozenset[str] = frozenset()
    versions: tuple[int, ...] = ()  # IP versions that it needs; none: either
    problem: str = ""
    takers: tuple[str, ...] = ()  # pools of entries that can serve it, in the controller's order


def read_services(
    items: Iterable[Any], balancer: Controller, lb_class: str = "", pools: Collection[str] = ()
) -> tuple[tuple[Service, ...], tuple[str, ...]]:
    """Return the Services of type LoadBalancer, and invalid ones with the reason."""
    found: list[Service] = []
    odd: list[str] = []
    for item in items:
        try:
            service = _service(item, lb_class, pools or (POOL_NAME,), balancer)
        except ValueError as wrong:
            metadata = item["metadata"]
            title = shown(f"{metadata.get('namespace')}/{metadata.get('name')}")
            odd.append(f"Service {title}: {wrong}")
        else:
            found += [service] if service is not None else []
    return tuple(found), tuple(odd)


def _service(
    item: Manifest, lb_class: str, pools: Collection[str], balancer: Controller
) -> Service | None:
    spec = item.get("spec") or {}
    shown_by = (item.get("status") or {}).get("loadBalancer") or {}
    texts = [text for entry in shown_by.get("ingress") or () if (text := entry.get("ip"))]
    is_balancer = spec.get("type") == _TYPE
    if not is_balancer and not texts:
        return None
    metadata = item["metadata"]
    annotations = metadata.get("annotations") or {}
    created = parse_instant(metadata.get("creationTimestamp") or "")
    if created is None:
        raise ValueError("metadata.creationTimestamp is not a valid time")
    pinned, problem = _pinned(spec, _first(annotations, balancer.pins))
    is_class = (spec.get("loadBalancerClass") or "") == lb_class
    sharing = _first(annotations, balancer.sharing)
    is_local = bool(sharing) and spec.get("externalTrafficPolicy") == "Local"
    ports = (f"{it.get('protocol') or 'TCP'}/{it.get('port')}" for it in spec.get("ports") or ())
    named, labels = _first(annotations, balancer.names), metadata.get("labels") or {}
    return Service(
        name=f"{metadata['namespace']}/{metadata['name']}",
        uid=metadata["uid"],
        addresses=ranges_of(f"{text}-{text}" for text in texts),
        asked=ServiceRequest(metadata["namespace"], metadata["name"], labels, named, pinned),
        created=created,
        is_dying=bool(metadata.get("deletionTimestamp")),
        is_ours=is_balancer and is_class and named in ("", *pools),
        pinned=pinned,
        sharing=sharing,
        backend=repr(sorted((spec.get("selector") or {}).items())) if is_local else "",
        ports=frozenset(ports) if sharing else frozenset(),
        versions=_versions(spec),
        problem=problem,
    )


def _first(annotations: Mapping[str, str], names: Iterable[str]) -> str:
    return next((text for it in names if (text := annotations.get(it))), "")


def _pinned(spec: Manifest, listed: str) -> tuple[IPSet, str]:
    pinned = spec.get("loadBalancerIP") or ""
    if pinned and listed:
        return IPSet(), "it asks for addresses both in spec.loadBalancerIP and in an annotation"
    texts = [text.strip() for text in (pinned or listed).split(",")]
    if len(texts) > _MAX_PINNED:
        return IPSet(), f"it asks for more than {_MAX_PINNED} addresses"
    try:
        return ranges_of(f"{text}-{text}" for text in texts if text), ""
    except ValueError:
        return IPSet(), f"it asks for {shown(pinned or listed)}, which is not an address"


def _versions(spec: Manifest) -> tuple[int, ...]:
    policy, listed = spec.get("ipFamilyPolicy"), spec.get("ipFamilies") or ["IPv4"]
    if policy == "RequireDualStack":
        return (4, 6)
    # A Service that prefers two versions gets an address of either version.
    if policy == "PreferDualStack" and listed != ["IPv6"]:
        return ()
    return tuple(version for version in (4, 6) if f"IPv{version}" in listed)


def addresses_of(holders: Iterable[LivePool | Service]) -> IPSet:
    """Return all addresses of pools, or of Services."""
    return IPSet.of(item for holder in holders for item in holder.addresses)


def spare(pools: Iterable[LivePool], ours: IPSet, used: IPSet) -> int:
    """Return the number of addresses of the tenant (`ours`) that are announced and free."""
    found = 0
    for pool in pools:
        free = (pool.addresses & ours) - used
        found += (free.size - (_buggy(free) if pool.avoids_buggy else 0)) if pool.assigns else 0
    return found


def _buggy(addresses: IPSet) -> int:
    return sum(
        (item.last - last) // 256 - (item.first - 1 - last) // 256
        for item in addresses
        for last in (0, 255)
        if item.version == 4
    )


class ObservedCluster(Struct, frozen=True):
    """The observed state of a tenant's cluster: `odd` Services, and why new addresses would not help."""

    services: tuple[Service, ...]
    pools: tuple[LivePool, ...]
    now: int
    odd: tuple[str, ...] = ()
    unwell: str = ""


def of_entry(
    shown: ObservedCluster, pool: str, version: int, growing: Mapping[str, set[int]]
) -> ObservedCluster:
    """Return what matters for an entry and IP version. `growing` are IP versions by pool.

    A Service counts for the first pool of its controller's order that can grow and serve it.
    """

    def seen(it: Service) -> Service:
        able = [name for name in it.takers if name in growing]
        fit = [name for name in able if growing[name].issuperset(it.versions)]
        if not it.is_ours or next(iter((*fit, *able)), None) != pool:
            return it._replace(is_ours=False)
        wanted, why = it.versions if fit else (), it.problem
        if not fit:
            lacks = next(other for other in it.versions if other not in growing[pool])
            why = f"it needs an IPv{lacks} address, and pool {pool} has none"
        is_ours, pinned = (
            version in (wanted or (min(growing[pool]),)),
            it.pinned.of_version(version),
        )
        return it._replace(is_ours=is_ours, versions=(), pinned=pinned, problem=why)

    pools = (
        it._replace(addresses=it.addresses.of_version(version), assigns=True)
        for it in shown.pools
        if it.name == pool
    )
    services = tuple(seen(it) for it in shown.services)
    return replace(shown, services=services, pools=tuple(pools))


SILENT = 30
"""Seconds after a pool's change until its controller has read it, or is not running."""


def unwell(  # noqa: PLR0913 - one argument for each input
    balancer: Controller,
    pools: Iterable[Manifest],
    states: Iterable[Manifest],
    lacks: IPSet,
    now: int,
    *,
    has_entries: bool = False,
) -> str:
    """Return why new addresses, and applied ones that pools lack, would not reach a Service.

    In a cluster with entries, its pools say which Services they take.
    """
    every, reported = list(pools), list(states)
    if error := balancer.state_error(reported):
        return error
    if lacks:
        return f"the {balancer.pool.kind} lacks {describe(lacks)}, which was removed outside ipam"
    changes = filter(None, map(balancer.changed, () if has_entries else every))
    return next(changes, "") or silence(balancer, every, reported, now)


def silence(
    balancer: Controller, pools: Iterable[Manifest], states: Iterable[Manifest], now: int
) -> str:
    """Return an error if the controller has not read a changed pool in time; else empty."""
    read = balancer.read_at(states)
    if read is None:
        return ""  # the controller, or an older version of it, does not report it
    heard = parse_instant(read)
    for pool in pools:
        for entry in pool["metadata"].get("managedFields") or ():
            written = parse_instant(entry.get("time", ""))
            is_spec = "f:spec" in (entry.get("fieldsV1") or {})
            if written is None or not is_spec or entry.get("subresource"):
                continue
            if now - written > SILENT and (heard is None or heard < written):
                kind = balancer.pool.kind
                return f"{balancer.name}'s controller has not read the {kind} since it was changed"
    return ""


class GrantedRanges(Struct, frozen=True):
    """The ranges of an elastic tenant, its minimum growth, and the room in its quota (None: no quota).

    `most` is the maximum size of an entry of a cluster.
    """

    entries: tuple[DemandEntry, ...] | None
    records: tuple[Allocation, ...]
    increment: int = 1
    room: int | None = None
    now: int = 0
    most: int | None = None


class StatusMessage(NamedTuple):
    """A message about a tenant: a reason in CamelCase, and a sentence."""

    reason: str
    message: str


class Figures(NamedTuple):
    """Addresses that Services wait for, that are free, that are not announced yet, and that are refused."""

    pending: int = 0
    spare: int = 0
    in_flight: int = 0
    blocked: int = 0

    @property
    def need(self) -> int:
        """Return the number of addresses that are not covered."""
        return max(0, self.pending - self.spare - self.in_flight)


def total(every: Sequence[Figures]) -> Figures:
    """Return the figures of a cluster. Spare addresses of one entry serve no Service of another."""
    if len(every) == 1:
        return every[0]
    found = (it._replace(spare=min(it.spare, it.pending)) for it in every)
    met = [it._replace(in_flight=min(it.in_flight, it.pending - it.spare)) for it in found]
    return Figures(*map(sum, zip(*met, strict=True)))


class ClusterReading(NamedTuple):
    """The state of a cluster before any write."""

    announced: IPSet
    used: IPSet


class GrowthOutcome(Struct, frozen=True):
    """The growth that follows from the state of a cluster."""

    entries: tuple[DemandEntry, ...]
    figures: Figures
    first: int
    back: tuple[DemandEntry, ...] = ()
    request: int = 0
    needed: int = 0  # addresses of the request that Services wait for
    going: tuple[DemandEntry, ...] = ()
    idle: Mapping[str, int] = field(default_factory=dict)
    names: str = ""
    why: str = ""
    words: tuple[StatusMessage, ...] = ()
    again: float | None = None  # seconds until the result changes, with the cluster unchanged


KEY = "idle"
"""The key of idle times in the first ConfigMap of the inventory."""

_IDLE = re.compile(r"(\S+) ([0-9]{1,15})", re.ASCII)


def remembered(config_maps: Iterable[Manifest]) -> str | None:
    """Return the idle times in an inventory as text; None without an inventory."""
    first = data_of(config_maps).get(NAME)
    return None if first is None else first.get(KEY, "")


def write_idle(idle: Mapping[str, int]) -> str:
    """Format the start of idle times, in seconds since 1970 by address, as lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """Parse the lines of `write_idle`. Invalid lines are skipped, because tenants can edit them."""
    found = map(_IDLE.fullmatch, text.splitlines())
    return {it[1]: int(it[2]) for it in found if it is not None}


def reading_for(
    snapshot: Snapshot, entries: Mapping[str, InventoryEntry], balancer: Controller, home: str
) -> ClusterReading | None:
    """Return the use that a plan read; None if it read no Services, or an object is invalid."""
    services = snapshot.answers.get(SERVICES)
    pools = snapshot.answers.get(Query(balancer.pool, home))
    if services is None or pools is None:
        return None
    found, odd = read_services((it.manifest for it in services.objects.values()), balancer)
    ours = [it for ref, it in pools.objects.items() if is_ours(it, entries.get(str(ref)))]
    try:
        addresses = IPSet.of(item for live in ours for item in balancer.addresses(live.manifest))
    except ValueError:
        return None
    return None if odd else ClusterReading(addresses, addresses_of(found))


def uses(records: Iterable[Allocation], reading: ClusterReading) -> tuple[Use, ...]:
    """Return the used addresses of each record that is announced or used, by name."""
    found = []
    for record in records:
        if (item := record.range) is None:
            continue
        # Range ends are compared, because a cluster can have many Services and records.
        runs = reading.used.overlapping(item)
        used = sum(min(it.last, item.last) - max(it.first, item.first) + 1 for it in runs)
        if used or reading.announced.covers(item):
            found.append(Use(record.name, item, used))
    return tuple(sorted(found))


_MAX_MESSAGE = 1_024
"""Maximum characters of a message. A cluster can contain many names."""


def worded(
    desired: Sequence[DesiredObject],
    live: LiveObjects,
    words: Mapping[Ref, tuple[StatusMessage, ...]],
    growing: Collection[Ref],
) -> list[DesiredObject]:
    """Return the objects with messages; unobserved ones keep theirs if they can still grow."""
    found: list[DesiredObject] = []
    for item in desired:
        message = None
        if item.ref in words:
            message = _joined(words[item.ref])
        elif item.ref in live and item.ref in growing:
            message = _earlier(live[item.ref].status)
        if message is not None:
            conditions = [_with(it, message) for it in (item.status or {}).get("conditions") or ()]
            item = with_status(item, {"conditions": conditions})
        found.append(item)
    return found


def _joined(words: tuple[StatusMessage, ...]) -> StatusMessage | None:
    if not words:
        return None
    text = "; ".join(word.message for word in words)
    # A tenant chose some of the words, so control characters are removed.
    plain = "".join(it if it.isprintable() else "?" for it in text)
    return StatusMessage(words[0].reason, plain[:_MAX_MESSAGE])


def _earlier(status: Mapping[str, Any]) -> StatusMessage | None:
    for it in status.get("conditions") or ():
        if it.get("type") == CONDITION and it.get("reason") in REASONS:
            return StatusMessage(it["reason"], str(it.get("message", "")))
    return None


def _with(condition: Mapping[str, str], message: StatusMessage) -> Mapping[str, str]:
    if condition["type"] != CONDITION or condition["status"] != "True":
        return condition
    return {**condition, "reason": message.reason, "message": message.message}
