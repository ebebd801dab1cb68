"""MetalLB's pools in one cluster: what they hold, where they clash, which Services are inside.

MetalLB checks pools against each other, and drops its whole configuration over one that is wrong;
it checks nothing against the Services that hold addresses. So both is told here, before anything
is applied. Facts: https://metallb.io/apis/ and its `internal/config`.
"""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.iprange import BITS
from reconciler.addresses.notation import NotationError, format_range, format_short, parse_address
from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.findings import shown
from reconciler.model.marks import PREFIX
from reconciler.model.resource import Manifest

NAMESPACE = "metallb-system"
MOST_POOLS = 200
"""IPAddressPools that are compared with ranges of ours; nobody has as many."""

_TOLD = 5
Pools = Mapping[str, IPSet]


def pool_addresses(manifest: Manifest) -> IPSet:
    """The addresses of an IPAddressPool, read as MetalLB reads them: host bits are masked.

    Raises:
        ValueError: Some entry is neither a CIDR nor `start-end`.
    """
    return ranges_of((manifest.get("spec") or {}).get("addresses") or ())


def ranges_of(texts: Iterable[str]) -> IPSet:
    """The addresses that some entries of a pool stand for.

    Raises:
        ValueError: Some entry is neither a CIDR nor `start-end`.
    """
    return IPSet.of(_entry(text) for text in texts)


def _entry(text: str) -> IPRange:
    try:
        first, dash, last = text.partition("-")
        if dash:
            (version, start), (other, end) = _number(first.strip()), _number(last.strip())
            return _range(version, start, end if version == other else -1)
        address, _, length = text.partition("/")
        version, start = _number(address)
        size = 1 << (BITS[6 if ":" in address else 4] - int(length))
        start -= start % size
        return _range(version, start, start + size - 1)
    except ValueError as wrong:
        message = f"{shown(text)} is neither a CIDR nor start-end"
        raise ValueError(message) from wrong


def _range(version: int, first: int, last: int) -> IPRange:
    if not first <= last < 1 << BITS[version]:
        raise ValueError(last)
    return IPRange(version, first, last)


def _number(text: str) -> tuple[int, int]:
    """The IP version and the number of an address as others write it, canonical or not.

    An IPv4-mapped address is the IPv4 address, as in Go.

    Raises:
        ValueError: It is no address.
    """
    try:
        return parse_address(text)
    except NotationError:
        address = ip_address(text)
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise ValueError(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (4, int(mapped)) if mapped is not None else (address.version, int(address))


def written(addresses: Iterable[IPRange]) -> tuple[str, ...]:
    """Ranges as we write them into a pool, sorted and merged."""
    return tuple(format_range(item) for item in IPSet.of(addresses))


def told(addresses: IPSet) -> str:
    """Ranges for a message: some of them, and how many more there are."""
    texts = [format_short(item) for item in addresses.ranges[:_TOLD]]
    left = len(addresses.ranges) - len(texts)
    return ", ".join(texts) + (f" and {left} more" if left else "")


def with_addresses(wanted: DesiredObject, addresses: IPSet) -> DesiredObject:
    """A pool with other addresses."""
    body = wanted.body or {}
    return desired_object({**body, "spec": {**body["spec"], "addresses": list(written(addresses))}})


def overlaps(wanted: Pools, foreign: Pools) -> Iterator[tuple[str, str]]:
    """Pools of ours that share addresses with a pool of others, and what to say of it."""
    for name, addresses in wanted.items():
        for other, theirs in foreign.items():
            if shared := addresses & theirs:
                message = f"{told(shared)} is also in IPAddressPool {other}, which is not ours"
                ways = (
                    f"remove it there, or keep its name ({PREFIX}metallb-pool: {other}) and --adopt"
                )
                yield name, f"{message}; {ways}"


class Shrunk(NamedTuple):
    """A pool that has to give addresses to another one first, and what it keeps meanwhile."""

    name: str
    keeps: IPSet


def giving(live: Pools, wanted: Pools) -> Iterator[Shrunk]:
    """Pools whose live addresses another pool shall get: they shrink first, then others grow.

    Args:
        live: Our pools as they are.
        wanted: Our pools as they shall be; one that is missing shall go.
    """
    for name, addresses in live.items():
        others = IPSet.of(
            item for other, theirs in wanted.items() if other != name for item in theirs
        )
        if addresses & others:
            yield Shrunk(name, addresses & wanted.get(name, IPSet()))


class User(NamedTuple):
    """A Service that holds an address."""

    service: str
    address: str


def users_of(services: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Services whose load balancer addresses lie in a set, by name."""
    found = [
        User(f"{item['metadata']['namespace']}/{item['metadata']['name']}", text)
        for item in services
        for text in _ingress(item)
        if _is_in(text, addresses)
    ]
    return sorted(found)


def nodes_in(nodes: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Nodes whose internal addresses lie in a set, by name."""
    found = [
        User(item["metadata"]["name"], entry["address"])
        for item in nodes
        for entry in (item.get("status") or {}).get("addresses") or ()
        if entry.get("type") == "InternalIP" and _is_in(entry.get("address", ""), addresses)
    ]
    return sorted(found)


def state_error(states: Iterable[Manifest]) -> str:
    """What MetalLB says is wrong with its configuration; empty when nothing is."""
    for state in states:
        status = state.get("status") or {}
        if status.get("result") == "Invalid":
            name = state["metadata"]["name"]
            return f"MetalLB ({name}) refuses its configuration: {status.get('errorSummary', '')}"
    return ""


def controller_time(states: Iterable[Manifest]) -> str | None:
    """When MetalLB's controller last read its configuration; None when it never told."""
    for state in states:
        if state["metadata"]["name"] == "controller":
            conditions = (state.get("status") or {}).get("conditions") or ()
            return max((item.get("lastTransitionTime", "") for item in conditions), default="")
    return None


def _ingress(service: Manifest) -> Iterator[str]:
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    for entry in balancer.get("ingress") or ():
        if text := entry.get("ip"):
            yield text


def _is_in(text: str, addresses: IPSet) -> bool:
    try:
        version, number = _number(text)
    except ValueError:
        return False
    return bool(addresses.overlapping(IPRange(version, number, number)))
