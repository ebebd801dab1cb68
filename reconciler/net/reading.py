"""A record to what it holds: by one pattern, else as YAML, else each address in its text counts."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from reconciler.documents import yaml
from reconciler.net.ranges import Range, between, block, literals, number, union

RELEASED = "Released"
CLAIM = "gitops-ipam.dev/claim"
_READ = (".yaml", ".yml")
_EMPTY = ("Failed", "Pending")
_HOLDERS = ("Allocated", RELEASED)
_HOLDING = ("addresses", "allocatedCount", "cidr", "endAddress", "startAddress")
_CLAIM = re.compile(r"[a-z]+/[A-Za-z]+/[^/\s]+/[^/\s]+/[^/\s]+", re.ASCII)

# A value that ends with its line in any reading: plain, or in quotes without an escape.
_V = r"""(?:"[^"\\\n]*"|[^\s"'|>&*!%@`{}\[\],#?:-][^\n]*)"""
_A = r"(?:[0-9a-f.:]+|\"[0-9a-f.:]+\")"
# A name that is what is written, in any reading: `null`, `1.5` and `a # b` are not.
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
  namespace: ({_V})
spec:
{_FIELDS}  poolRef:
((?:    \w+: {_V}\n)+){_FIELDS}status:
(?:  addresses:
(?P<listed>(?:    - {_A}\n)+))?(?:  allocatedAt: {_V}
)?(?:  allocatedBy: {_V}
)?(?:  allocatedCount: (?P<count>[1-9]\d{{0,39}})
)?(?:  cidr: {_V}
)?  conditions:
    - lastTransitionTime: {_V}
      message: {_V}
      reason: {_V}
      status: {_V}
      type: Ready
(?:  endAddress: (?P<end>{_A})
)?  phase: (?P<phase>\w+)
(?:  releasedAt: {_V}
)?(?:  startAddress: (?P<start>{_A})
)?""",
    re.ASCII,
)


class Pool(NamedTuple):
    """A pool as a record or a document names it; what it does not say is empty."""

    kind: str
    namespace: str
    name: str

    def may_be(self, other: "Pool") -> bool:
        """The two may be one pool: what both say is equal."""
        return self.name == other.name and all(
            not mine or not its or mine == its
            for mine, its in zip(self[:2], other[:2], strict=True)
        )


UNKNOWN = Pool("", "", "")


class Holding(NamedTuple):
    """What one record holds.

    Attributes:
        claim: As its annotation names it, or empty.
        phase: Or empty where the record is not to be trusted.
        ranges: What it holds, in order; none for a record without a place.
    """

    path: str
    claim: str
    phase: str
    pool: Pool
    ranges: tuple[Range, ...]


def is_read(path: str) -> bool:
    """Files of other names say nothing."""
    return path.endswith(_READ)


def is_record(folder: str, path: str) -> bool:
    """What stands anywhere below the records folder, if it is read at all."""
    return path.startswith(f"{folder}/") and is_read(path)


def ranges_of(path: str, data: bytes) -> tuple[Range, ...]:
    """What a record holds: `holding_of(…).ranges`, in less time."""
    found = _CANONICAL.fullmatch(data.decode("utf-8", "replace"))
    ranges = None if found is None else _canonical_ranges(found)
    return holding_of("", path, data).ranges if ranges is None else ranges


def holding_of(folder: str, path: str, data: bytes) -> Holding:
    """What a record holds, and for whom.

    Args:
        folder: The records folder: a path below it may name the pool.
        path: Path of the record.
        data: Its bytes. Nothing about them is certain.
    """
    text = data.decode("utf-8", "replace")
    place = _place(folder, path)
    found = _canonical(path, text, place) or _careful(path, data, place)
    if found is None and "\0" in text:  # UTF-16 has zero bytes between its letters
        text = f"{text}\n{text.replace(chr(0), '')}"
    return found or Holding(path, "", "", place, literals(text))


def _canonical(path: str, text: str, place: Pool) -> Holding | None:
    """A record in the form that all of ours have."""
    found = _CANONICAL.fullmatch(text)
    if found is None or (ranges := _canonical_ranges(found)) is None:
        return None
    claim, namespace, reference = found.group(1, 2, 3)
    words = dict(line.split(": ", 1) for line in reference.replace("    ", "")[:-1].split("\n"))
    said = Pool(*(_bare(words.get(key, "")) for key in ("kind", "namespace", "name")))
    is_clear = all(map(_NAME.fullmatch, [namespace, *words.values()]))
    pool = _pool(place, said, _bare(namespace)) if is_clear else UNKNOWN
    return Holding(path, _claim(_bare(claim)), found["phase"], pool, ranges)


def _canonical_ranges(found: re.Match[str]) -> tuple[Range, ...] | None:
    """From start to end, when count and list agree."""
    listed, count, end, phase, start = found.group("listed", "count", "end", "phase", "start")
    if phase in _EMPTY:
        return None if start or end or listed or count else ()
    if not (start and end and count) or phase not in _HOLDERS:
        return None
    item = between(_bare(start), _bare(end))
    if item is None or int(count) != item[1] - item[0] + 1:
        return None
    return (item,) if listed is None or _is_list(listed, start, end, int(count)) else None


def _is_list(listed: str, start: str, end: str, count: int) -> bool:
    return (
        listed.count("\n") == count
        and listed.startswith(f"    - {start}\n")
        and listed.endswith(f"    - {end}\n")
    )


def _careful(path: str, data: bytes, place: Pool) -> Holding | None:
    """A record in any other form, if it is without a contradiction."""
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
    said = Pool(_text(words, "kind"), _text(words, "namespace"), _text(words, "name"))
    claim = _claim(_text(_mapping(metadata, "annotations"), CLAIM))
    return Holding(path, claim, phase, _pool(place, said, _text(metadata, "namespace")), ranges)


def _held(status: Mapping[str, Any]) -> tuple[Range, ...] | None:
    """From start to end, else the block; and whatever is listed beside it."""
    start, end = _text(status, "startAddress"), _text(status, "endAddress")
    item = between(start, end) if start or end else block(_text(status, "cidr"))
    listed = status.get("addresses") or []
    if item is None or not isinstance(listed, list):
        return None
    numbers = [number(it) if isinstance(it, str) else None for it in listed]
    known = [value for value in numbers if value is not None]
    if len(known) != len(numbers):
        return None
    return union([item, *((value, value) for value in known)])


def _place(folder: str, path: str) -> Pool:
    """The pool that a path names: `<kind>/<namespace>.<name>/<namespace>/<record>`."""
    parts = path.removeprefix(f"{folder}/").split("/")
    if len(parts) != 4:
        return UNKNOWN
    namespace, _, name = parts[1].rpartition(".")
    return Pool(parts[0], namespace, name)


def _pool(place: Pool, said: Pool, namespace: str) -> Pool:
    """Of pools of one name, that of the path is meant; else the one beside the record."""
    if place.name and said.name in ("", place.name) and said.kind in ("", place.kind):
        return place
    return said._replace(namespace=said.namespace or namespace) if said.name else UNKNOWN


def _claim(text: str) -> str:
    return text if _CLAIM.fullmatch(text) else ""


def _bare(text: str) -> str:
    return text[1:-1] if text[:1] == '"' else text


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
