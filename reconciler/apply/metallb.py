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
Pools = Mapping[str, IPSet]
_MAX_DESCRIBED = 5


def pool_addresses(manifest: Manifest) -> IPSet:
    """Return the addresses of an IPAddressPool, or raise ValueError as `ranges_of`."""
    return ranges_of((manifest.get("spec") or {}).get("addresses") or ())


def ranges_of(texts: Iterable[str]) -> IPSet:
    """Return the addresses of a pool's entries, or raise ValueError. Host bits are masked."""
    return IPSet.of(_entry(text) for text in texts)


def _entry(text: str) -> IPRange:
    try:
        first, dash, last = text.partition("-")
        if dash:
            (version, start), (other, end) = _number(first.strip()), _number(last.strip())
            end = end if version == other else -1
        else:
            address, _, length = text.partition("/")
            version, start = _number(address)
            size = 1 << (BITS[6 if ":" in address else 4] - int(length))
            start -= start % size
            end = start + size - 1
        if not start <= end < 1 << BITS[version]:
            raise ValueError(text)
    except ValueError as wrong:
        raise ValueError(f"{shown(text)} is neither a CIDR nor start-end") from wrong
    return IPRange(version, start, end)


def _number(text: str) -> tuple[int, int]:
    """Return the IP version and the number of an address. An IPv4-mapped one is IPv4, as in Go."""
    try:
        return parse_address(text)
    except NotationError:
        address = ip_address(text)
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            raise ValueError(text)
        address = address.ipv4_mapped or address
    return address.version, int(address)


def written(addresses: Iterable[IPRange]) -> tuple[str, ...]:
    """Return ranges in the syntax of a pool, sorted and merged."""
    return tuple(format_range(item) for item in IPSet.of(addresses))


def describe(addresses: IPSet) -> str:
    """Return a short list of ranges for a message."""
    texts = [format_short(item) for item in addresses.ranges[:_MAX_DESCRIBED]]
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
                what = f"{describe(shared)} is also in IPAddressPool {other}, which is not ours;"
                named = f"{PREFIX}metallb-pool: {other}"
                yield name, f"{what} remove it there, or keep its name ({named}) and --adopt"


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


def users_of(services: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Return Services with load balancer addresses in a set, by name."""
    return sorted(
        User(f"{item['metadata']['namespace']}/{item['metadata']['name']}", text)
        for item in services
        for entry in ((item.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
        if _is_in(text := entry.get("ip") or "", addresses)
    )


def nodes_in(nodes: Iterable[Manifest], addresses: IPSet) -> list[User]:
    """Return nodes with internal addresses in a set, by name."""
    return sorted(
        User(item["metadata"]["name"], entry["address"])
        for item in nodes
        for entry in (item.get("status") or {}).get("addresses") or ()
        if entry.get("type") == "InternalIP" and _is_in(entry.get("address", ""), addresses)
    )


def _is_in(text: str, addresses: IPSet) -> bool:
    try:
        version, number = _number(text)
    except ValueError:
        return False
    return bool(addresses.overlapping(IPRange(version, number, number)))


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
