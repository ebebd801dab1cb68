"""Cilium's LB-IPAM: pools without advertisements."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import IPRange, IPSet, format_address
from reconciler.loadbalancers.interface import (
    Capability,
    Controller,
    ImportedPool,
    LivePool,
    LoadBalancerPool,
    ServiceRequest,
    ServiceSelection,
)
from reconciler.loadbalancers.ranges import range_of
from reconciler.loadbalancers.selectors import matches
from reconciler.model.objects import Manifest, Resource

_VERSION = "cilium.io/v2"
POOL = Resource(
    _VERSION,
    "CiliumLoadBalancerIPPool",
    "ciliumloadbalancerippools",
    is_namespaced=False,
    versions=(_VERSION, "cilium.io/v2alpha1"),
)
_NAMESPACE, _NAME = "io.kubernetes.service.namespace", "io.kubernetes.service.name"
_NONE = {"matchExpressions": [{"key": _NAME, "operator": "DoesNotExist"}]}  # every Service has one
_KNOWN = frozenset({"blocks", "serviceSelector"})


def _objects(pools: Sequence[LoadBalancerPool], _: str) -> tuple[Manifest, ...]:
    return tuple(_object(pool) for pool in pools if pool.ranges)


def _object(pool: LoadBalancerPool) -> Manifest:
    spec: dict[str, Any] = {**pool.spec, "blocks": [_block(it) for it in pool.ranges]}
    if not pool.services.is_default:
        spec["serviceSelector"] = _selector(pool.services)
    more = {"labels": dict(pool.labels), "annotations": dict(pool.annotations)}
    metadata = {"name": pool.name, **{key: it for key, it in more.items() if it}}
    return {"apiVersion": _VERSION, "kind": POOL.kind, "metadata": metadata, "spec": spec}


def _block(item: IPRange) -> dict[str, str]:
    first, last = (format_address(item.version, it) for it in (item.first, item.last))
    return {"start": first, "stop": last}


def _selector(services: ServiceSelection) -> Mapping[str, Any]:
    if services.is_empty:
        return _NONE
    inside = {"key": _NAMESPACE, "operator": "In", "values": list(services.namespaces)}
    stated = services.selector.get("matchExpressions") or ()
    expressions = [*([inside] if services.namespaces else ()), *stated]
    return {**services.selector, **({"matchExpressions": expressions} if expressions else {})}


def _blocks(manifest: Manifest) -> Iterator[tuple[Mapping[str, str], IPRange]]:
    for block in (manifest.get("spec") or {}).get("blocks") or ():
        first = block.get("start", "")
        yield block, range_of(block.get("cidr") or f"{first}-{block.get('stop') or first}")


def _addresses(manifest: Manifest) -> IPSet:
    return IPSet.of(item for _, item in _blocks(manifest))


def _with_addresses(manifest: Manifest, wanted: IPSet, form: Manifest | None) -> Manifest:
    """Return a pool with other addresses. A changed block moves Services: the others stay."""
    blocks, rest = list[Mapping[str, str]](), wanted
    for block, item in (*_blocks(form or manifest), *_blocks(manifest)):
        kept = IPSet((item,)) & rest
        blocks += [block] if kept.covers(item) else map(_block, kept)
        rest -= kept
    spec = {**manifest["spec"], "blocks": [*blocks, *map(_block, rest)]}
    return {**manifest, "spec": spec}


def _is_disabled(manifest: Manifest) -> bool:
    return (manifest.get("spec") or {}).get("disabled") is True


def _changed(manifest: Manifest) -> str:
    edited = f"spec.disabled of {POOL.kind} {manifest['metadata']['name']} was edited outside ipam"
    return edited if _is_disabled(manifest) else ""


def _takers(asked: ServiceRequest, pools: Iterable[Manifest]) -> tuple[str, ...]:
    labels = {**asked.labels, _NAMESPACE: asked.namespace, _NAME: asked.name}
    found = (
        pool["metadata"]["name"]
        for pool in pools
        if matches((pool.get("spec") or {}).get("serviceSelector") or {}, labels)
        and not (_is_disabled(pool) or (asked.pinned and asked.pinned - _addresses(pool)))
    )
    return tuple(sorted(found))


def _imported(there: Mapping[Resource, Iterable[Manifest]]) -> tuple[ImportedPool, ...]:
    return tuple(_import(manifest) for manifest in there.get(POOL, ()))


def _import(manifest: Manifest) -> ImportedPool:
    metadata, spec = manifest["metadata"], manifest.get("spec") or {}
    ranges, problem = tuple[IPRange, ...](), ""
    try:
        ranges = tuple(item for _, item in _blocks(manifest))
    except ValueError as wrong:
        problem = str(wrong)
    selector = dict(spec.get("serviceSelector") or {})
    expressions = list(selector.pop("matchExpressions", None) or ())
    inside = [it for it in expressions if (it["key"], it["operator"]) == (_NAMESPACE, "In")][:1]
    rest = [it for it in expressions if it not in inside]
    chosen = {**selector, **({"matchExpressions": rest} if rest else {})}
    namespaces = tuple(namespace for it in inside for namespace in it["values"])
    services = ServiceSelection(not (inside or chosen), namespaces, chosen)
    services = ServiceSelection() if chosen == _NONE and not inside else services
    name, labels = metadata["name"], metadata.get("labels") or {}
    notes = metadata.get("annotations") or {}
    more = {name: spec[name] for name in sorted(spec.keys() - _KNOWN)}
    pool = LoadBalancerPool(name, ranges, services, labels=labels, annotations=notes, spec=more)
    return ImportedPool(pool, problem=problem)


CONTROLLER = Controller(
    name="Cilium",
    oldest="1.15",
    pool=POOL,
    capabilities=frozenset({Capability.NAMESPACES, Capability.SELECTORS, Capability.BOTH_FAMILIES}),
    pins=("lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips"),
    sharing=("lbipam.cilium.io/sharing-key", "io.cilium/lb-ipam-sharing-key"),
    objects=_objects,
    addresses=_addresses,
    with_addresses=_with_addresses,
    live=lambda it: LivePool(_addresses(it), assigns=not _is_disabled(it)),
    changed=_changed,
    takers=_takers,
    imported=_imported,
)
