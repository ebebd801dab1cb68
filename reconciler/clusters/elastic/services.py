"""Services as a cluster shows them, read with care: one that cannot be read is nobody else's failure.

How MetalLB reads the same fields: its `controller/service.go` and `internal/allocator`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reconciler.addresses import IPSet
from reconciler.clusters.elastic.model import Service
from reconciler.clusters.metallb import ranges_of
from reconciler.findings import shown
from reconciler.model.instant import parse_instant
from reconciler.model.settings import METALLB_POOL

PREFIXES = ("metallb.io/", "metallb.universe.tf/")
"""Of annotations, the newer first: where both are there, MetalLB reads the first one."""

POOL, PINNED, SHARED = "address-pool", "loadBalancerIPs", "allow-shared-ip"
ASKED = tuple(f"{prefix}{name}" for prefix in PREFIXES for name in (POOL, PINNED, SHARED))
"""The annotations by which Services ask MetalLB for something."""

_MOST_PINNED = 2
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
    texts = [text.strip() for text in (field or listed).split(",", _MOST_PINNED)]
    if len(texts) > _MOST_PINNED:
        return IPSet(), f"it asks for more than {_MOST_PINNED} addresses"
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
