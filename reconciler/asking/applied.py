"""The result of an apply, read back from what `apply -o json` or `reconcile -o json` printed.

Who gives the file may have got it from anywhere: each field that is used is checked, the others are
not looked at.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, parse_address
from reconciler.findings import shown

MOST_BYTES = 32 * 1024 * 1024
"""Of a file. Fifty thousand objects that were made come to half of it."""

_API_VERSION = "gitops-ipam.dev/v1alpha1"
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_LONGEST = 600
"""Characters of a cluster's name: namespace, slash and name, or a few words."""

_STATES = ("applied", "waiting", "unreachable", "refused", "failed")


class SeenCluster(NamedTuple):
    """A cluster of the result.

    Attributes:
        state: What became of it.
        uses: How many addresses Services used, by the range of a record; None where that was not
            read.
    """

    state: str
    uses: Mapping[IPRange, int] | None


class ApplyResult(NamedTuple):
    """What an apply told.

    Attributes:
        revision: The commit that was applied.
        clusters: By name.
    """

    revision: str
    clusters: Mapping[str, SeenCluster]


def read_apply_result(data: bytes) -> ApplyResult:
    """The result that some bytes hold: an ApplyResult, or a ReconcileResult that has one.

    Raises:
        ValueError: They hold none. The words name the field, what was read, and what was expected.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes; no result is as long")
    document = _document(data)
    if document.get("kind") == "ReconcileResult":
        _require_version(document)
        if document.get("apply") is None:
            raise ValueError("it is a ReconcileResult that applied nothing: its apply is null")
        document = _mapping(document["apply"], "apply")
    if document.get("kind") != "ApplyResult":
        raise ValueError(f"kind is {_told(document.get('kind'))}, not ApplyResult")
    _require_version(document)
    revision = _text(document.get("revision"), "revision")
    if not _REVISION.fullmatch(revision):
        raise ValueError(f"revision is {_told(revision)}, not the id of a commit")
    return ApplyResult(revision, dict(_clusters(document.get("clusters"))))


def _document(data: bytes) -> Mapping[str, Any]:
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
    except ValueError as wrong:  # a number of thousands of digits
        raise ValueError("it holds a number that is too long") from wrong
    return _mapping(value, "it")


def _require_version(document: Mapping[str, Any]) -> None:
    found = document.get("apiVersion")
    if found != _API_VERSION:
        raise ValueError(f"apiVersion is {_told(found)}, not {_API_VERSION}")


def _clusters(value: Any) -> Iterator[tuple[str, SeenCluster]]:
    names: set[str] = set()
    for at, item in enumerate(_list(value, "clusters")):
        where = f"clusters[{at}]"
        cluster = _mapping(item, where)
        name = _text(cluster.get("cluster"), f"{where}.cluster")
        if name in names:
            raise ValueError(f"{where}.cluster is {_told(name)}, which stands there twice")
        names.add(name)
        state = _text(cluster.get("state"), f"{where}.state")
        if state not in _STATES:
            raise ValueError(f"{where}.state is {_told(state)}, none of {', '.join(_STATES)}")
        # An older version told no uses.
        uses = cluster.get("uses")
        yield name, SeenCluster(state, None if uses is None else dict(_uses(uses, where)))


def _uses(value: Any, where: str) -> Iterator[tuple[IPRange, int]]:
    ranges: set[IPRange] = set()
    for at, item in enumerate(_list(value, f"{where}.uses")):
        place = f"{where}.uses[{at}]"
        use = _mapping(item, place)
        version, first = _address(use.get("start"), f"{place}.start")
        other, last = _address(use.get("end"), f"{place}.end")
        if version != other or last < first:
            raise ValueError(f"{place}.end is {_told(use['end'])}, before {_told(use['start'])}")
        found = IPRange(version, first, last)
        if found in ranges:
            raise ValueError(f"{place} is a range that stands there twice")
        ranges.add(found)
        used = use.get("used")
        if type(used) is not int or not 0 <= used <= found.size:
            raise ValueError(f"{place}.used is {_told(used)}, no number from 0 to {found.size}")
        yield found, used


def _address(value: Any, where: str) -> tuple[int, int]:
    text = _text(value, where)
    try:
        return parse_address(text)
    except NotationError as wrong:
        raise ValueError(f"{where} is {_told(text)}, which is no address") from wrong


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {_told(value)}, not a mapping")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{where} is {_told(value)}, not a list")
    return value


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where} is {_told(value)}, not a text")
    if len(value) > _LONGEST or not value.isprintable():
        raise ValueError(f"{where} is {_told(value)}, not up to {_LONGEST} printable characters")
    return value


def _told(value: Any) -> str:
    """A value for a message; of one that holds others only what it is."""
    match value:
        case None:
            return "missing"
        case dict() | list():
            return "a mapping" if isinstance(value, dict) else "a list"
        case bool() | float() | str():
            return shown(str(value)[:_LONGEST])
        case _:
            return shown(str(value)) if abs(value) < 1 << 128 else "a very large number"
