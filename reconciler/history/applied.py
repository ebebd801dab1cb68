"""Results of apply compared with records."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from reconciler.addresses import IPRange, NotationError, parse_address
from reconciler.documents.findings import shown
from reconciler.model.claim import Allocation

LONGEST = 600
"""Maximum characters of a text: namespace, slash, and name, or a few words."""


def address_of(value: Any, where: str) -> tuple[int, int]:
    """Return an address as version and number."""
    text = text_of(value, where)
    try:
        return parse_address(text)
    except NotationError as wrong:
        raise ValueError(f"{where} is {describe(text)}, which is no address") from wrong


def mapping_of(value: Any, where: str) -> Mapping[str, Any]:
    """Return a value that must be a mapping."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {describe(value)}, not a mapping")
    return value


def list_of(value: Any, where: str) -> list[Any]:
    """Return a value that must be a list."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {describe(value)}, not a list")
    return value


def text_of(value: Any, where: str) -> str:
    """Return a value that must be a nonempty text of one line."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where} is {describe(value)}, not a text")
    if len(value) > LONGEST or not value.isprintable():
        raise ValueError(f"{where} is {describe(value)}, not up to {LONGEST} printable characters")
    return value


def words_of(value: Any, where: str) -> str:
    """Return a text of any length, truncated if it is long."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where} is {describe(value)}, not a text")
    return value[:LONGEST]


def describe(value: Any) -> str:
    """Return a value for a message, or only its type if it has nested values."""
    match value:
        case None:
            return "missing"
        case dict() | list():
            return "a mapping" if isinstance(value, dict) else "a list"
        case bool() | float() | str():
            return shown(str(value)[:LONGEST])
        case _:
            return shown(str(value)) if abs(value) < 1 << 128 else "a very large number"


class Drifted(NamedTuple):
    """Object that differed from its last applied state.

    Attributes:
        object: `<group>/<kind>/<namespace>/<name>`.
        manager: The field manager that changed it, or empty if unknown.
        time: Time of the change in UTC, or empty if unknown.
        fields: The fields of ipam that differed.
        error: Why it could not be corrected, or empty if it was.
    """

    object: str
    manager: str
    time: str
    fields: tuple[str, ...]
    error: str


def drifted_of(objects: Sequence[Any], where: str) -> Iterator[Drifted]:
    """Yield the objects of a cluster that had drifted or that failed.

    Args:
        objects: Objects from the output of `apply -o json`.
        where: The cluster's place in the document.

    Raises:
        ValueError: A field is invalid.
    """
    for at, item in enumerate(objects):
        place = f"{where}.objects[{at}]"
        found = mapping_of(item, place)
        drift, error = found.get("drift"), words_of(found.get("error"), f"{place}.error")
        if drift is None and not error:
            continue
        told = mapping_of(drift or {}, f"{place}.drift")
        fields = list_of(told.get("fields") or [], f"{place}.drift.fields")
        yield Drifted(
            text_of(found.get("object"), f"{place}.object"),
            words_of(told.get("manager"), f"{place}.drift.manager"),
            words_of(told.get("time"), f"{place}.drift.time"),
            tuple(words_of(field, f"{place}.drift.fields") for field in fields),
            error,
        )


MAX_BYTES = 32 * 1024 * 1024
"""Maximum size of a file. Fifty thousand created objects take half of it."""

_API_VERSION = "gitops-ipam.dev/v1alpha1"
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_STATES = ("applied", "waiting", "unreachable", "refused", "failed")


class SeenCluster(NamedTuple):
    """Cluster of the result.

    Attributes:
        state: State of the cluster.
        uses: Number of addresses that Services use, by range of a record, or None if it was not
            read.
        error: Why the apply is incomplete, or empty if it succeeded.
        drifted: Objects that had drifted or that failed.
    """

    state: str
    uses: Mapping[IPRange, int] | None
    error: str = ""
    drifted: tuple[Drifted, ...] = ()


class ApplyResult(NamedTuple):
    """Result of an apply.

    Attributes:
        revision: The commit that was applied.
        clusters: Clusters by name.
    """

    revision: str
    clusters: Mapping[str, SeenCluster]


def read_apply_result(data: bytes) -> ApplyResult:
    """Parse an ApplyResult, or a ReconcileResult that has one.

    Raises:
        ValueError: The data is neither. The message names field, value, and expectation.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES} bytes; no result is as long")
    document = _applied_document(data)
    if document.get("kind") == "ReconcileResult":
        _require_version(document)
        if document.get("apply") is None:
            raise ValueError("it is a ReconcileResult that applied nothing: its apply is null")
        document = mapping_of(document["apply"], "apply")
    if document.get("kind") != "ApplyResult":
        raise ValueError(f"kind is {describe(document.get('kind'))}, not ApplyResult")
    _require_version(document)
    revision = text_of(document.get("revision"), "revision")
    if not _REVISION.fullmatch(revision):
        raise ValueError(f"revision is {describe(revision)}, not the id of a commit")
    return ApplyResult(revision, dict(_clusters(document.get("clusters"))))


def _applied_document(data: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(data.decode())
    except json.JSONDecodeError as wrong:
        where = f"line {wrong.lineno}, column {wrong.colno}"
        more = "; of a loop take one line" if wrong.msg == "Extra data" else ""
        raise ValueError(f"it is no JSON: {wrong.msg} ({where}){more}") from wrong
    except UnicodeDecodeError as wrong:
        raise ValueError(f"it is no UTF-8 from byte {wrong.start} on") from wrong
    except RecursionError as wrong:
        raise ValueError("it is nested too deeply") from wrong
    except ValueError as wrong:  # a number with thousands of digits
        raise ValueError("it holds a number that is too long") from wrong
    return mapping_of(value, "it")


def _require_version(document: Mapping[str, Any]) -> None:
    found = document.get("apiVersion")
    if found != _API_VERSION:
        raise ValueError(f"apiVersion is {describe(found)}, not {_API_VERSION}")


def _clusters(value: Any) -> Iterator[tuple[str, SeenCluster]]:
    names: set[str] = set()
    for at, item in enumerate(list_of(value, "clusters")):
        where = f"clusters[{at}]"
        cluster = mapping_of(item, where)
        name = text_of(cluster.get("cluster"), f"{where}.cluster")
        if name in names:
            raise ValueError(f"{where}.cluster is {describe(name)}, which stands there twice")
        names.add(name)
        state = text_of(cluster.get("state"), f"{where}.state")
        if state not in _STATES:
            raise ValueError(f"{where}.state is {describe(state)}, none of {', '.join(_STATES)}")
        # Older versions have no uses.
        uses = cluster.get("uses")
        used = None if uses is None else dict(_uses(uses, where))
        error = words_of(cluster.get("error"), f"{where}.error")
        objects = list_of(cluster.get("objects") or [], f"{where}.objects")
        yield name, SeenCluster(state, used, error, tuple(drifted_of(objects, where)))


def _uses(value: Any, where: str) -> Iterator[tuple[IPRange, int]]:
    ranges: set[IPRange] = set()
    for at, item in enumerate(list_of(value, f"{where}.uses")):
        place = f"{where}.uses[{at}]"
        use = mapping_of(item, place)
        version, first = address_of(use.get("start"), f"{place}.start")
        other, last = address_of(use.get("end"), f"{place}.end")
        if version != other or last < first:
            raise ValueError(
                f"{place}.end is {describe(use['end'])}, before {describe(use['start'])}"
            )
        found = IPRange(version, first, last)
        if found in ranges:
            raise ValueError(f"{place} is a range that stands there twice")
        ranges.add(found)
        used = use.get("used")
        if type(used) is not int or not 0 <= used <= found.size:
            raise ValueError(f"{place}.used is {describe(used)}, no number from 0 to {found.size}")
        yield found, used


_MAX_SECONDS = 10**9


class Served(NamedTuple):
    """Completed growth of a cluster.

    Attributes:
        cluster: `namespace/name` of the tenant.
        revision: The newest commit at that time.
        seconds: Time from the first sight of the need until the addresses were applied.
    """

    cluster: str
    revision: str
    seconds: float


def read_served(data: bytes) -> list[Served]:
    """Parse completed growth from the output of `reconcile -o json`, one document per line.

    Raises:
        ValueError: A line is not a ReconcileResult. The message names line and field.
    """
    found: list[Served] = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                found += _of_line(line)
            except ValueError as wrong:
                raise ValueError(f"line {number}: {wrong}") from wrong
    return found


def _of_line(line: bytes) -> Iterator[Served]:
    document = _served_document(line)
    if document.get("kind") != "ReconcileResult":
        raise ValueError(f"kind is {describe(document.get('kind'))}, not ReconcileResult")
    revision = text_of(document.get("commit") or document.get("base"), "commit")
    for at, item in enumerate(list_of(document.get("served", []), "served")):
        where = f"served[{at}]"
        found = mapping_of(item, where)
        seconds = found.get("seconds")
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 <= float(seconds or 0) <= _MAX_SECONDS:
            raise ValueError(f"{where}.seconds is {describe(seconds)}, no number of seconds")
        cluster = text_of(found.get("cluster"), f"{where}.cluster")
        yield Served(cluster, revision, float(seconds or 0))


def _served_document(line: bytes) -> Mapping[str, Any]:
    try:
        return mapping_of(json.loads(line.decode()), "it")
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise ValueError("it is no JSON; a loop writes a document a line") from wrong


NOT_THERE = "it is not in the result"
NOT_READ = "its Services were not read"
NOT_ANNOUNCED = "the cluster did not announce {} of them yet"


class Headroom(NamedTuple):
    """Load-balancer addresses of one cluster.

    Attributes:
        allocated: Addresses in live records.
        looked: Number of them for which the use by Services is known.
        used: Number of those that Services use.
        why: Why the use of some is unknown, or empty.
    """

    cluster: str
    allocated: int
    looked: int
    used: int
    why: str = ""

    @property
    def idle(self) -> int:
        """Number of addresses that are known to be unused."""
        return self.looked - self.used


class Idle(NamedTuple):
    """Unused addresses.

    Attributes:
        result: The commit of the apply result.
        revision: The commit that is read.
        items: All clusters with load-balancer addresses, by name.
    """

    result: str
    revision: str
    items: Sequence[Headroom]

    @property
    def is_other(self) -> bool:
        """Whether the result is of another revision."""
        return self.result != self.revision

    @property
    def total(self) -> Headroom:
        """The sum of all clusters."""
        sums = (sum(found) for found in zip(*((it[1:4]) for it in self.items), strict=True))
        return Headroom("", *(sums if self.items else (0, 0, 0)))


def used_of(record: Allocation, cluster: str, result: ApplyResult) -> int | None:
    """Return the number of used addresses of a record, or None if it is unknown."""
    seen = result.clusters.get(cluster)
    if seen is None or seen.uses is None or record.range is None:
        return None
    return seen.uses.get(record.range)


def headroom(
    records: Mapping[str, Iterable[Allocation]], result: ApplyResult, revision: str
) -> Idle:
    """Return the unused addresses of some clusters.

    Args:
        records: Records of load-balancer addresses, by cluster.
        result: Result of an apply.
        revision: The commit of the records, or empty for a work tree.
    """
    items = [_headroom(name, records[name], result) for name in sorted(records)]
    return Idle(result.revision, revision, [item for item in items if item.allocated])


def _headroom(cluster: str, records: Iterable[Allocation], result: ApplyResult) -> Headroom:
    allocated = looked = used = 0
    for record in records:
        if not record.is_live or record.range is None:
            continue
        allocated += record.range.size
        found = used_of(record, cluster, result)
        if found is not None:
            looked, used = looked + record.range.size, used + found
    return Headroom(cluster, allocated, looked, used, _why(cluster, result, allocated - looked))


def _why(cluster: str, result: ApplyResult, left: int) -> str:
    """Return why the use of some addresses is unknown."""
    seen = result.clusters.get(cluster)
    if not left:
        return ""
    if seen is None:
        return NOT_THERE
    if seen.uses is None:
        return NOT_READ if seen.state in ("applied", "failed") else f"it was {seen.state}"
    return NOT_ANNOUNCED.format(left)
