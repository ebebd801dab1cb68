"""Services and MetalLB pools of a cluster."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.decision import is_ours
from reconciler.apply.elastic import ClusterReading, ElasticPool, ObservedCluster, Service, Use
from reconciler.apply.inventory import InventoryEntry, Live, Query, Snapshot, data_of
from reconciler.apply.memory import NAME
from reconciler.apply.metallb import (
    NAMESPACE,
    controller_time,
    describe,
    pool_addresses,
    ranges_of,
    state_error,
)
from reconciler.apply.plan_tenant import SERVICES
from reconciler.documents.findings import shown
from reconciler.kube.resources import ADDRESS_POOL, PINNED, POOL, PREFIXES, SHARED
from reconciler.model.claim import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.objects import Manifest
from reconciler.model.settings import METALLB_POOL

_MAX_PINNED = 2
_TYPE = "LoadBalancer"


def read_services(
    items: Iterable[Any], lb_class: str = "", pools: Collection[str] = ()
) -> tuple[tuple[Service, ...], tuple[str, ...]]:
    """Return the Services of type LoadBalancer, and invalid ones with the reason.

    Args:
        items: All Services of a cluster, not validated.
        lb_class: The class that MetalLB serves there; empty for Services without one.
        pools: Names of the pools of `ipam` there; empty for the default name.
    """
    found: list[Service] = []
    odd: list[str] = []
    for item in items:
        try:
            service = _service(item, lb_class, pools or (METALLB_POOL,))
        except ValueError as wrong:
            odd.append(f"Service {_title(item)}: {wrong}")
        else:
            found += [service] if service is not None else []
    return tuple(found), tuple(odd)


def _title(item: Any) -> str:
    metadata = item.get("metadata") if isinstance(item, dict) else None
    named = metadata if isinstance(metadata, dict) else {}
    return shown(f"{named.get('namespace')}/{named.get('name')}")


def _service(item: Any, lb_class: str, pools: Collection[str]) -> Service | None:
    spec = _mapping(_mapping(item, "it").get("spec"), "spec")
    held = _held(_mapping(item.get("status"), "status"))
    if spec.get("type") != _TYPE and not held:
        return None
    metadata = _mapping(item.get("metadata"), "metadata")
    annotations = _mapping(metadata.get("annotations"), "metadata.annotations")
    created = parse_instant(_text(metadata, "creationTimestamp"))
    if created is None:
        raise ValueError("metadata.creationTimestamp is no time")
    pinned, problem = _pinned(spec, annotations)
    pool = _annotation(annotations, POOL)
    is_ours = spec.get("type") == _TYPE and pool in ("", *pools)
    sharing = _annotation(annotations, SHARED)
    return Service(
        name=f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}",
        uid=_text(metadata, "uid"),
        addresses=held,
        created=created,
        is_dying=bool(metadata.get("deletionTimestamp")),
        is_ours=is_ours and _text(spec, "loadBalancerClass") == lb_class,
        pinned=pinned,
        sharing=sharing,
        backend=_backend(spec) if sharing else "",
        ports=_ports(spec) if sharing else frozenset(),
        needs_ipv6=_needs_ipv6(spec),
        problem=problem,
    )


def _mapping(value: Any, what: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no mapping")
    return value


def _text(part: Mapping[str, Any], name: str) -> str:
    value = part.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} is no text")
    return value


def _listed(part: Mapping[str, Any], name: str) -> list[Any]:
    value = part.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")
    return value


def _held(status: Mapping[str, Any]) -> IPSet:
    balancer = _mapping(status.get("loadBalancer"), "status.loadBalancer")
    entries = [_mapping(it, "an ingress") for it in _listed(balancer, "ingress")]
    texts = [text for entry in entries if (text := _text(entry, "ip"))]
    return ranges_of(f"{text}-{text}" for text in texts)


def _annotation(annotations: Mapping[str, Any], name: str) -> str:
    return next((text for it in PREFIXES if (text := _text(annotations, f"{it}{name}"))), "")


def _pinned(spec: Mapping[str, Any], annotations: Mapping[str, Any]) -> tuple[IPSet, str]:
    """Return the addresses that a Service requests, and why they cannot be assigned."""
    field, listed = _text(spec, "loadBalancerIP"), _annotation(annotations, PINNED)
    if field and listed:
        return IPSet(), "it asks for addresses by spec.loadBalancerIP and by an annotation, too"
    texts = [text.strip() for text in (field or listed).split(",", _MAX_PINNED)]
    if len(texts) > _MAX_PINNED:
        return IPSet(), f"it asks for more than {_MAX_PINNED} addresses"
    try:
        return ranges_of(f"{text}-{text}" for text in texts if text), ""
    except ValueError:
        return IPSet(), f"it asks for {shown(field or listed)}, which is no address"


def _needs_ipv6(spec: Mapping[str, Any]) -> bool:
    """Return whether a Service requires both IP versions, or IPv6 only."""
    policy = _text(spec, "ipFamilyPolicy")
    if policy == "RequireDualStack":
        return True
    versions = _listed(spec, "ipFamilies")
    # MetalLB assigns an address of either version to a Service that prefers two versions.
    return versions == ["IPv6"] or (policy != "PreferDualStack" and len(versions) > 1)


def _backend(spec: Mapping[str, Any]) -> str:
    """Return the value that must be equal to share an address: the Pods, for local traffic."""
    if _text(spec, "externalTrafficPolicy") != "Local":
        return ""
    return repr(sorted(_mapping(spec.get("selector"), "selector").items()))


def _ports(spec: Mapping[str, Any]) -> frozenset[str]:
    found = []
    for item in _listed(spec, "ports"):
        entry = _mapping(item, "a port")
        if not isinstance(entry.get("port"), int):
            raise ValueError("a port is no number")
        found.append(f"{_text(entry, 'protocol') or 'TCP'}/{entry['port']}")
    return frozenset(found)


SILENT = 30
"""Seconds after a pool's change until MetalLB's controller has read it, or is not running."""

_NOTHING = IPSet()


def read_pool(manifest: Manifest) -> ElasticPool:
    """Return an IPAddressPool.

    Raises:
        ValueError: An address is invalid.
    """
    spec: Mapping[str, Any] = manifest.get("spec") or {}
    return ElasticPool(
        pool_addresses(manifest),
        avoids_buggy=spec.get("avoidBuggyIPs") is True,
        assigns=spec.get("autoAssign") is not False,
    )


def announced(pools: Iterable[ElasticPool]) -> IPSet:
    """Return all addresses of some pools."""
    return IPSet.of(item for pool in pools for item in pool.addresses)


def spare(pools: Iterable[ElasticPool], ours: IPSet, used: IPSet) -> int:
    """Return the number of addresses that a Service without a request could still get.

    Args:
        pools: The pools that the cluster announces.
        ours: The addresses of the tenant. Other announced addresses do not count.
        used: The addresses of Services.
    """
    found = 0
    for pool in pools:
        free = (pool.addresses & ours) - used
        found += (free.size - (_buggy(free) if pool.avoids_buggy else 0)) if pool.assigns else 0
    return found


def _buggy(addresses: IPSet) -> int:
    """Return the number of IPv4 addresses of a set that end in 0 or 255."""
    return sum(_ends(item, 0) + _ends(item, 255) for item in addresses if item.version == 4)


def _ends(item: IPRange, last: int) -> int:
    """Return the number of addresses of a range that end in a byte."""
    return (item.last - last) // 256 - (item.first - 1 - last) // 256


def unwell(pools: Iterable[Manifest], states: Iterable[Manifest], lacks: IPSet, now: int) -> str:
    """Return why new addresses would not reach a Service; empty if they would.

    Args:
        pools: The IPAddressPools of `ipam`.
        states: MetalLB's ConfigurationStates; empty for versions without them.
        lacks: Applied addresses that are missing in the pools.
        now: The server's clock.
    """
    every, told_by = list(pools), list(states)
    if error := state_error(told_by):
        return error
    if lacks:
        return f"its IPAddressPool lacks {describe(lacks)}, which was applied: somebody changed it"
    for pool in every:
        spec: Mapping[str, Any] = pool.get("spec") or {}
        name = pool["metadata"]["name"]
        if spec.get("serviceAllocation"):
            return f"somebody set spec.serviceAllocation of IPAddressPool {name}: it is not for all"
        if spec.get("autoAssign") is False:
            return f"somebody set spec.autoAssign of IPAddressPool {name} to false"
    return silence(every, told_by, now)


def silence(pools: Iterable[Manifest], states: Iterable[Manifest], now: int) -> str:
    """Return an error if MetalLB's controller has not read a changed pool in time; else empty."""
    read = controller_time(states)
    if read is None:
        return ""  # older versions of MetalLB do not report it
    heard = parse_instant(read)
    for pool in pools:
        for entry in pool["metadata"].get("managedFields") or ():
            written = parse_instant(entry.get("time", ""))
            is_spec = "f:spec" in (entry.get("fieldsV1") or {})
            if written is None or not is_spec or entry.get("subresource"):
                continue
            if now - written > SILENT and (heard is None or heard < written):
                return "MetalLB's controller has not read the IPAddressPool since it was changed"
    return ""


KEY = "idle"
"""The key in the first ConfigMap of the inventory."""

_MAX_LINES = 2_000
_MAX_DIGITS = 15


def remembered(config_maps: Iterable[Manifest]) -> str | None:
    """Return the text in an inventory; None without an inventory."""
    first = data_of(config_maps).get(NAME)
    return None if first is None else first.get(KEY, "")


def write_idle(idle: Mapping[str, int]) -> str:
    """Format the start of idle times, in seconds since 1970 by address, as lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """Parse the lines of `write_idle`. Invalid lines are skipped, because tenants can edit them."""
    found: dict[str, int] = {}
    for line in text.splitlines()[:_MAX_LINES]:
        key, _, since = line.partition(" ")
        if since.isascii() and since.isdecimal() and len(since) <= _MAX_DIGITS:
            found[key] = int(since)
    return found


_POOLS = Query(ADDRESS_POOL, NAMESPACE)


def used_by(services: Iterable[Service]) -> IPSet:
    """Return the addresses of Services."""
    return IPSet.of(item for service in services for item in service.addresses)


def reading_of(shown: ObservedCluster) -> ClusterReading | None:
    """Return the observed use; None if a Service is invalid, because its use is unknown."""
    return None if shown.odd else ClusterReading(announced(shown.pools), used_by(shown.services))


def reading_for(snapshot: Snapshot, entries: Mapping[str, InventoryEntry]) -> ClusterReading | None:
    """Return the use that a plan read; None if it read no Services, or some are invalid.

    Args:
        snapshot: The answers of the cluster.
        entries: The entries of the inventory.
    """
    services, pools = snapshot.answers.get(SERVICES), snapshot.answers.get(_POOLS)
    if services is None or pools is None:
        return None
    found, odd = read_services(live.manifest for live in services.objects.values())
    ours = [it for ref, it in pools.objects.items() if is_ours(it, entries.get(str(ref)))]
    addresses = _addresses(ours)
    return None if odd or addresses is None else ClusterReading(addresses, used_by(found))


def _addresses(pools: Iterable[Live]) -> IPSet | None:
    try:
        return IPSet.of(item for live in pools for item in pool_addresses(live.manifest))
    except ValueError:
        return None


def uses(records: Iterable[Allocation], reading: ClusterReading) -> tuple[Use, ...]:
    """Return the number of used addresses of each record, by name.

    A record is left out if a part is not announced and none is used: it is not idle yet.
    """
    found = []
    held = ((it.name, it.range) for it in records if it.range is not None)
    for name, item in held:
        # Range ends are compared, because a cluster can have many Services and records.
        runs = reading.used.overlapping(item)
        used = sum(min(it.last, item.last) - max(it.first, item.first) + 1 for it in runs)
        if used or reading.announced.covers(item):
            found.append(Use(name, item, used))
    return tuple(sorted(found))
