"""Objects of MetalLB."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from reconciler.addresses import IPSet
from reconciler.loadbalancers.interface import (
    Advertisement,
    LivePool,
    LoadBalancerPool,
    ServiceRequest,
)
from reconciler.loadbalancers.metallb.kinds import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    BGP_ADVERTISEMENT,
    NAMESPACE,
)
from reconciler.loadbalancers.ranges import ranges_of, written
from reconciler.loadbalancers.selectors import matches
from reconciler.model.objects import Manifest, Resource

_FORMS: Mapping[str, tuple[Resource, str, tuple[str, ...]]] = {
    "L2": (ADVERTISEMENT, "l2", ("interfaces", "nodeSelectors")),
    "BGP": (
        BGP_ADVERTISEMENT,
        "bgp",
        (
            *("communities", "peers", "aggregationLength", "aggregationLengthV6"),
            *("nodeSelectors", "localPref"),
        ),
    ),
}


def objects(pools: Sequence[LoadBalancerPool], namespace: str = "") -> tuple[Manifest, ...]:
    """Return the pools, and then their advertisements. A pool without addresses is left out."""
    home = namespace or NAMESPACE
    filled = [pool for pool in pools if pool.ranges]
    made = [_object(ADDRESS_POOL, pool.name, home, _pool(pool), pool) for pool in filled]
    for pool in filled:
        if pool.advertisement["type"] in _FORMS:
            resource, part, fields = _FORMS[pool.advertisement["type"]]
            stated = pool.advertisement.get(part) or {}
            spec = {"ipAddressPools": [pool.name]} | {
                it: stated[it] for it in fields if it in stated
            }
            name = pool.advertisement_name or pool.name
            made.append(_object(resource, name, home, spec, pool))
    return tuple(made)


def _pool(pool: LoadBalancerPool) -> dict[str, Any]:
    spec: dict[str, Any] = {"addresses": list(written(pool.ranges))}
    if pool.avoids_buggy:
        spec["avoidBuggyIPs"] = True
    chosen = pool.services
    if chosen.is_empty:
        spec["autoAssign"] = False
    elif not chosen.is_default:
        more = pool.spec.get("serviceAllocation")
        spec["serviceAllocation"] = {
            **(more if isinstance(more, dict) else {}),
            **({"namespaces": list(chosen.namespaces)} if chosen.namespaces else {}),
            **({"serviceSelectors": [chosen.selector]} if chosen.selector else {}),
        }
    return {**pool.spec, **spec}


def _object(
    resource: Resource, name: str, namespace: str, spec: dict[str, Any], pool: LoadBalancerPool
) -> Manifest:
    more = {"labels": pool.labels, "annotations": pool.annotations}
    metadata = {"name": name, "namespace": namespace, **{k: dict(v) for k, v in more.items() if v}}
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": metadata,
        "spec": spec,
    }


def _spec(manifest: Manifest) -> Mapping[str, Any]:
    return manifest.get("spec") or {}


def addresses(manifest: Manifest) -> IPSet:
    """Return the addresses of an IPAddressPool, or raise ValueError."""
    return ranges_of(_spec(manifest).get("addresses") or ())


def with_addresses(manifest: Manifest, wanted: IPSet, form: Manifest | None = None) -> Manifest:
    """Return an IPAddressPool with other addresses, written as in `form` if they are equal."""
    texts = list(written(wanted))
    with suppress(ValueError):
        if form is not None and addresses(form) == wanted:
            texts = list(_spec(form)["addresses"])
    return {**manifest, "spec": {**_spec(manifest), "addresses": texts}}


def live(manifest: Manifest) -> LivePool:
    """Return an IPAddressPool as it is in the cluster, or raise ValueError."""
    spec = _spec(manifest)
    return LivePool(
        addresses(manifest),
        avoids_buggy=spec.get("avoidBuggyIPs") is True,
        assigns=spec.get("autoAssign") is not False,
    )


def changed(manifest: Manifest) -> str:
    """Return which field was edited so that a pool serves no or few Services, or ""."""
    spec, name = _spec(manifest), manifest["metadata"]["name"]
    if spec.get("serviceAllocation"):
        return f"spec.serviceAllocation of IPAddressPool {name} was edited outside ipam, so the pool serves only some Services"
    if spec.get("autoAssign") is False:
        return f"spec.autoAssign of IPAddressPool {name} was set to false outside ipam, so Services must name the pool"
    return ""


_NAMESPACE = "kubernetes.io/metadata.name"  # the label of a namespace that is always there
_LAST = 1 << 31  # a pool without a priority comes after all others


def takers(asked: ServiceRequest, pools: Iterable[Manifest]) -> tuple[str, ...]:
    """Return the pools that can serve a Service: those that select it first, by priority.

    A pool that does not select the Service gives it nothing, even if the Service names the pool.
    """
    found: list[tuple[bool, int, str]] = []
    for pool in pools:
        spec, name = _spec(pool), pool["metadata"]["name"]
        chosen = spec.get("serviceAllocation") or {}
        is_named = asked.pool == name or (bool(asked.pinned) and not asked.pool)
        if not (is_named or (not asked.pool and spec.get("autoAssign") is not False)):
            continue
        if _selects(chosen, asked) and not (asked.pinned and asked.pinned - addresses(pool)):
            found.append((not chosen, chosen.get("priority") or _LAST, name))
    return tuple(name for _, _, name in sorted(found))


def _selects(chosen: Mapping[str, Any], asked: ServiceRequest) -> bool:
    names, spaces = chosen.get("namespaces") or (), chosen.get("namespaceSelectors") or ()
    selectors, labels = chosen.get("serviceSelectors") or (), {_NAMESPACE: asked.namespace}
    is_inside = asked.namespace in names or any(matches(it, labels) for it in spaces)
    is_chosen = any(matches(it, asked.labels) for it in selectors)
    return (is_inside or not (names or spaces)) and (is_chosen or not selectors)


def selects(advertisement: Manifest, pool: Manifest) -> bool:
    """Return whether an advertisement selects a pool. Without names and selectors, it selects all."""
    spec = _spec(advertisement)
    names, selectors = spec.get("ipAddressPools") or (), spec.get("ipAddressPoolSelectors") or ()
    labels = pool["metadata"].get("labels") or {}
    return (
        not (names or selectors)
        or pool["metadata"]["name"] in names
        or any(matches(selector, labels) for selector in selectors)
    )


def renamed(advertisement: Manifest, old: str, new: str) -> Manifest:
    """Return an advertisement for a pool with another name."""
    spec = _spec(advertisement)
    pools = [new if name == old else name for name in spec["ipAddressPools"]]
    return {**advertisement, "spec": {**spec, "ipAddressPools": pools}}


def aggregation(advertisement: Advertisement) -> Mapping[int, int]:
    """Return the prefix lengths of routes by IP version; only those that are stated."""
    stated = advertisement.get("bgp") or {} if advertisement.get("type") == "BGP" else {}
    fields = {4: "aggregationLength", 6: "aggregationLengthV6"}
    return {version: stated[name] for version, name in fields.items() if name in stated}


def state_error(states: Iterable[Manifest]) -> str:
    """Return the error that MetalLB reports about its configuration, or an empty string."""
    for state in states:
        status = state.get("status") or {}
        if status.get("result") == "Invalid":
            name = state["metadata"]["name"]
            return f"MetalLB ({name}) rejects its configuration: {status.get('errorSummary', '')}"
    return ""


def read_at(states: Iterable[Manifest]) -> str | None:
    """Return when MetalLB's controller last read its configuration, or None."""
    for state in states:
        if state["metadata"]["name"] == "controller":
            conditions = (state.get("status") or {}).get("conditions") or ()
            return max((item.get("lastTransitionTime", "") for item in conditions), default="")
    return None
