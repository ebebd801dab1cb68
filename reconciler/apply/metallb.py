"""MetalLB objects."""

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple

from reconciler.addresses import (
    BITS,
    IPRange,
    IPSet,
    NotationError,
    format_range,
    format_short,
    parse_address,
)
from reconciler.documents.findings import shown
from reconciler.kube.resources import DesiredObject, desired_object
from reconciler.model.objects import PREFIX, Manifest

NAMESPACE = "metallb-system"
MAX_POOLS = 200
"""The maximum number of IPAddressPools that are compared."""

_TOLD = 5
Pools = Mapping[str, IPSet]


def pool_addresses(manifest: Manifest) -> IPSet:
    """Return the addresses of an IPAddressPool. Host bits are masked, as in MetalLB.

    Raises:
        ValueError: An entry is neither a CIDR nor `start-end`.
    """
    return ranges_of((manifest.get("spec") or {}).get("addresses") or ())


def ranges_of(texts: Iterable[str]) -> IPSet:
    """Return the addresses of a pool's entries.

    Raises:
        ValueError: An entry is neither a CIDR nor `start-end`.
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
    """Return the IP version and the number of an address, canonical or not.

    An IPv4-mapped address is the IPv4 address, as in Go.

    Raises:
        ValueError: The text is not an address.
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
    """Return ranges in the syntax of a pool, sorted and merged."""
    return tuple(format_range(item) for item in IPSet.of(addresses))


def describe(addresses: IPSet) -> str:
    """Return a short list of ranges for a message."""
    texts = [format_short(item) for item in addresses.ranges[:_TOLD]]
    left = len(addresses.ranges) - len(texts)
    return ", ".join(texts) + (f" and {left} more" if left else "")


def with_addresses(wanted: DesiredObject, addresses: IPSet) -> DesiredObject:
    """Return a pool with other addresses."""
    body = wanted.body or {}
    return desired_object({**body, "spec": {**body["spec"], "addresses": list(written(addresses))}})


def overlaps(wanted: Pools, foreign: Pools) -> Iterator[tuple[str, str]]:
    """Return pools of `ipam` that overlap a pool of another owner, with the message."""
    for name, addresses in wanted.items():
        for other, theirs in foreign.items():
            if shared := addresses & theirs:
                message = f"{describe(shared)} is also in IPAddressPool {other}, which is not ours"
                ways = (
                    f"remove it there, or keep its name ({PREFIX}metallb-pool: {other}) and --adopt"
                )
                yield name, f"{message}; {ways}"


class Shrunk(NamedTuple):
    """A pool that has to shrink before another one grows, and the addresses that it keeps."""

    name: str
    keeps: IPSet


def giving(live: Pools, wanted: Pools) -> Iterator[Shrunk]:
    """Return pools whose ranges move to another pool. They shrink first.

    Args:
        live: The existing pools of `ipam`.
        wanted: The desired pools; missing ones are deleted.
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
    """Return Services with load balancer addresses in a set, by name."""
    found = [
        User(f"{item['metadata']['namespace']}/{item['metadata']['name']}", text)
        for item in services
        for text in _ingress(item)
        if _is_in(text, addresses)
    ]
    return sorted(found)


def nodes_in(nodes: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Return nodes with internal addresses in a set, by name."""
    found = [
        User(item["metadata"]["name"], entry["address"])
        for item in nodes
        for entry in (item.get("status") or {}).get("addresses") or ()
        if entry.get("type") == "InternalIP" and _is_in(entry.get("address", ""), addresses)
    ]
    return sorted(found)


def state_error(states: Iterable[Manifest]) -> str:
    """Return the error that MetalLB reports about its configuration, or an empty string."""
    for state in states:
        status = state.get("status") or {}
        if status.get("result") == "Invalid":
            name = state["metadata"]["name"]
            return f"MetalLB ({name}) refuses its configuration: {status.get('errorSummary', '')}"
    return ""


def controller_time(states: Iterable[Manifest]) -> str | None:
    """Return when MetalLB's controller last read its configuration, or None."""
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
