"""CSV tables."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from unicodedata import normalize

from reconciler.addresses import (
    BITS,
    IPRange,
    NotationError,
    format_short,
    parse_address,
    parse_cidr,
)
from reconciler.documents.findings import Location, meant, nearest, shown
from reconciler.families.importing import ImportedNetwork, ImportedRange
from reconciler.importing.found import (
    LOAD_BALANCER,
    NODES,
    ImportedSource,
    Window,
    by_address,
    conflict,
    full_place,
    slug,
)
from reconciler.model.pool import DEFAULT_SPACE

# In order of precedence: of several columns with an owner, the first with a value is used.
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
"""Headers by meaning, in lower case and without word separators."""

_BETWEEN = re.compile(r"[\s_.\-/()]+")
_IGNORED = "ignore"
MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 100_000
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


class Columns(NamedTuple):
    """Positions of columns by meaning, and the unknown headers."""

    by_meaning: Mapping[str, tuple[int, ...]]
    unknown: tuple[str, ...]


def columns_of(header: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    """Return the meanings of columns. Raises ValueError for an unknown requested column or meaning."""
    there = [_plain(name) for name in header]
    wanted: dict[str, str] = {}
    meanings = (*HEADERS, _IGNORED)
    for name, meaning in mapped.items():
        if meaning not in meanings:
            more = meant(meaning, meanings) or f"meanings: {', '.join(meanings)}"
            raise ValueError(f"{shown(meaning)} is no meaning of a column; {more}")
        wanted[_plain(name)] = meaning
        if _plain(name) not in there:
            raise ValueError(f"no column {shown(name)}; there are: {', '.join(header)}")
    ranked: dict[str, list[tuple[int, int]]] = {}
    unknown = []
    known = {name: (key, rank) for key, it in HEADERS.items() for rank, name in enumerate(it)}
    for at, name in enumerate(there):
        meaning, rank = (wanted[name], -1) if name in wanted else known.get(name, ("", 0))
        if meaning and meaning != _IGNORED:
            ranked.setdefault(meaning, []).append((rank, at))
        elif not meaning:
            unknown.append(header[at])
    found = {key: tuple(at for _, at in sorted(places)) for key, places in ranked.items()}
    return Columns(found, tuple(unknown))


def _plain(name: str) -> str:
    return _BETWEEN.sub("", normalize("NFC", name.strip()).casefold())


class TableRow(NamedTuple):
    """Nonempty texts of a row by meaning; its shape (`network`, `range`, `host`) if stated."""

    place: Location
    values: Mapping[str, str]
    shape: str = ""

    def get(self, meaning: str) -> str:
        """Return the text of a meaning; empty if absent."""
        return self.values.get(meaning, "")


class Rows(NamedTuple):
    """The rows of a file, and its columns that are not read."""

    rows: tuple[TableRow, ...] = ()
    notes: tuple[str, ...] = ()


class UnreadableError(Exception):
    """A file cannot be read."""

    def __init__(self, path: str, message: str, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.finding = conflict(Location(path, line), message, hint)


def decoded(path: str, data: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 with a byte order mark (spreadsheets)."""
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data)} bytes; {MAX_BYTES} are read"
        raise UnreadableError(path, message, "split it into several files, and name all of them")
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as failed:
        line = data.count(b"\n", 0, failed.start) + 1
        message = f"the file is not UTF-8 text: byte {failed.start} is {data[failed.start]:#04x}"
        hint = "save it as UTF-8, such as `CSV UTF-8` of a spreadsheet"
        raise UnreadableError(path, message, hint, line) from failed


def table_rows(path: str, text: str, mapped: Mapping[str, str]) -> Rows:
    """Return the rows of a table; `mapped` are requested meanings by header."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        header = [cell.strip() for cell in next((row for row in lines if any(row)), [])]
        if not header:
            hint = "its first row is a header, such as ip,name"
            raise UnreadableError(path, "the file is empty", hint)
        columns = columns_of(header, mapped)
        if not columns.by_meaning.keys() & {"address", "range", "cidr", "start"}:
            message = f"no column says addresses; there are: {', '.join(map(shown, header))}"
            hint = f"--map COLUMN=address, or a header such as {', '.join(HEADERS['address'][:3])}"
            raise UnreadableError(path, message, hint, lines.line_num)
        rows: list[TableRow] = []
        for cells in lines:
            if len(rows) == MAX_ROWS:
                message = f"the file has more than {MAX_ROWS:,} rows"
                hint = "split it into several files, and import one after the other"
                raise UnreadableError(path, message, hint, lines.line_num)
            if any(cell.strip() for cell in cells):
                rows.append(TableRow(Location(path, lines.line_num), _values(cells, columns)))
    except csv.Error as failed:
        message = f"the row cannot be read: {failed}"
        raise UnreadableError(
            path, message, "fix the quotes of the row", lines.line_num
        ) from failed
    except ValueError as failed:
        hint = "name a column of the header: --map COLUMN=MEANING"
        raise UnreadableError(path, str(failed), hint, 1) from failed
    names = [shown(name) for name in columns.unknown if name]
    return Rows(tuple(rows), (f"{path}: not read: column {', '.join(names)}",) if names else ())


def _values(cells: list[str], columns: Columns) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for meaning, places in columns.by_meaning.items():
        for at in places:
            if at < len(cells) and (text := cells[at].strip()):
                found.setdefault(meaning, text)
    return found


def _delimiter(text: str) -> str:
    line = next((it for it in text.splitlines() if it.strip()), "")
    header = "".join(line.split('"')[::2])
    return max(_DELIMITERS, key=lambda mark: (header.count(mark), -_DELIMITERS.index(mark)))


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
    """Defaults: no type means load balancers if a column names clusters, else nodes."""

    namespace: str = "default"
    type: str = ""


def found_in(rows: Iterable[TableRow], assumed: Assumed) -> ImportedSource:
    """Return the content of rows. A note reports each unknown type of ranges once."""
    parts: list[ImportedSource] = []
    unknown: dict[str, str] = {}
    for row in rows:
        part, said = _found(row, assumed), row.get("type").casefold()
        parts.append(part)
        if part.holdings and said and said not in _BALANCING | _HELD:
            note = f"{full_place(row.place)}: type {shown(said)} is not known: taken as {NODES}"
            unknown.setdefault(said, note)
    return ImportedSource().with_more(*parts, ImportedSource(notes=tuple(unknown.values())))


def _found(row: TableRow, assumed: Assumed) -> ImportedSource:
    status, said = row.get("status").casefold(), row.get("type").casefold()
    if status in _FREE or said in _FREE_TYPES:
        free = status if status in _FREE else said
        return ImportedSource(notes=(f"{full_place(row.place)}: {free}, so nobody has it",))
    try:
        item, is_network = _addresses(row)
        space = slug(row.get("space")) or DEFAULT_SPACE
        if is_network:
            name = _pool(row) or slug(row.get("name")) or slug(row.get("description"))
            name = name or by_address("net", item, item.prefix())
            return ImportedSource(described=(ImportedNetwork(name, item, row.place, space),))
        if row.shape == "range" and not (row.get("team") or row.get("name")):
            return ImportedSource(windows=(Window(item, row.place, space),))
        return ImportedSource(holdings=(_holding(row, item, space, assumed),))
    except NotationError as failed:
        return ImportedSource(conflicts=(conflict(row.place, str(failed), failed.hint),))


def _addresses(row: TableRow) -> tuple[IPRange, bool]:
    if start := row.get("start"):
        end = row.get("end") or start
        return _between(start.partition("/")[0], end.partition("/")[0]), False
    if text := row.get("address"):
        # An address with its prefix length names one host, as in NetBox.
        is_host = row.shape == "host" or _has_host_bits(text)
        return (_one(text.partition("/")[0]) if is_host else parsed(text)), False
    if text := row.get("range"):
        return parsed(text), False
    if text := row.get("cidr") or _network_in_pool(row):
        is_owned = bool(row.get("name") or row.get("cluster"))
        is_named = row.get("type").casefold() in _NETWORKS
        return parsed(text), row.shape == "network" or is_named or not is_owned
    raise NotationError("the row says no address", _EXAMPLE)


def _network_in_pool(row: TableRow) -> str:
    text = row.get("pool")
    return text if _LIKE_CIDR.fullmatch(text) else ""


def _pool(row: TableRow) -> str:
    return "" if _network_in_pool(row) else slug(row.get("pool"))


def parsed(text: str) -> IPRange:
    """Return the range of `10.0.0.5`, `10.0.0.0/28`, or `10.0.0.5-10.0.0.9`."""
    first, dash, last = text.partition("-")
    if dash:
        return _between(first.strip(), last.strip())
    return parse_cidr(text) if "/" in text else _one(text)


def _one(text: str) -> IPRange:
    version, number = parse_address(text)
    return IPRange(version, number, number)


def _between(first: str, last: str) -> IPRange:
    start, end = _one(first), _one(last)
    if start.version != end.version or end.first < start.first:
        message = f"{shown(f'{first}-{last}')} does not end after it starts"
        raise NotationError(message, _EXAMPLE)
    return IPRange(start.version, start.first, end.first)


def _has_host_bits(text: str) -> bool:
    address, slash, length = text.partition("/")
    if not slash or not (length.isascii() and length.isdigit()) or "-" in text:
        return False
    version, number = parse_address(address)
    bits = BITS[version] - int(length)
    return bits > 0 and number & ((1 << bits) - 1) != 0


def _holding(row: TableRow, item: IPRange, space: str, assumed: Assumed) -> ImportedRange:
    alone = row.get("team") if row.shape == "range" else ""  # NetBox names only a team for ranges
    said = row.get("cluster") or row.get("name") or alone
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


def _type(row: TableRow, assumed: Assumed) -> str:
    said = row.get("type").casefold()
    if said in _BALANCING:
        return LOAD_BALANCER
    if said and said not in _HELD and (near := nearest(said, sorted(_BALANCING), _LIKE)):
        # As a nodes range, it would not be announced, and its cluster would get another range.
        message = f"type {shown(said)} is not known"
        raise NotationError(message, f"if it is a load balancer write {near}, else node")
    if said:
        return NODES
    return assumed.type or (LOAD_BALANCER if row.get("cluster") else NODES)
