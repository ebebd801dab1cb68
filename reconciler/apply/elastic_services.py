"""Services and MetalLB pools of a cluster."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reconciler.addresses.ranges import IPRange, IPSet
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
    """The Services of type LoadBalancer, and what cannot be read.

    Args:
        items: All Services of a cluster; nothing is known of their shape.
        lb_class: The class that MetalLB serves there; empty for those without one.
        pools: Names of the pools that we keep there; none for the usual one.
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
    """The addresses that it asks for by name, and why nobody can give them."""
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
    """One address of each version, or an IPv6 address alone."""
    policy = _text(spec, "ipFamilyPolicy")
    if policy == "RequireDualStack":
        return True
    versions = _listed(spec, "ipFamilies")
    # MetalLB gives one that prefers two versions an address of either.
    return versions == ["IPv6"] or (policy != "PreferDualStack" and len(versions) > 1)


def _backend(spec: Mapping[str, Any]) -> str:
    """What those must have in common that share an address: where traffic stays, the same Pods."""
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
"""Seconds after a change of a pool in which MetalLB's controller has read it, or does not run."""

_NOTHING = IPSet()


def read_pool(manifest: Manifest) -> ElasticPool:
    """An IPAddressPool.

    Raises:
        ValueError: Some of its addresses cannot be read.
    """
    spec: Mapping[str, Any] = manifest.get("spec") or {}
    return ElasticPool(
        pool_addresses(manifest),
        avoids_buggy=spec.get("avoidBuggyIPs") is True,
        assigns=spec.get("autoAssign") is not False,
    )


def announced(pools: Iterable[ElasticPool]) -> IPSet:
    """All addresses of some pools."""
    return IPSet.of(item for pool in pools for item in pool.addresses)


def spare(pools: Iterable[ElasticPool], ours: IPSet, used: IPSet) -> int:
    """How many addresses a Service could still get, who names none.

    Args:
        pools: The pools that the cluster announces.
        ours: What the tenant holds: what is announced besides is nobody's to count on.
        used: What Services have.
    """
    found = 0
    for pool in pools:
        free = (pool.addresses & ours) - used
        found += (free.size - (_buggy(free) if pool.avoids_buggy else 0)) if pool.assigns else 0
    return found


def _buggy(addresses: IPSet) -> int:
    """How many IPv4 addresses of a set end in 0 or 255."""
    return sum(_ends(item, 0) + _ends(item, 255) for item in addresses if item.version == 4)


def _ends(item: IPRange, last: int) -> int:
    """How many addresses of a range have a last byte."""
    return (item.last - last) // 256 - (item.first - 1 - last) // 256


def unwell(pools: Iterable[Manifest], states: Iterable[Manifest], lacks: IPSet, now: int) -> str:
    """Why an address that a cluster is given now would not reach a Service; empty when it would.

    Args:
        pools: The IPAddressPools of ours.
        states: MetalLB's ConfigurationStates; none where it is too old to have any.
        lacks: What was applied to the cluster and is not in its pools any more.
        now: The server's time.
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
    """That MetalLB's controller has not read a pool that was changed a while ago; else empty."""
    read = controller_time(states)
    if read is None:
        return ""  # an older MetalLB does not tell
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
    """What an inventory remembers, as text; None where there is no inventory."""
    first = data_of(config_maps).get(NAME)
    return None if first is None else first.get(KEY, "")


def write_idle(idle: Mapping[str, int]) -> str:
    """Seconds since 1970 by address, as a text of lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """What `write_idle` wrote. A tenant may have written anything: what cannot be read is left out."""
    found: dict[str, int] = {}
    for line in text.splitlines()[:_MAX_LINES]:
        key, _, since = line.partition(" ")
        if since.isascii() and since.isdecimal() and len(since) <= _MAX_DIGITS:
            found[key] = int(since)
    return found


_POOLS = Query(ADDRESS_POOL, NAMESPACE)


def used_by(services: Iterable[Service]) -> IPSet:
    """The addresses that some Services have."""
    return IPSet.of(item for service in services for item in service.addresses)


def reading_of(shown: ObservedCluster) -> ClusterReading | None:
    """What a look read; None where a Service cannot be read: nobody knows what that one uses."""
    return None if shown.odd else ClusterReading(announced(shown.pools), used_by(shown.services))


def reading_for(snapshot: Snapshot, entries: Mapping[str, InventoryEntry]) -> ClusterReading | None:
    """What the plan of a cluster read; None where it needed no Services, or some cannot be read.

    Args:
        snapshot: What was read.
        entries: What the inventory says was put there.
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
    """How many addresses of each record Services use, by name.

    A record is left out of which a part was not announced and none is used: what is not there yet is
    not idle.
    """
    found = []
    held = ((it.name, it.range) for it in records if it.range is not None)
    for name, item in held:
        # By its ends: a cluster may show very many Services, and each record asks.
        runs = reading.used.overlapping(item)
        used = sum(min(it.last, item.last) - max(it.first, item.first) + 1 for it in runs)
        if used or reading.announced.covers(item):
            found.append(Use(name, item, used))
    return tuple(sorted(found))
