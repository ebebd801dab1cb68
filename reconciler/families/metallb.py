"""MetalLB settings and router ranges."""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_range, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.model.key import Key, is_name
from reconciler.model.objects import PREFIX
from reconciler.model.plan import Gateway
from reconciler.model.pool import Pool
from reconciler.model.settings import METALLB_POOL

NAMESPACE = "metallb-system"
POOL = METALLB_POOL
ADVERTISEMENT = "default"
NAMED = f"{PREFIX}metallb-pool"
"""The annotation of a cluster's document that names the MetalLB pool that `ipam` manages there."""


def metallb_objects(ranges: Iterable[IPRange], name: str = POOL) -> tuple[dict[str, Any], ...]:
    """Return the `IPAddressPool` and `L2Advertisement` for some ranges; empty for no ranges."""
    addresses = [format_range(item) for item in IPSet.of(ranges)]
    if not addresses:
        return ()
    pool = _object("IPAddressPool", name, {"addresses": addresses})
    return pool, _object("L2Advertisement", ADVERTISEMENT, {"ipAddressPools": [name]})


def check_pool_name(document: Document, found: list[Finding]) -> None:
    """Add a finding if a document names its MetalLB pool with an invalid name."""
    name = document.annotations().get(NAMED)
    if name is not None and not is_name(name):
        place = document.at("metadata", "annotations", NAMED)
        message = f"{NAMED}: {shown(name)} is no name of an object"
        found.append(error("annotation-invalid", place, message, f"write {POOL}, for example"))


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }


def hold_back(
    pools: Mapping[Key, Pool], gateways: Iterable[Gateway], silent: Container[Key] = ()
) -> tuple[dict[Key, Pool], list[Finding]]:
    """Return the pools without the gateways of their address spaces, and findings about them.

    A family excludes the gateway of a pool from that pool itself. A gateway with an unknown network
    is excluded everywhere. Pools in `silent` get no finding, because their file no longer matches
    the version that was read.
    """
    routers: dict[str, list[Gateway]] = {}
    for gateway in gateways:
        for space in gateway.spaces(pools):
            routers.setdefault(space, []).append(gateway)
    known = {space: _Routers(found) for space, found in routers.items()}
    kept = dict(pools)
    findings: list[Finding] = []
    for key, pool in pools.items():
        there = known.get(pool.space)
        if there is not None and (held := pool.usable & there.addresses):
            kept[key] = replace(pool, usable=pool.usable - held, reserved=pool.reserved | held)
            if key not in silent:
                findings.append(_as_finding(pool, there.of(held)))
    return kept, findings


class _Routers:
    """The gateways of one address space."""

    def __init__(self, routers: Iterable[Gateway]) -> None:
        self._listed = sorted(routers)
        self._places = [it.range for it in self._listed]
        self.addresses = IPSet.of(self._places)

    def of(self, held: IPSet) -> list[Gateway]:
        """Return the gateways within some addresses."""
        found = []
        for version, first, last in held:
            start = bisect_left(self._places, (version, first))
            found += self._listed[start : bisect_right(self._places, (version, last, last))]
        return found


def _as_finding(pool: Pool, there: Iterable[Gateway]) -> Finding:
    named = [f"{format_short(it.range)}, {it.title} at {it.source}" for it in there]
    return warning(
        "gateway-in-pool",
        pool.source,
        f"{pool.key.name} holds {join_limited(named, '; ')}; it is held back",
        "leave it out of the pool, or give the two networks different address spaces",
    )
