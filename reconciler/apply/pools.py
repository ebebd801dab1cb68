"""Addresses of load-balancer pools, and their users."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from reconciler.addresses import IPSet
from reconciler.kube.resources import parse_ref
from reconciler.loadbalancers import controller, controllers, pins
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.loadbalancers.ranges import describe, is_in
from reconciler.model.objects import Manifest, Resource

Pools = Mapping[str, IPSet]

TENANT_HOME = controller().namespace
"""The namespace of the inventory in tenant clusters."""
USUAL = ClusterBalancer()


def written_kinds(balancing: ClusterBalancer = USUAL) -> tuple[Resource, ...]:
    """Return the kinds of a controller that `ipam` writes in a cluster."""
    balancer = controller(balancing.controller)
    return balancer.pool, *(balancer.others if balancing.has_entries else balancer.others[:1])


def balancing_in(entries: Iterable[str]) -> ClusterBalancer:
    """Return the controller, and its namespace, of the first pool in an inventory; else the usual one."""
    for ref in map(parse_ref, entries):
        for it in controllers():
            if ref.resource == it.pool:
                return ClusterBalancer(it.name, ref.namespace)
    return USUAL


def overlaps(wanted: Pools, foreign: Pools, kind: str, keep: str) -> Iterator[tuple[str, str]]:
    """Return pools of `ipam` that overlap a pool of another owner, with the message.

    `keep` is the field that keeps the name of the other pool.
    """
    for name, addresses in wanted.items():
        for other, theirs in foreign.items():
            if shared := addresses & theirs:
                message = f"{describe(shared)} is also in {kind} {other}, which has another owner; remove the range there, or use this name ({keep}: {other}) and --adopt"
                yield name, message


def giving(live: Pools, wanted: Pools) -> Iterator[tuple[str, IPSet]]:
    """Return pools that give ranges to another pool, with the ranges they keep. They shrink first."""
    for name, addresses in live.items():
        others = IPSet.of(
            item for other, theirs in wanted.items() if other != name for item in theirs
        )
        if addresses & others:
            yield name, addresses & wanted.get(name, IPSet())


class User(NamedTuple):
    """A Service, or a node, that holds an address."""

    service: str
    address: str


def users_of(
    services: Iterable[Manifest], addresses: IPSet, *, counts_pins: bool = True
) -> list[User]:
    """Return Services that have an address of a set, or request one (`counts_pins`), by name."""
    return sorted(
        {
            User(f"{item['metadata']['namespace']}/{item['metadata']['name']}", text)
            for item in services
            for text in _addresses_of(item, counts_pins=counts_pins)
            if is_in(text, addresses)
        }
    )


def _addresses_of(service: Manifest, *, counts_pins: bool) -> Iterator[str]:
    for entry in ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ():
        yield entry.get("ip") or ""
    spec = service.get("spec") or {}
    if counts_pins and spec.get("type") == "LoadBalancer":
        yield spec.get("loadBalancerIP") or ""
        annotations = service["metadata"].get("annotations") or {}
        for name in pins():
            yield from (text.strip() for text in (annotations.get(name) or "").split(","))


def nodes_in(nodes: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Return nodes with internal or external addresses in a set, by name."""
    return sorted(
        User(item["metadata"]["name"], entry["address"])
        for item in nodes
        for entry in (item.get("status") or {}).get("addresses") or ()
        if entry.get("type", "").endswith("IP") and is_in(entry.get("address", ""), addresses)
    )
