"""Who uses addresses of a pool that are not given out: the management cluster's own things.

Butler's InfraAllocation observer (`butler.md` §4): load balancer Services on reserved addresses,
and Nodes and Machines on addresses that no tenant can get. It is for display and plans nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, format_address, parse_address
from reconciler.families._objects import Lists
from reconciler.families.butler.resources import MACHINE, NETWORK_POOL
from reconciler.model.builtin import NODE, SERVICE
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref

_MAX_LISTED = 1024  # what the CRD takes
_SOURCES = ("metallb", "node", "machine")
_REFS = {"metallb": "serviceRef", "node": "nodeRef", "machine": "machineRef"}


class _User(NamedTuple):
    """An address in use; sorted by address, then by which source goes first."""

    number: int
    rank: int
    namespace: str
    name: str


def observe(pools: Iterable[Pool], lists: Lists) -> Mapping[Ref, Manifest]:
    """The same of all that a management cluster holds of the kinds that are observed."""
    return infrastructure(pools, lists[SERVICE], lists[NODE], lists[MACHINE])


def infrastructure(
    pools: Iterable[Pool],
    services: Iterable[Manifest],
    nodes: Iterable[Manifest],
    machines: Iterable[Manifest],
) -> Mapping[Ref, Manifest]:
    """The status fields of each NetworkPool that tell of its infrastructure.

    Args:
        pools: Pools of any kind; those of other kinds are left out.
        services: All Services of the management cluster.
        nodes: All its Nodes.
        machines: All its Machines; empty where it does not know the kind.

    Returns:
        By pool: `infrastructureAllocations`, rising by address, and how many there are.
    """
    users = sorted([*_services(services), *_hosts(nodes, 1), *_hosts(machines, 2)])
    return {
        Ref(NETWORK_POOL, pool.key.namespace, pool.key.name): _fields(pool, users)
        for pool in pools
        if pool.key.kind == NETWORK_POOL.kind
    }


def _fields(pool: Pool, users: list[_User]) -> Manifest:
    """The first source of an address names it; others only add who they are."""
    found: dict[int, dict[str, Any]] = {}
    others = pool.extent - pool.usable  # reserved, or outside the ranges of tenants
    for extent in pool.extent:
        start = bisect_left(users, (extent.first,))
        end = bisect_left(users, (extent.last + 1,))
        for user in users[start:end]:
            source = _SOURCES[user.rank]
            area = pool.reserved if source == "metallb" else others
            if not area.covers(IPRange(4, user.number, user.number)):
                continue
            ip = format_address(4, user.number)
            entry = found.setdefault(user.number, {"ip": ip, "source": source})
            named = {"name": user.name, "namespace": user.namespace}
            entry.setdefault(_REFS[source], named if user.namespace else {"name": user.name})
    return {
        "infrastructureAllocations": list(found.values())[:_MAX_LISTED],
        "infrastructureConsumedIPs": len(found),
    }


def _services(services: Iterable[Manifest]) -> Iterator[_User]:
    for service in services:
        if (service.get("spec") or {}).get("type") == "LoadBalancer":
            balancer = (service.get("status") or {}).get("loadBalancer") or {}
            for entry in balancer.get("ingress") or ():
                yield from _user(service, entry.get("ip"), 0)


def _hosts(hosts: Iterable[Manifest], rank: int) -> Iterator[_User]:
    for host in hosts:
        for entry in (host.get("status") or {}).get("addresses") or ():
            if entry.get("type") == "InternalIP":
                yield from _user(host, entry.get("address"), rank)


def _user(manifest: Manifest, address: str | None, rank: int) -> Iterator[_User]:
    """Who uses an address; nobody when it is no IPv4 address."""
    try:
        version, number = parse_address(address or "")
    except NotationError:
        return
    if version == 4:
        metadata = manifest["metadata"]
        yield _User(number, rank, metadata.get("namespace", ""), metadata["name"])
