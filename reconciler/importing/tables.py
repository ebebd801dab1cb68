"""CSV tables."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from shlex import quote
from types import MappingProxyType
from typing import NamedTuple
from unicodedata import normalize

from reconciler.addresses import IPRange, NotationError, format_short
from reconciler.documents.findings import Location, join_limited, meant, nearest, shown
from reconciler.families.importing import ImportedNetwork, ImportedRange
from reconciler.importing import sources
from reconciler.importing.cells import between, is_network, is_valid, ranges_in
from reconciler.importing.sources import LOAD_BALANCER, NODES, ImportedSource, full_place, slug
from reconciler.loadbalancers.interface import DEFAULT
from reconciler.model.pool import DEFAULT_SPACE

# In order of precedence: of several columns with an owner, the first with a value is used.
HEADERS = {
    "address": "address ip ipaddress ipaddr ipv4 ipv4address addr vip externalip loadbalancerip"
    " primaryip hostip addresses ips ipaddresses ipadresse ipadressen hostadresse adresseip",
    "range": "range iprange addressrange pinnedrange ranges bereich ipbereich plage",
    "cidr": "cidr prefix subnet block subnetz teilnetz netzadresse sousréseau sousreseau préfixe",
    "mask": "mask netmask subnetmask prefixlength masklength maske netzmaske subnetzmaske masque",
    "start": "start startaddress startip first firstip firstaddress from von startadresse début debut",
    "end": "end endaddress endip last lastip lastaddress to bis endadresse fin",
    "ipv6": "ipv6 ipv6address ip6 ipv6range ipv6prefix",
    "cluster": "cluster tenant tenantcluster clustername tenantname mandant locataire",
    "name": "name hostname host server device vm virtualmachine machine dnsname dns fqdn service"
    " assignedobject parent rechner rechnername gerät geraet nom hôte hote serveur",
    "namespace": "namespace ns project projekt projet",
    "pool": "pool network networkpool vlan segment poolname netz netzwerk réseau reseau",
    "type": "type role usage purpose kind typ art rolle verwendung zweck verwendungszweck genre rôle",
    "team": "team owner department group ownedby customer kunde abteilung besitzer zuständig équipe",
    "description": "description desc comment comments note notes remark remarks beschreibung bemerkung"
    " bemerkungen kommentar anmerkung notiz commentaire remarque",
    "status": "status state ipstate tag zustand statut état",
    "used": "markutilized markedutilized markpopulated markedpopulated isfull",
    "space": "vrf space addressspace",
    "ignore": "ispool gateway gw defaultgateway standardgateway passerelle id mac macaddress site",
}
"""Headers by meaning, in lower case and without word separators."""

_BETWEEN = re.compile(r"[\W_]+")
_LISTS = {
    "no": "false no n 0 \u2717 \u2718",
    "flags": "true false yes no \u2713 \u2714 \u2717 \u2718",
    "nothing": "n/a n.a. #n/a none null nil - -- --- ? tbd \u2013 \u2014",
    LOAD_BALANCER: f"lb lbs loadbalancer vip vips ingress {DEFAULT.lower()} lastverteiler",
    NODES: "node nodes host hosts server servers vm vms machine device worker workers"
    " knoten rechner serveur nœud noeud loopback secondary",  # the last two are roles of NetBox
    "free": "free available unused decommissioned deprecated container frei verfügbar libre",
    "reserved": "reserved dhcp reserviert réservé",
    "network": "pool network prefix subnet vlan",
    "not": "no not non without former formerly ex old kein keine nicht ohne pas sans",
}
_WORDS = {key: frozenset(text.split()) for key, text in _LISTS.items()}
_KNOWN = {name: (key, rank) for key, it in HEADERS.items() for rank, name in enumerate(it.split())}
_NO_VALUES = {"used": _WORDS["no"], "pool": _WORDS["flags"]}  # NetBox's Pool is a boolean
TYPES = (LOAD_BALANCER, NODES, "free", "reserved")  # those that `--map-type` can name
_LIKE_ADDRESS = re.compile(r"(?:[0-9]+\.){3}[0-9]+|[0-9a-fA-F]*:[0-9a-fA-F:]+")
_PLACES = ("address", "range", "cidr", "start", "ipv6")
_ADDRESSED = {name for name, (meaning, _) in _KNOWN.items() if meaning in (*_PLACES, "pool")}
MAX_BYTES = 32 * 1024 * 1024
MAX_ROWS = 100_000
_SAMPLE = 50
_DELIMITERS = ",;\t|"
_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_SEPARATOR = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_DISTINGUISHER = re.compile(r"\s*\([^()]*:[^()]*\)\Z")


Columns = Mapping[str, tuple[int, ...]]  # positions by meaning; the meaning of unknown ones is ""


def columns_of(header: Sequence[str], mapped: Mapping[str, str]) -> Columns:
    """Return the meanings of columns. Raises ValueError for an unknown requested column or meaning."""
    there = [plain(name) for name in header]
    wanted: dict[str, str] = {}
    for name, meaning in mapped.items():
        if meaning not in HEADERS:
            more = meant(meaning, HEADERS) or f"meanings: {', '.join(HEADERS)}"
            raise ValueError(f"{shown(meaning)} is not a meaning of a column; {more}")
        wanted[plain(name)] = meaning
        if plain(name) not in there:
            raise ValueError(f"no column {shown(name)} (columns: {', '.join(header)})")
    ranked: dict[str, list[tuple[int, int]]] = {}
    for at, name in enumerate(there):
        meaning, rank = (wanted[name], -1) if name in wanted else _KNOWN.get(name, ("", 0))
        ranked.setdefault(meaning, []).append((rank, at))
    return {key: tuple(at for _, at in sorted(places)) for key, places in ranked.items()}


def plain(name: str) -> str:
    """Return a header in lower case, without word separators."""
    return _BETWEEN.sub("", normalize("NFC", name.strip()).casefold())


class TableRow(NamedTuple):
    """Nonempty texts by meaning, the shape (`network`, `range`, `host`) if stated, unread headers."""

    place: Location
    values: Mapping[str, str]
    shape: str = ""
    unread: tuple[str, ...] = ()

    def get(self, meaning: str) -> str:
        """Return the text of a meaning; empty if absent."""
        return self.values.get(meaning, "")


Rows = tuple[Sequence[TableRow], Sequence[str]]  # the rows of a file, and notes


class UnreadableError(Exception):
    """A file cannot be read."""

    def __init__(self, path: str, message: str, hint: str, line: int = 0) -> None:
        super().__init__(message)
        self.finding = sources.conflict(Location(path, line), message, hint)


def decoded(path: str, data: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 (spreadsheets)."""
    if len(data) > MAX_BYTES:
        message = f"the file has {len(data):,} bytes, must have at most {MAX_BYTES:,}"
        raise UnreadableError(path, message, "split it into several files, and pass all of them")
    encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    if b"\0" in data[:2]:
        encoding = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as failed:
        line = data.count(b"\n", 0, failed.start) + 1
        message = f"the file is not UTF-8 text: byte {failed.start} is {data[failed.start]:#04x}"
        hint = "save it as UTF-8, such as `CSV UTF-8` of a spreadsheet"
        raise UnreadableError(path, message, hint, line) from failed


def table_rows(
    path: str,
    text: str,
    mapped: Mapping[str, str],
    meanings: Mapping[str, str] = MappingProxyType({}),
    shape: Callable[[Iterable[str]], str] = lambda _: "",
) -> Rows:
    """Return the rows of a table, by requested meanings, and by meanings of another program."""
    records = _records(path, text, mapped)
    line, texts = next(records, (0, [""]))
    if not any(header := [cell.lstrip("# ") for cell in texts]):
        raise UnreadableError(path, "the file is empty", "begin with a header, such as ip,name")
    try:
        theirs = {it: meanings[plain(it)] for it in header if plain(it) in meanings}
        columns = columns_of(header, {**theirs, **mapped})
    except ValueError as failed:
        hint = "pass a column of the header: --map COLUMN=MEANING"
        raise UnreadableError(path, str(failed), hint, line) from failed
    unknown = columns.get("", ())
    rows: list[TableRow] = []
    notes: list[str] = []
    sample: list[list[str]] = []
    for number, texts in records:
        place = Location(path, number)
        if not texts[0].startswith("#") or (any(texts[1:]) and 0 in unknown):
            sample += [texts] if len(sample) < _SAMPLE else []
            unread = (header[at] for at in unknown if any(texts[at : at + 1]))
            rows.append(TableRow(place, _values(texts, columns), shape(header), tuple(unread)))
        elif any(texts[1:]):
            notes.append(f"{place}: a comment, ignored")
    likely = _likely(header, columns, sample)
    is_networks = not columns.keys() & {"address", "range", "start"} and not shape(header)
    is_host = is_networks and columns.keys() & {"name", "cluster"} and "address" in likely.values()
    if is_host or (columns.keys().isdisjoint(_PLACES) and not any(map(network_in_pool, rows))):
        raise UnreadableError(path, *_no_addresses(header, likely), line)
    if names := [header[at] for at in unknown if header[at]]:
        hint = f"to set a meaning, pass --map {quote(f'{names[0]}=MEANING')}"
        notes.append(f"{path}: not read: column {', '.join(map(shown, names))}; {hint}")
    return rows, notes


def _no_addresses(header: Sequence[str], likely: Mapping[str, str]) -> tuple[str, str]:
    message = f"no column has addresses (columns: {', '.join(map(shown, header))})"
    pairs = likely or {"COLUMN": "address"}
    hint = "pass " + " ".join(
        f"--map {quote(f'{name}={meaning}')}" for name, meaning in pairs.items()
    )
    more = "; for ends of ranges, use =start and =end" if "ignore" in pairs.values() else ""
    return message, f"{hint}{more}"


def _likely(header: Sequence[str], columns: Columns, sample: list[list[str]]) -> dict[str, str]:
    """Return meanings of unknown columns with addresses. Hosts differ more than their gateways."""
    found: dict[str, set[str]] = {}
    for at, name in enumerate(header):
        cells = {row[at] for row in sample if at < len(row) and is_valid(row[at])}
        if cells and at in columns.get("", ()) and not all(it.startswith("255.") for it in cells):
            found[name] = cells
    hosts = [name for name, cells in found.items() if not all(map(is_network, cells))]
    host = max(hosts, key=lambda name: len(found[name]), default="")
    return {it: "address" if it == host else "ignore" if it in hosts else "cidr" for it in found}


def _records(path: str, text: str, mapped: Mapping[str, str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the last line and the texts of the header, and of each row that is not empty."""
    lines = list(io.StringIO(text, newline=""))
    marks = _DELIMITERS
    if found := _SEPARATOR.match(text):
        marks, lines[0] = found[1], "\n"
    at, mark = _header(lines, marks, {plain(name) for name in mapped})
    reader = csv.reader(lines[at:], delimiter=mark, strict=True)
    try:
        texts = ([cell.strip() for cell in cells] for cells in reader)
        for count, row in enumerate(filter(any, texts)):
            if count > MAX_ROWS:
                message = f"the file has more than {MAX_ROWS:,} rows"
                hint = "split it into several files, and import one after the other"
                raise UnreadableError(path, message, hint, at + reader.line_num)
            yield at + reader.line_num, row
    except csv.Error as failed:
        message, line = f"the row cannot be read: {failed}", at + reader.line_num
        raise UnreadableError(path, message, "fix the quotes of the row", line) from failed


def _header(lines: list[str], marks: str, mapped: Set[str]) -> tuple[int, str]:
    """Return the line of the header, the first one that names addresses, and the delimiter."""
    filled = [at for at, line in enumerate(lines) if line.strip()]
    for at in filled:
        rows = {mark: {plain(it) for it in lines[at].split(mark)} for mark in marks}
        found = [it for it, row in rows.items() if row & _ADDRESSED or (mapped and mapped <= row)]
        if found:
            return at, max(found, key=lambda mark: len(rows[mark]))
        if _LIKE_ADDRESS.search(lines[at]) and not lines[at].startswith("#"):
            break
    at = next((at for at in filled if not lines[at].startswith("#")), 0)
    return at, max(marks, key=lambda mark: (lines or [""])[at].count(mark))


def _values(texts: Sequence[str], columns: Columns) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for meaning, places in columns.items():
        for text in filter(None, (texts[at] for at in places if at < len(texts))):
            said = text.casefold()
            if said in _WORDS["nothing"]:
                found.setdefault("nothing" if meaning in _PLACES else "", text)
            elif said not in _NO_VALUES.get(meaning, ()):
                given = found.setdefault(meaning, text)
                if meaning in ("address", "range") and given != text:
                    found["another"] = text
    given = found.get("address", "")
    other = found.get("range") or found.get("start", "")
    if given and other and not other.startswith(given):
        found.setdefault("another", other)
    return found


_SPLIT = re.compile(r"load[\W_]*balanc(?:er|ers|ing)")


class Assumed(NamedTuple):
    """Defaults, and requested types and columns. No type: load balancers if one names clusters."""

    namespace: str = "default"
    type: str = ""
    types: Mapping[str, str] = MappingProxyType({})
    mapped: Mapping[str, str] = MappingProxyType({})


def said_type(text: str) -> str:
    """Return a type as `--map-type` names it."""
    return " ".join(text.casefold().split())


def type_of(text: str, types: Mapping[str, str]) -> str:
    """Return the type that a cell means; empty if unknown."""
    said = said_type(text)
    words = frozenset(_BETWEEN.split(_SPLIT.sub("lb", said))) - {""}
    whole = next((it for it in (*TYPES, "network") if words and words <= _WORDS[it]), "")
    if found := types.get(said) or whole:
        return found
    if words & (_WORDS[NODES] | _WORDS["free"] | _WORDS["not"]):
        return ""
    is_dhcp, is_balancing = "dhcp" in words, words & _WORDS[LOAD_BALANCER] or said == "service"
    return "" if bool(is_balancing) == is_dhcp else LOAD_BALANCER if is_balancing else "reserved"


def found_in(rows: Iterable[TableRow], assumed: Assumed) -> ImportedSource:
    """Return the content of rows. Several rows with the same fault are one conflict."""
    parts: list[ImportedSource] = []
    wrong: dict[tuple[str, str], list[Location]] = {}
    for row in rows:
        try:
            parts.append(_found(row, assumed))
        except NotationError as failed:
            wrong.setdefault((str(failed), failed.hint), []).append(row.place)
    for (message, hint), (first, *rest) in wrong.items():
        more = f", also at {join_limited([full_place(it) for it in rest])}" if rest else ""
        parts.append(ImportedSource(conflicts=(sources.conflict(first, f"{message}{more}", hint),)))
    return ImportedSource().with_more(*parts)


def _found(row: TableRow, assumed: Assumed) -> ImportedSource:
    status, type_ = row.get("status").casefold(), type_of(row.get("type"), assumed.types)
    # NetBox shows a VRF with its route distinguisher.
    place, vrf = row.place, _DISTINGUISHER.sub("", row.get("space"))
    space = DEFAULT_SPACE if vrf.casefold() == "global" else slug(vrf) or DEFAULT_SPACE
    if "nothing" in row.values and row.values.keys().isdisjoint({*_PLACES, "pool"}):
        note = f"{full_place(place)}: {shown(row.get('nothing'))}, so it has no address"
        return ImportedSource(notes=(note,))
    items, is_pool = _addresses(row, type_)
    owner = row.get("cluster") or row.get("name") or (row.get("team") if row.shape else "")
    free = next((it for it in (status, type_) if it in _WORDS["free"]), "")
    is_reserved = type_ == "reserved" or (
        free == "deprecated" and (is_pool or row.shape == "range")
    )
    if row.get("used") or status in _WORDS["reserved"]:
        is_reserved = is_reserved or is_pool or (not owner and row.shape != "host")
    if free and not is_reserved:
        return ImportedSource(notes=(f"{full_place(place)}: {free}, so it is not in use",))
    windows = tuple(sources.Window(item, place, space) for item in items)
    reserved = windows if is_reserved else ()
    if is_pool:
        name = _pool(row) or slug(row.get("name")) or slug(row.get("description"))
        networks = (
            name if name and len(items) == 1 else sources.by_address(name or "net", it, it.prefix())
            for it in items
        )
        made = (ImportedNetwork(*it, place, space) for it in zip(networks, items, strict=True))
        return ImportedSource(described=tuple(made), reserved=reserved)
    if is_reserved or (row.shape == "range" and not owner):
        return ImportedSource(windows=() if is_reserved else windows, reserved=reserved)
    held = tuple(_holding(row, item, space, type_, assumed) for item in items)
    return ImportedSource(holdings=held)


def _addresses(row: TableRow, type_: str) -> tuple[list[IPRange], bool]:
    if another := row.get("another"):
        one = row.get("address") or row.get("range")
        message = f"two columns have addresses: {shown(one)} and {shown(another)}"
        raise NotationError(
            message,
            "ignore one with --map COLUMN=ignore, and import the table again with the other",
        )
    owner = row.get("cluster") or row.get("name")
    more = ranges_in(row.get("ipv6")) if row.get("ipv6") else []
    if start := row.get("start"):
        return [between(start, row.get("end") or start), *more], False
    is_host, text = row.shape == "host", row.get("address") or row.get("range")
    is_alone = not (owner or is_host or type_ not in ("", "network"))
    if text and not (is_alone and is_network(_masked(row, text))):
        return [*ranges_in(text, "host" if is_host else "address"), *more], False
    text = text or row.get("cidr") or network_in_pool(row)
    if more and not text:
        return more, False
    is_owned = owner and (
        "/" in owner or any(map(row.get, ("cluster", "type", "team", "namespace")))
    )
    is_pool = row.shape == "network" or type_ == "network" or not is_owned  # pools also have names
    return [*ranges_in(_masked(row, text), "network" if is_pool else "cidr"), *more], is_pool


def _masked(row: TableRow, text: str) -> str:
    mask = row.get("mask").lstrip("/")
    return f"{text}/{mask}" if mask and _LIKE_ADDRESS.fullmatch(text) else text


def network_in_pool(row: TableRow) -> str:
    """Return the text of a row's pool if that is a network; else empty."""
    text = row.get("pool")
    return text if _LIKE_ADDRESS.match(text) else ""


def _pool(row: TableRow) -> str:
    return "" if network_in_pool(row) else slug(row.get("pool"))


def _holding(
    row: TableRow, item: IPRange, space: str, type_: str, assumed: Assumed
) -> ImportedRange:
    alone = row.get("team") if row.shape == "range" else ""  # NetBox names only a team for ranges
    said = row.get("cluster") or row.get("name") or alone
    namespace, slash, name = said.rpartition("/")
    owner = slug(name)
    if said and not owner:
        message = f"{shown(said)} cannot become a Kubernetes name"
        raise NotationError(message, "use a-z, digits, and -")
    if row.get("type") and type_ not in (LOAD_BALANCER, NODES):
        type_name = said_type(row.get("type"))
        near = nearest(type_name, sorted(_WORDS[LOAD_BALANCER]), 0.75)
        hint = f"--map-type {quote(f'{type_name}={LOAD_BALANCER}')}, or ={', ='.join(TYPES[1:])}"
        hint = f"did you mean {near}? Otherwise pass {hint}" if near else f"pass {hint}"
        raise NotationError(f"unknown type {shown(type_name)}", hint)
    if row.unread and row.get("cluster") and not (type_ or assumed.type):
        why = f"the row has no type; unrecognized columns: {', '.join(map(shown, row.unread))}"
        hint = " ".join(f"--map {quote(f'{it}=type')}" for it in row.unread)
        hint = f"{hint}, or =ignore for a column without types"
        raise NotationError(why, hint if all(row.unread) else "give each column a header")
    team = slug(row.get("team"))
    inside = slug(namespace if slash else row.get("namespace")) or team or assumed.namespace
    return ImportedRange(
        namespace=inside,
        name=owner or sources.by_address("ip", item),
        type=type_ or assumed.type or (LOAD_BALANCER if row.get("cluster") else NODES),
        item=item,
        place=row.place,
        team=team,
        said=said or row.get("description") or format_short(item),
        pool=_pool(row),
        space=space,
        is_typed=bool(type_),
    )
