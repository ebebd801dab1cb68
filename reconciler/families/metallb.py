"""MetalLB settings and router ranges."""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from reconciler.addresses.notation import format_range, format_short
from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.model.key import Key, is_name
from reconciler.model.objects import PREFIX
from reconciler.model.pool import Pool
from reconciler.model.settings import METALLB_POOL
from reconciler.model.state import Gateway

NAMESPACE = "metallb-system"
POOL = METALLB_POOL
ADVERTISEMENT = "default"
NAMED = f"{PREFIX}metallb-pool"
"""The annotation by which the document of a cluster names the pool that we keep there."""


def metallb_objects(ranges: Iterable[IPRange], name: str = POOL) -> tuple[dict[str, Any], ...]:
    """`IPAddressPool` of a name and `L2Advertisement` for the ranges; nothing for none."""
    addresses = [format_range(item) for item in IPSet.of(ranges)]
    if not addresses:
        return ()
    pool = _object("IPAddressPool", name, {"addresses": addresses})
    return pool, _object("L2Advertisement", ADVERTISEMENT, {"ipAddressPools": [name]})


def check_pool_name(document: Document, found: list[Finding]) -> None:
    """Find that a document names its cluster's pool in a way that no server takes."""
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
    """The pools without the routers of their address spaces, and which of them held one.

    A family keeps the router of a pool out of that pool itself. One whose network nobody knows is
    in use everywhere. Nothing is told of pools that are `silent`: what stands there now is not
    what was read.
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
    """The routers of one address space."""

    def __init__(self, routers: Iterable[Gateway]) -> None:
        self._listed = sorted(routers)
        self._places = [it.range for it in self._listed]
        self.addresses = IPSet.of(self._places)

    def of(self, held: IPSet) -> list[Gateway]:
        """Those with one of some addresses."""
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
