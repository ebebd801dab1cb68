"""CSV tables."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses.notation import NotationError, format_short, parse_address, parse_cidr
from reconciler.addresses.ranges import BITS, IPRange
from reconciler.documents.findings import Finding, Location, meant, nearest, shown
from reconciler.importing.found import (
    DEFAULT_SPACE,
    LOAD_BALANCER,
    NODES,
    ImportedNetwork,
    ImportedRange,
    ImportedSource,
    Window,
    by_address,
    conflict,
    slug,
)

# In the order in which they are taken: of two columns that name somebody, the first that has a value.
HEADERS: Mapping[str, tuple[str, ...]] = {
    "address": (
        *("address", "ip", "ipaddress", "ipaddr", "ipv4", "ipv4address", "addr", "vip"),
        *("externalip", "loadbalancerip", "primaryip", "hostip", "addresses", "ips"),
    ),
    "range": ("range", "iprange", "addressrange", "pinnedrange"),
    "cidr": ("cidr", "prefix", "subnet", "block"),
    "start": ("start", "startaddress", "startip", "first", "firstip", "firstaddress", "from"),
    "end": ("end", "endaddress", "endip", "last", "lastip", "lastaddress", "to"),
    "cluster": ("cluster", "tenant", "tenantcluster", "clustername", "tenantname"),
    "name": (
        *("name", "hostname", "host", "server", "device", "vm", "virtualmachine", "machine"),
        *("dnsname", "dns", "fqdn", "service", "assignedobject", "parent"),
    ),
    "namespace": ("namespace", "ns", "project"),
    "pool": ("pool", "network", "networkpool", "vlan", "segment", "poolname"),
    "type": ("type", "role", "usage", "purpose", "kind"),
    "team": ("team", "owner", "department", "group", "ownedby"),
    "description": ("description", "desc", "comment", "comments", "note", "notes", "remark"),
    "status": ("status", "state"),
    "space": ("vrf", "space", "addressspace"),
}
"""The headers by meaning, in small letters and without what stands between words."""

_BETWEEN = re.compile(r"[\s_.\-/()]+")
IGNORED = "ignore"


class Columns(NamedTuple):
    """Positions of columns by meaning, and the headers that mean nothing."""

    by_meaning: Mapping[str, tuple[int, ...]]
    unknown: tuple[str, ...]

    @property
    def has_addresses(self) -> bool:
        """Some column says addresses."""
        return any(it in self.by_meaning for it in ("address", "range", "cidr", "start"))


def columns_of(header: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    """What the columns of a header mean.

    Args:
        header: The header.
        mapped: Meanings by header, as a person says; they go before what headers say.

    Raises:
        ValueError: A person names a column that is not there, or a meaning that is none.
    """
    wanted = {_plain(name): _meaning(meaning) for name, meaning in mapped.items()}
    there = [_plain(name) for name in header]
    for name, asked in zip(mapped, wanted, strict=False):
        if asked not in there:
            columns = ", ".join(header)
            raise ValueError(f"no column {shown(name)}; there are: {columns}")
    ranked: dict[str, list[tuple[int, int]]] = {}
    unknown = []
    for at, name in enumerate(there):
        meaning, rank = (wanted[name], -1) if name in wanted else _describe(name)
        if meaning and meaning != IGNORED:
            ranked.setdefault(meaning, []).append((rank, at))
        elif not meaning:
            unknown.append(header[at])
    found = {key: tuple(at for _, at in sorted(places)) for key, places in ranked.items()}
    return Columns(found, tuple(unknown))


def _describe(name: str) -> tuple[str, int]:
    for meaning, headers in HEADERS.items():
        if name in headers:
            return meaning, headers.index(name)
    return "", 0


def _meaning(text: str) -> str:
    known = (*HEADERS, IGNORED)
    if text not in known:
        more = meant(text, known) or f"meanings: {', '.join(known)}"
        raise ValueError(f"{shown(text)} is no meaning of a column; {more}")
    return text


def _plain(name: str) -> str:
    return _BETWEEN.sub("", name.strip().casefold())


MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 100_000
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class TableRow(NamedTuple):
    """What a row says.

    Attributes:
        values: Texts by meaning; none that are empty.
        shape: `network`, `range` or `host`, where the source tells; else empty.
    """

    place: Location
    values: Mapping[str, str]
    shape: str = ""

    def get(self, meaning: str) -> str:
        """What it says of something; empty for nothing."""
        return self.values.get(meaning, "")


class Rows(NamedTuple):
    """The rows of a file, or why they cannot be told."""

    rows: tuple[TableRow, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()


def wrong(path: str, message: str, hint: str, line: int = 0) -> Rows:
    """A file that cannot be read."""
    return Rows(conflicts=(conflict(Location(path, line), message, hint),))


def decoded(path: str, data: bytes) -> str | Rows:
    """The text of a file: UTF-8, or UTF-16 with its mark, as spreadsheets write it."""
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data)} bytes; {MAX_BYTES} are read"
        return wrong(path, message, "split it into several files, and name all of them")
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as failed:
        line = data.count(b"\n", 0, failed.start) + 1
        message = f"the file is not UTF-8 text: byte {failed.start} is {data[failed.start]:#04x}"
        return wrong(path, message, "save it as UTF-8, such as `CSV UTF-8` of a spreadsheet", line)


def table_rows(path: str, text: str, mapped: Mapping[str, str]) -> Rows:
    """The rows of a table whose first row is a header.

    Args:
        path: Of the file, for places.
        text: Of the file.
        mapped: Meanings by header, as a person says.
    """
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = [cell.strip() for cell in next((row for row in lines if any(row)), [])]
        if not header:
            return wrong(path, "the file is empty", "its first row is a header, such as ip,name")
        columns = columns_of(header, mapped)
        if not columns.has_addresses:
            return _without_addresses(path, header, lines.line_num)
        rows: list[TableRow] = []
        for cells in lines:
            if len(rows) == MAX_ROWS:
                message = f"the file has more than {MAX_ROWS:,} rows"
                hint = "split it into several files, and import one after the other"
                return wrong(path, message, hint, lines.line_num)
            if any(cell.strip() for cell in cells):
                rows.append(TableRow(Location(path, lines.line_num), _values(cells, columns)))
    except csv.Error as failed:
        return wrong(path, f"the row cannot be read: {failed}", "mend it", lines.line_num)
    except ValueError as failed:
        return wrong(path, str(failed), "name a column of the header: --map COLUMN=MEANING", 1)
    names = [shown(name) for name in columns.unknown if name]
    notes = (f"{path}: not read: column {', '.join(names)}",) if names else ()
    return Rows(tuple(rows), (), notes)


def _without_addresses(path: str, header: Iterable[str], line: int) -> Rows:
    names = ", ".join(shown(name) for name in header)
    message = f"no column says addresses; there are: {names}"
    known = ", ".join(HEADERS["address"][:3])
    return wrong(path, message, f"--map COLUMN=address, or a header such as {known}", line)


def _values(cells: list[str], columns: Columns) -> Mapping[str, str]:
    found = {
        meaning: next((text for at in places if (text := _cell(cells, at))), "")
        for meaning, places in columns.by_meaning.items()
    }
    return {meaning: text for meaning, text in found.items() if text}


def _cell(cells: list[str], at: int) -> str:
    return cells[at].strip() if at < len(cells) else ""


def _delimiter(text: str) -> str:
    """The mark that stands most often in the header, outside of quotes."""
    header = "".join(_unquoted(next((it for it in text.splitlines() if it.strip()), "")))
    return max(_DELIMITERS, key=lambda mark: (header.count(mark), -_DELIMITERS.index(mark)))


def _unquoted(line: str) -> Iterator[str]:
    return (part for at, part in enumerate(line.split('"')) if at % 2 == 0)


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


def found_in(rows: Iterable[TableRow], assumed: Assumed) -> ImportedSource:
    """What rows say."""
    rows = list(rows)
    parts = [_found(row, assumed) for row in rows]
    return ImportedSource(
        tuple(it for part in parts for it in part.described),
        tuple(it for part in parts for it in part.windows),
        tuple(it for part in parts for it in part.holdings),
        (),
        tuple(it for part in parts for it in part.conflicts),
        (),
        (*(it for part in parts for it in part.notes), *_unknown_types(rows, parts)),
    )


def _unknown_types(rows: Iterable[TableRow], parts: Iterable[ImportedSource]) -> Iterator[str]:
    """Types of ranges that mean nothing here, each where it stands first."""
    told: set[str] = set()
    for row, part in zip(rows, parts, strict=True):
        said = row.get("type").casefold()
        if part.holdings and said and said not in told and said not in _BALANCING | _HELD:
            told.add(said)
            yield f"{_place(row)}: type {shown(said)} is not known: taken as {NODES}"


def _found(row: TableRow, assumed: Assumed) -> ImportedSource:
    if says := _says_free(row):
        return ImportedSource(notes=(f"{_place(row)}: {says}, so nobody has it",))
    try:
        item, is_network = _addresses(row)
        space = slug(row.get("space")) or DEFAULT_SPACE
        if is_network:
            return ImportedSource(described=(_network(row, item, space),))
        if row.shape == "range" and not (row.get("team") or row.get("name")):
            return ImportedSource(windows=(Window(item, row.place, space),))
        return ImportedSource(holdings=(_holding(row, item, space, assumed),))
    except NotationError as failed:
        return ImportedSource(conflicts=(conflict(row.place, str(failed), failed.hint),))


def _says_free(row: TableRow) -> str:
    """The word by which a row says that nobody has its addresses; empty for none."""
    status, said = row.get("status").casefold(), row.get("type").casefold()
    if status in _FREE:
        return status
    return said if said in _FREE_TYPES else ""


def _place(row: TableRow) -> str:
    return f"{row.place}{row.place.pointer}"


def _addresses(row: TableRow) -> tuple[IPRange, bool]:
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


def _network_beside(row: TableRow) -> str:
    """The network that stands where the name of a pool may stand, too; empty for none."""
    text = row.get("pool")
    return text if _LIKE_CIDR.fullmatch(text) else ""


def _pool(row: TableRow) -> str:
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


def _network(row: TableRow, item: IPRange, space: str) -> ImportedNetwork:
    told = (_pool(row), slug(row.get("name")), slug(row.get("description")))
    name = next((label for label in told if label), "")
    return ImportedNetwork(name or by_address("net", item, item.prefix()), item, row.place, space)


def _holding(row: TableRow, item: IPRange, space: str, assumed: Assumed) -> ImportedRange:
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
    return ImportedRange(
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


def _alone(row: TableRow) -> str:
    """Who a row is of that names nobody but a team; NetBox says so of ranges."""
    return row.get("team") if row.shape == "range" else ""


def _type(row: TableRow, assumed: Assumed) -> str:
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
