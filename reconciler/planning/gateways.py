"""Gateways that are held back from pools."""

from collections.abc import Container, Iterable, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short
from reconciler.documents.findings import Finding, join_limited, warning
from reconciler.model.key import Key
from reconciler.model.plan import Gateway
from reconciler.model.pool import Pool


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
        if not (held := pool.allocatable & addresses.get(pool.space, IPSet())):
            continue
        usable, blocks = pool.usable - held, pool.blocks - held
        kept[key] = replace(pool, usable=usable, blocks=blocks, reserved=pool.reserved | held)
        if key not in silent:
            named = [
                f"{format_short(it.range)}, {it.title} at {it.source}"
                for it in sorted(routers[pool.space])
                if held.covers(it.range)
            ]
            message = f"pool {key.name} contains {join_limited(named, '; ')}; not allocated"
            hint = "exclude it from the pool, or put the two networks into different address spaces"
            findings.append(warning("gateway-in-pool", pool.source, message, hint))
    return kept, findings
