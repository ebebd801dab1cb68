"""A row to what it means: a network, a range to give out of, or somebody who has addresses."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.addresses.iprange import BITS
from reconciler.addresses.notation import NotationError, format_short, parse_address, parse_cidr
from reconciler.findings import nearest, shown
from reconciler.importing.found import (
    DEFAULT_SPACE,
    LOAD_BALANCER,
    NODES,
    Described,
    Found,
    Holding,
    Window,
    conflict,
)
from reconciler.importing.naming import by_address, slug
from reconciler.importing.rows import Row

_FREE = frozenset({"free", "available", "unused", "decommissioned", "deprecated", "container"})
_BALANCING = frozenset(
    {"lb", "loadbalancer", "load-balancer", "load balancer", "vip", "ingress", "metallb", "service"}
)
_HELD = frozenset(
    {
        *("node", "nodes", "host", "hosts", "server", "servers", "vm", "vms", "machine", "device"),
        *("loopback", "secondary"),  # roles of NetBox
    }
)
_FREE_TYPES = frozenset({"free", "available", "unused"})
_NETWORKS = frozenset({"pool", "network", "prefix", "subnet", "vlan"})
_LIKE_CIDR = re.compile(r"[0-9a-fA-F.:]+/[0-9]+")
_LIKE = 0.75
_EXAMPLE = "write 10.0.0.5, 10.0.0.0/28 or 10.0.0.5-10.0.0.9"


class Assumed(NamedTuple):
    """What a person says of rows that do not say it.

    Attributes:
        type: Of a range; empty to take load balancers where a column names clusters, else nodes.
    """

    namespace: str = "default"
    type: str = ""


def found_in(rows: Iterable[Row], assumed: Assumed) -> Found:
    """What rows say."""
    rows = list(rows)
    parts = [_found(row, assumed) for row in rows]
    return Found(
        tuple(it for part in parts for it in part.described),
        tuple(it for part in parts for it in part.windows),
        tuple(it for part in parts for it in part.holdings),
        (),
        tuple(it for part in parts for it in part.conflicts),
        (),
        (*(it for part in parts for it in part.notes), *_unknown_types(rows, parts)),
    )


def _unknown_types(rows: Iterable[Row], parts: Iterable[Found]) -> Iterator[str]:
    """Types of ranges that mean nothing here, each where it stands first."""
    told: set[str] = set()
    for row, part in zip(rows, parts, strict=True):
        said = row.get("type").casefold()
        if part.holdings and said and said not in told and said not in _BALANCING | _HELD:
            told.add(said)
            yield f"{_place(row)}: type {shown(said)} is not known: taken as {NODES}"


def _found(row: Row, assumed: Assumed) -> Found:
    if says := _says_free(row):
        return Found(notes=(f"{_place(row)}: {says}, so nobody has it",))
    try:
        item, is_network = _addresses(row)
        space = slug(row.get("space")) or DEFAULT_SPACE
        if is_network:
            return Found(described=(_network(row, item, space),))
        if row.shape == "range" and not (row.get("team") or row.get("name")):
            return Found(windows=(Window(item, row.place, space),))
        return Found(holdings=(_holding(row, item, space, assumed),))
    except NotationError as failed:
        return Found(conflicts=(conflict(row.place, str(failed), failed.hint),))


def _says_free(row: Row) -> str:
    """The word by which a row says that nobody has its addresses; empty for none."""
    status, said = row.get("status").casefold(), row.get("type").casefold()
    if status in _FREE:
        return status
    return said if said in _FREE_TYPES else ""


def _place(row: Row) -> str:
    return f"{row.place}{row.place.pointer}"


def _addresses(row: Row) -> tuple[IPRange, bool]:
    """The addresses of a row, and whether they are those of a network that is given out of.

    Raises:
        NotationError: They cannot be read.
    """
    if start := row.get("start"):
        return _between(_bare(start), _bare(row.get("end") or start)), False
    if text := row.get("address"):
        # An address beside its prefix length names one host, as NetBox has it.
        is_host = row.shape == "host" or _has_host_bits(text)
        return (one(_bare(text)) if is_host else parsed(text)), False
    if text := row.get("range"):
        return parsed(text), False
    if text := row.get("cidr") or _network_beside(row):
        is_owned = bool(row.get("name") or row.get("cluster"))
        is_named = row.get("type").casefold() in _NETWORKS
        return parsed(text), row.shape == "network" or is_named or not is_owned
    raise NotationError("the row says no address", _EXAMPLE)


def _network_beside(row: Row) -> str:
    """The network that stands where the name of a pool may stand, too; empty for none."""
    text = row.get("pool")
    return text if _LIKE_CIDR.fullmatch(text) else ""


def _pool(row: Row) -> str:
    """The name of the pool that a row names; of a network its addresses tell."""
    return "" if _network_beside(row) else slug(row.get("pool"))


def parsed(text: str) -> IPRange:
    """The range of `10.0.0.5`, `10.0.0.0/28` or `10.0.0.5-10.0.0.9`.

    Raises:
        NotationError: It is none of these.
    """
    first, dash, last = text.partition("-")
    if dash:
        return _between(first.strip(), last.strip())
    return parse_cidr(text) if "/" in text else one(text)


def one(text: str) -> IPRange:
    """The range of one address.

    Raises:
        NotationError: It is none.
    """
    version, number = parse_address(text)
    return IPRange(version, number, number)


def _between(first: str, last: str) -> IPRange:
    start, end = one(first), one(last)
    if start.version != end.version or end.first < start.first:
        message = f"{shown(f'{first}-{last}')} does not end after it starts"
        raise NotationError(message, _EXAMPLE)
    return IPRange(start.version, start.first, end.first)


def _bare(text: str) -> str:
    return text.partition("/")[0]


def _has_host_bits(text: str) -> bool:
    address, slash, length = text.partition("/")
    if not slash or not (length.isascii() and length.isdigit()) or "-" in text:
        return False
    version, number = parse_address(address)
    bits = BITS[version] - int(length)
    return bits > 0 and number & ((1 << bits) - 1) != 0


def _network(row: Row, item: IPRange, space: str) -> Described:
    told = (_pool(row), slug(row.get("name")), slug(row.get("description")))
    name = next((label for label in told if label), "")
    return Described(name or by_address("net", item, item.prefix()), item, row.place, space)


def _holding(row: Row, item: IPRange, space: str, assumed: Assumed) -> Holding:
    """Who has a range.

    Raises:
        NotationError: It cannot be told.
    """
    said = row.get("cluster") or row.get("name") or _alone(row)
    namespace, slash, name = said.rpartition("/")
    owner = slug(name)
    if said and not owner:
        message = f"{shown(said)}: no name of Kubernetes can be made of it"
        raise NotationError(message, "name it in letters a-z, digits and -")
    team = slug(row.get("team"))
    inside = slug(namespace if slash else row.get("namespace")) or team or assumed.namespace
    return Holding(
        namespace=inside,
        name=owner or by_address("ip", item),
        type=_type(row, assumed),
        item=item,
        place=row.place,
        team=team,
        said=said or row.get("description") or format_short(item),
        pool=_pool(row),
        space=space,
    )


def _alone(row: Row) -> str:
    """Who a row is of that names nobody but a team; NetBox says so of ranges."""
    return row.get("team") if row.shape == "range" else ""


def _type(row: Row, assumed: Assumed) -> str:
    """The type of a range. What is no load balancer is held, and announced by nobody here."""
    said = row.get("type").casefold()
    if said in _BALANCING:
        return LOAD_BALANCER
    if said and said not in _HELD and (near := nearest(said, sorted(_BALANCING), _LIKE)):
        # Taken for nodes nobody would announce it, and its cluster would get another range.
        message = f"type {shown(said)} is not known"
        raise NotationError(message, f"if it is a load balancer write {near}, else node")
    if said:
        return NODES
    return assumed.type or (LOAD_BALANCER if row.get("cluster") else NODES)
