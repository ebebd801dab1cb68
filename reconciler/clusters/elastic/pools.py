"""The pools that a cluster announces: what is spare in them, and whether more of them would help."""

from collections.abc import Iterable, Mapping
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.elastic.model import Pool
from reconciler.clusters.metallb import controller_time, pool_addresses, state_error, told
from reconciler.model.instant import parse_instant
from reconciler.model.resource import Manifest

SILENT = 30
"""Seconds after a change of a pool in which MetalLB's controller has read it, or does not run."""

_NOTHING = IPSet()


def read_pool(manifest: Manifest) -> Pool:
    """An IPAddressPool.

    Raises:
        ValueError: Some of its addresses cannot be read.
    """
    spec: Mapping[str, Any] = manifest.get("spec") or {}
    return Pool(
        pool_addresses(manifest),
        avoids_buggy=spec.get("avoidBuggyIPs") is True,
        assigns=spec.get("autoAssign") is not False,
    )


def announced(pools: Iterable[Pool]) -> IPSet:
    """All addresses of some pools."""
    return IPSet.of(item for pool in pools for item in pool.addresses)


def spare(pools: Iterable[Pool], ours: IPSet, used: IPSet) -> int:
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
        return f"its IPAddressPool lacks {told(lacks)}, which was applied: somebody changed it"
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
