"""MetalLB objects, and gateways that are held back from pools."""

from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_range, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, join_limited, shown, warning
from reconciler.families.fields import refuse
from reconciler.model.key import Key, is_name
from reconciler.model.objects import PREFIX
from reconciler.model.plan import Gateway
from reconciler.model.pool import Pool
from reconciler.model.settings import METALLB_POOL

NAMESPACE = "metallb-system"
ADVERTISEMENT = "default"
NAMED = f"{PREFIX}metallb-pool"
"""The annotation of a cluster's document that names the MetalLB pool that `ipam` manages there."""


def metallb_objects(
    ranges: Iterable[IPRange], name: str = METALLB_POOL, advertisement: str = "l2"
) -> tuple[dict[str, Any], ...]:
    """Return the `IPAddressPool` for some ranges, with its `L2Advertisement` for `l2`, or nothing."""
    addresses = [format_range(item) for item in IPSet.of(ranges)]
    if not addresses:
        return ()
    pool = _object("IPAddressPool", name, {"addresses": addresses})
    if advertisement == "none":
        return (pool,)
    return pool, _object("L2Advertisement", ADVERTISEMENT, {"ipAddressPools": [name]})


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }


def check_pool_name(document: Document, found: list[Finding]) -> None:
    """Add a finding if a document names its MetalLB pool with an invalid name."""
    name = document.annotations().get(NAMED)
    if name is not None and not is_name(name):
        message = f"{NAMED}: {shown(name)} is not a valid object name"
        steps = ("metadata", "annotations", NAMED)
        hint = f"write {METALLB_POOL}, for example"
        refuse(found, document, steps, "annotation-invalid", message, hint)


def hold_back(
    pools: Mapping[Key, Pool], gateways: Iterable[Gateway], silent: Container[Key] = ()
) -> tuple[dict[Key, Pool], list[Finding]]:
    """Return pools without their gateways, and findings except for pools in `silent`."""
    routers: dict[str, list[Gateway]] = {}
    for gateway in gateways:
        for space in gateway.spaces(pools):
            routers.setdefault(space, []).append(gateway)
    addresses = {space: IPSet.of(it.range for it in found) for space, found in routers.items()}
    kept = dict(pools)
    findings: list[Finding] = []
    for key, pool in pools.items():
        if not (held := pool.usable & addresses.get(pool.space, IPSet())):
            continue
        kept[key] = replace(pool, usable=pool.usable - held, reserved=pool.reserved | held)
        if key not in silent:
            named = [
                f"{format_short(it.range)}, {it.title} at {it.source}"
                for it in sorted(routers[pool.space])
                if held.covers(it.range)
            ]
            message = f"{key.name} holds {join_limited(named, '; ')}; it is held back"
            hint = "leave it out of the pool, or give the two networks different address spaces"
            findings.append(warning("gateway-in-pool", pool.source, message, hint))
    return kept, findings
