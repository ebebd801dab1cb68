"""How long growth waited, from when it was asked for until clusters had it, as results tell it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from reconciler.asking.fields import list_of, mapping_of, text_of, told

_MOST_SECONDS = 10**9


class Served(NamedTuple):
    """Growth of a cluster that was served.

    Attributes:
        cluster: `namespace/name` of the tenant.
        revision: The commit that was the newest then.
        seconds: From when its need was seen until the addresses were applied.
    """

    cluster: str
    revision: str
    seconds: float


def read_served(data: bytes) -> list[Served]:
    """What was served, as `reconcile -o json` told it: of a loop a document a line.

    Raises:
        ValueError: A line holds no ReconcileResult. The words name line and field.
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
    document = _document(line)
    if document.get("kind") != "ReconcileResult":
        raise ValueError(f"kind is {told(document.get('kind'))}, not ReconcileResult")
    revision = text_of(document.get("commit") or document.get("base"), "commit")
    for at, item in enumerate(list_of(document.get("served", []), "served")):
        where = f"served[{at}]"
        found = mapping_of(item, where)
        seconds = found.get("seconds")
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not 0 <= float(seconds or 0) <= _MOST_SECONDS:
            raise ValueError(f"{where}.seconds is {told(seconds)}, no number of seconds")
        cluster = text_of(found.get("cluster"), f"{where}.cluster")
        yield Served(cluster, revision, float(seconds or 0))


def _document(line: bytes) -> Mapping[str, Any]:
    try:
        return mapping_of(json.loads(line.decode()), "it")
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as wrong:
        raise ValueError("it is no JSON; a loop writes a document a line") from wrong
