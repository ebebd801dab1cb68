"""Overlapping allocations in files."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import Any, NamedTuple

from reconciler.documents import yaml

Range = tuple[int, int]
"""First and last number, inclusive. IPv6 starts at `V6`."""

V6 = 1 << 128
_V4_WORD = re.compile(
    r"(?<![0-9])(?<![0-9]\.)(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![0-9]|\.[0-9])", re.ASCII
)
_V6_WORD = re.compile(r"(?:[0-9A-Fa-f:]|\.(?=[0-9])){2,}", re.ASCII)
_LENGTH = re.compile(r"/([0-9]{1,3})(?![0-9])", re.ASCII)
_DASH = re.compile(r"[ \t]*(?:-|\.\.|\u2013)[ \t]*")
_END = re.compile(r"(?:start|end)Address\W{0,4}$", re.ASCII)
_NAMED_FROM = 24


def number(text: str) -> int | None:
    """Return an address as a number, or None. An IPv4-mapped address is the IPv4 address."""
    try:
        if ":" not in text:
            return int.from_bytes(inet_pton(AF_INET, text))
        value = int.from_bytes(inet_pton(AF_INET6, text))
    except (OSError, ValueError):
        return None
    return value & 0xFFFFFFFF if value > 1 and value >> 32 in (0, 0xFFFF) else V6 + value


def between(start: str, end: str) -> Range | None:
    """Return the range between two addresses of the same version, or None."""
    first, last = number(start), number(end)
    if first is None or last is None or first > last or (first < V6) != (last < V6):
        return None
    return first, last


def block(text: str) -> Range | None:
    """Return the range of a CIDR or of `first-last`. Host bits are ignored."""
    start, dash, end = text.partition("-")
    if dash:
        return between(start.strip(), end.strip())
    address, _, length = text.partition("/")
    value = number(address)
    if value is None or not length.isdecimal() or not length.isascii():
        return None
    return _around(value, int(length))


def written(item: Range) -> str:
    """Return a range as text: one address, or `first-last`."""
    first, last = (
        inet_ntop(AF_INET6, (it - V6).to_bytes(16))
        if it >= V6
        else inet_ntop(AF_INET, it.to_bytes(4))
        for it in item
    )
    return first if first == last else f"{first}-{last}"


def union(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the same addresses in the fewest ranges, sorted."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], last)
        else:
            found.append((first, last))
    return tuple(found)


def literals(text: str) -> tuple[Range, ...]:
    """Return all addresses, blocks, and ranges in a text of any form, and all between its ends."""
    found: list[Range] = []
    ends: list[int] = []
    before, before_end = 0, -1
    for start, end, value in sorted(_words(text)):
        length = _LENGTH.match(text, end)
        found.append((length and _around(value, int(length[1]))) or (value, value))
        is_range = before_end >= 0 and _DASH.fullmatch(text, before_end, start)
        if is_range and before <= value and (before < V6) == (value < V6):
            found.append((before, value))
        if _END.search(text[max(start - _NAMED_FROM, 0) : start]):
            ends.append(value)
        before, before_end = value, end
    for alike in ([it for it in ends if it < V6], [it for it in ends if it >= V6]):
        found += [(min(alike), max(alike))] if alike else []
    return union(found)


def _words(text: str) -> Iterator[tuple[int, int, int]]:
    for word in _V4_WORD.finditer(text):
        parts = [int(part) for part in word.group().split(".")]  # some tools read 010 as ten
        if max(parts) <= 255:
            yield (*word.span(), int.from_bytes(bytes(parts)))
    for word in _V6_WORD.finditer(text):
        if word.group().count(":") < 2:
            continue
        name = word.group().rstrip(".")
        # Punctuation before or after a word is not part of the address.
        for start, end in ((0, 0), (0, 1), (1, 0), (1, 1)):
            form = name[start : len(name) - end]
            if ":" in form and (value := number(form)) is not None:
                first = word.start() + start
                yield first, first + len(form), value
                break


def _around(value: int, length: int) -> Range | None:
    base, bits = (V6, 128) if value >= V6 else (0, 32)
    if length > bits:
        return None
    size = 1 << (bits - length)
    first = base + ((value - base) & -size)
    return first, first + size - 1


RELEASED = "Released"
CLAIM = "gitops-ipam.dev/claim"
_READ = (".yaml", ".yml")
_EMPTY = ("Failed", "Pending")
_HOLDERS = ("Allocated", RELEASED)
_HOLDING = ("addresses", "allocatedCount", "cidr", "endAddress", "startAddress")
_CLAIM = re.compile(r"[a-z]+/[A-Za-z]+/[^/\s]+/[^/\s]+/[^/\s]+", re.ASCII)

# A value that ends with its line for each YAML reader: plain, or in quotes without an escape.
_V = r"""(?:"[^"\\\n]*"|[^\s"'|>&*!%@`{}\[\],#?:-][^\n]*)"""
_A = r"(?:[0-9a-f.:]+|\"[0-9a-f.:]+\")"
# A name that each YAML reader reads literally; not `null`, `1.5`, or `a # b`.
_NAME = re.compile(
    r'"[^"\n]*"|(?!(?:null|true|false|[0-9.]+(?:e[0-9-]+)?)\Z)[a-z0-9][a-z0-9./-]*',
    re.ASCII | re.IGNORECASE,
)
_FIELDS = rf"(?:  (?!poolRef:)\w+:(?: {_V})?\n(?:    \w+: {_V}\n)*)*"
_CANONICAL = re.compile(
    rf"""apiVersion: {_V}
kind: \w+
metadata:
  annotations:
    gitops-ipam\.dev/claim: ({_V})
  labels:
(?:    [\w./-]+: {_V}\n)+  name: {_V}
(?:  namespace: ({_V})
)?spec:
{_FIELDS}  poolRef:
((?:    \w+: {_V}\n)+){_FIELDS}status:
(?:  addresses:
(?P<listed>(?:    - {_A}\n)+))?(?:  allocatedAt: {_V}
)?(?:  allocatedBy: {_V}
)?(?:  allocatedCount: (?P<count>[1-9]\d{{0,39}})
)?(?:  cidr: {_V}
)?(?:  conditions:
    - lastTransitionTime: {_V}
      message: {_V}
      reason: {_V}
      status: {_V}
      type: Ready
)?(?:  endAddress: (?P<end>{_A})
)?  phase: (?P<phase>\w+)
(?:  releasedAt: {_V}
)?(?:  startAddress: (?P<start>{_A})
)?""",
    re.ASCII,
)


class PoolText(NamedTuple):
    """A pool as a record or a document names it; unknown parts are empty."""

    kind: str
    namespace: str
    name: str

    def may_be(self, other: "PoolText") -> bool:
        """Return whether both can be the same pool: all known parts are equal."""
        return self.name == other.name and all(
            not mine or not its or mine == its
            for mine, its in zip(self[:2], other[:2], strict=True)
        )


UNKNOWN = PoolText("", "", "")


class RecordedRange(NamedTuple):
    """The sorted ranges that one record holds. Without a phase, the record is not trustworthy."""

    path: str
    claim: str
    phase: str
    pool: PoolText
    ranges: tuple[Range, ...]


def is_read(path: str) -> bool:
    """Return whether a file of this name is read. Other files are ignored."""
    return path.endswith(_READ)


def is_record(folder: str, path: str) -> bool:
    """Return whether a path is a readable file anywhere below the records folder."""
    return path.startswith(f"{folder}/") and is_read(path)


def ranges_of(path: str, data: bytes) -> tuple[Range, ...]:
    """Return the ranges of a record."""
    return holding_of("", path, data).ranges


def holding_of(folder: str, path: str, data: bytes) -> RecordedRange:
    """Return the ranges of a record and its claim. A path below the folder can name the pool."""
    text = data.decode("utf-8", "replace")
    place = _place(folder, path)
    found = _canonical(path, text, place) or _careful(path, data, place)
    if found is None and "\0" in text:  # UTF-16 has zero bytes between its letters
        text = f"{text}\n{text.replace(chr(0), '')}"
    return found or RecordedRange(path, "", "", place, literals(text))


def _canonical(path: str, text: str, place: PoolText) -> RecordedRange | None:
    found = _CANONICAL.fullmatch(text)
    if found is None or (ranges := _canonical_ranges(found)) is None:
        return None
    claim, namespace, reference = found[1], found[2] or "", found[3]
    words = dict(line.split(": ", 1) for line in reference.replace("    ", "")[:-1].split("\n"))
    said = PoolText(*(words.get(key, "").strip('"') for key in ("kind", "namespace", "name")))
    is_clear = all(map(_NAME.fullmatch, [*filter(None, [namespace]), *words.values()]))
    pool = _pool(place, said, namespace.strip('"')) if is_clear else UNKNOWN
    return RecordedRange(path, _claim(claim.strip('"')), found["phase"], pool, ranges)


def _canonical_ranges(found: re.Match[str]) -> tuple[Range, ...] | None:
    listed, count, end, phase, start = found.group("listed", "count", "end", "phase", "start")
    if phase in _EMPTY:
        return None if start or end or listed or count else ()
    if not (start and end and count) or phase not in _HOLDERS:
        return None
    item = between(start.strip('"'), end.strip('"'))
    if item is None or int(count) != item[1] - item[0] + 1:
        return None
    is_list = listed is None or (
        listed.count("\n") == int(count)
        and listed.startswith(f"    - {start}\n")
        and listed.endswith(f"    - {end}\n")
    )
    return (item,) if is_list else None


def _careful(path: str, data: bytes, place: PoolText) -> RecordedRange | None:
    reading = yaml.read(data)
    if reading.problems or len(reading.documents) != 1:
        return None
    body = reading.documents[0].value
    status = _mapping(body, "status")
    phase = _text(status, "phase")
    if phase in _EMPTY:
        ranges: tuple[Range, ...] | None = None if any(status.get(it) for it in _HOLDING) else ()
    else:
        ranges = _held(status) if phase in _HOLDERS else None
    if ranges is None:
        return None
    metadata = _mapping(body, "metadata")
    words = _mapping(_mapping(body, "spec"), "poolRef")
    said = PoolText(_text(words, "kind"), _text(words, "namespace"), _text(words, "name"))
    claim = _claim(_text(_mapping(metadata, "annotations"), CLAIM))
    return RecordedRange(
        path, claim, phase, _pool(place, said, _text(metadata, "namespace")), ranges
    )


def _held(status: Mapping[str, Any]) -> tuple[Range, ...] | None:
    start, end = _text(status, "startAddress"), _text(status, "endAddress")
    item = between(start, end) if start or end else block(_text(status, "cidr"))
    listed = status.get("addresses") or []
    if item is None or not isinstance(listed, list):
        return None
    ranges = [between(it, it) if isinstance(it, str) else None for it in listed]
    known = [it for it in ranges if it is not None]
    return union([item, *known]) if len(known) == len(ranges) else None


def _place(folder: str, path: str) -> PoolText:
    parts = path.removeprefix(f"{folder}/").split("/")
    if len(parts) != 4:
        return UNKNOWN
    return PoolText(parts[0], "", parts[1])


def _pool(place: PoolText, said: PoolText, namespace: str) -> PoolText:
    name = said.name or place.name.rpartition(".")[2]
    if place.name and f".{place.name}".endswith(f".{name}") and said.kind in ("", place.kind):
        return PoolText(place.kind, place.name.removesuffix(name).removesuffix("."), name)
    own = said.namespace or ("" if said.kind else namespace)
    return said._replace(namespace=own) if said.name else UNKNOWN


def _claim(text: str) -> str:
    return text if _CLAIM.fullmatch(text) else ""


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _text(value: Any, key: str) -> str:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, str) else ""


SPACE = "gitops-ipam.dev/address-space"
_DEFAULT = "default"
_OWN = "gitops-ipam.dev/"
"""The group of pools that state their address space in a field."""

PoolKinds = Mapping[str, str]
"""The kinds of pools, each with the default namespace of a document."""


class DescribedPool(NamedTuple):
    """A pool that a document describes, with its address space; None if the space is unclear."""

    pool: PoolText
    space: str | None


def described_pools(
    kinds: PoolKinds, names: Collection[str], path: str, data: bytes
) -> tuple[DescribedPool, ...]:
    """Return the pools of the given names that a source file describes; unclear if it is broken."""
    del path
    present = [name for name in names if name.encode() in data]
    if not present or not any(kind.encode() in data for kind in kinds):
        return ()
    reading = yaml.read(data)
    if reading.problems:
        return tuple(DescribedPool(PoolText("", "", name), None) for name in present)
    found = (_described(kinds, document.value) for document in reading.documents)
    return tuple(item for item in found if item is not None and item.pool.name in present)


def spaces_of(
    pools: Iterable[PoolText], found: Collection[DescribedPool]
) -> dict[PoolText, str | None]:
    """Return the address space of each pool; None unless there is exactly one."""
    spaces: dict[PoolText, str | None] = {}
    for pool in pools:
        answers = {item.space for item in found if pool.name and pool.may_be(item.pool)}
        spaces[pool] = answers.pop() if len(answers) == 1 else None
    return spaces


def may_share(one: str | None, other: str | None) -> bool:
    """Return whether two address spaces can be the same. An unknown one can be any."""
    return one is None or other is None or one == other


def _described(kinds: PoolKinds, body: Any) -> DescribedPool | None:
    kind, metadata = _text(body, "kind"), _mapping(body, "metadata")
    name = _text(metadata, "name")
    if kind not in kinds or not name:
        return None
    annotations = metadata.get("annotations")
    space: str | None = _DEFAULT
    if _text(body, "apiVersion").startswith(_OWN):
        space = _mapping(body, "spec").get("addressSpace", _DEFAULT)
    elif annotations is not None:
        space = annotations.get(SPACE, _DEFAULT) if isinstance(annotations, dict) else None
    pool = PoolText(kind, _text(metadata, "namespace") or kinds[kind], name)
    return DescribedPool(pool, space if isinstance(space, str) else None)


class Span(NamedTuple):
    """A range and the path of its record."""

    first: int
    last: int
    path: str


def is_near(laid: Sequence[Range], ranges: Iterable[Range]) -> bool:
    """Return whether one of the ranges overlaps the result of `union`."""
    places = ((bisect_right(laid, last, key=itemgetter(0)), first) for first, last in ranges)
    return any(at and laid[at - 1][1] >= first for at, first in places)


def granted(new: Iterable[RecordedRange], old: Iterable[RecordedRange]) -> list[RecordedRange]:
    """Return records with addresses new to their claim. `old` records without a claim match all."""
    before: dict[tuple[Range, ...], list[RecordedRange]] = {}
    for record in old:
        before.setdefault(record.ranges, []).append(record)
    return [
        record
        for record in new
        if record.ranges
        and record.phase != RELEASED
        and not any(
            other.claim in ("", record.claim) and record.pool.may_be(other.pool)
            for other in before.get(record.ranges, ())
        )
    ]


def overlapping(spans: Iterable[Span], paths: Collection[str]) -> list[tuple[str, str]]:
    """Return pairs of records that share an address, sorted; the first is one of `paths`."""
    found: dict[tuple[str, str], None] = {}
    reaching: list[Span] = []
    for span in sorted(spans):
        reaching = [other for other in reaching if other.last >= span.first]
        for other in reaching:
            one, two = span.path, other.path
            if one != two and (one in paths or two in paths):
                found[(one, two) if one in paths else (two, one)] = None
        reaching.append(span)
    return sorted(found)
