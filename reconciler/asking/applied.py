"""The result of an apply, read back from what `apply -o json` or `reconcile -o json` printed.

Who gives the file may have got it from anywhere: each field that is used is checked, the others are
not looked at.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from reconciler.addresses import IPRange
from reconciler.asking.drifted import Drifted, drifted_of
from reconciler.asking.fields import address_of, list_of, mapping_of, text_of, told, words_of

MOST_BYTES = 32 * 1024 * 1024
"""Of a file. Fifty thousand objects that were made come to half of it."""

_API_VERSION = "gitops-ipam.dev/v1alpha1"
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_STATES = ("applied", "waiting", "unreachable", "refused", "failed")


class SeenCluster(NamedTuple):
    """A cluster of the result.

    Attributes:
        state: What became of it.
        uses: How many addresses Services used, by the range of a record; None where that was not
            read.
        error: Why not all was done; empty when it was.
        drifted: Objects that others had changed, or that failed.
    """

    state: str
    uses: Mapping[IPRange, int] | None
    error: str = ""
    drifted: tuple[Drifted, ...] = ()


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
        document = mapping_of(document["apply"], "apply")
    if document.get("kind") != "ApplyResult":
        raise ValueError(f"kind is {told(document.get('kind'))}, not ApplyResult")
    _require_version(document)
    revision = text_of(document.get("revision"), "revision")
    if not _REVISION.fullmatch(revision):
        raise ValueError(f"revision is {told(revision)}, not the id of a commit")
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
    return mapping_of(value, "it")


def _require_version(document: Mapping[str, Any]) -> None:
    found = document.get("apiVersion")
    if found != _API_VERSION:
        raise ValueError(f"apiVersion is {told(found)}, not {_API_VERSION}")


def _clusters(value: Any) -> Iterator[tuple[str, SeenCluster]]:
    names: set[str] = set()
    for at, item in enumerate(list_of(value, "clusters")):
        where = f"clusters[{at}]"
        cluster = mapping_of(item, where)
        name = text_of(cluster.get("cluster"), f"{where}.cluster")
        if name in names:
            raise ValueError(f"{where}.cluster is {told(name)}, which stands there twice")
        names.add(name)
        state = text_of(cluster.get("state"), f"{where}.state")
        if state not in _STATES:
            raise ValueError(f"{where}.state is {told(state)}, none of {', '.join(_STATES)}")
        # An older version told no uses.
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
            raise ValueError(f"{place}.end is {told(use['end'])}, before {told(use['start'])}")
        found = IPRange(version, first, last)
        if found in ranges:
            raise ValueError(f"{place} is a range that stands there twice")
        ranges.add(found)
        used = use.get("used")
        if type(used) is not int or not 0 <= used <= found.size:
            raise ValueError(f"{place}.used is {told(used)}, no number from 0 to {found.size}")
        yield found, used
