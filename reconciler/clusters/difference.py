"""How a live object differs from what it shall be, and who made it so.

Only fields that we declare count: what others add beside them is theirs, as server-side apply
sees it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from reconciler.clusters.desired import MANAGER, STATUS_MANAGER
from reconciler.model.resource import Manifest

_OURS = (MANAGER, STATUS_MANAGER)
# Lists whose items are known by a field, or are a set (`x-kubernetes-list-type`).
_KEYED = {"conditions": "type", "infrastructureAllocations": "ip"}
_SETS = ("finalizers",)
_PLAIN = frozenset({str, int, bool, float, type(None)})


class Drift(Struct, frozen=True):
    """A change that somebody made to what we own.

    Attributes:
        manager: The field manager that made it; empty when it cannot be told.
        time: When, `2026-02-15T10:00:30Z`; empty when it cannot be told.
        fields: Which of our fields differ, `spec.addresses`.
    """

    manager: str
    time: str
    fields: tuple[str, ...]


def differing(wanted: Manifest, live: Manifest) -> tuple[str, ...]:
    """Fields that are declared and have another value, or none, in the live object."""
    return tuple(_differing(wanted, live, ""))


def _differing(wanted: Mapping[str, Any], live: object, path: str) -> Iterator[str]:
    present = live if isinstance(live, Mapping) else {}
    for key, value in wanted.items():
        there = present.get(key)
        if type(value) in _PLAIN:  # most are, and asking for an abstract kind takes its time
            if value != there:
                yield f"{path}.{key}" if path else key
            continue
        field = f"{path}.{key}" if path else key
        if isinstance(value, Mapping) and value:
            yield from _differing(value, there, field)
        elif not _same(key, value, there):
            yield field


def _same(key: str, wanted: Mapping[str, Any] | Sequence[Any], live: object) -> bool:
    if isinstance(wanted, Mapping):  # an empty one: that there is something is all it says
        return isinstance(live, Mapping)
    if not isinstance(live, Sequence) or isinstance(live, str):
        return False
    if key in _SETS:
        return all(item in live for item in wanted)
    if key not in _KEYED:
        return list(wanted) == list(live)
    name = _KEYED[key]
    present = {
        item[name]: item
        for item in live
        if isinstance(item, Mapping) and isinstance(item.get(name), str)
    }
    return all(
        item[name] in present and not differing(item, present[item[name]]) for item in wanted
    )


def drift(live: Manifest, fields: Sequence[str]) -> Drift:
    """Who changed some fields of a live object's body, by its managedFields.

    A field that somebody removed is owned by nobody; then it is the last who wrote the body after
    us. Who writes a subresource, as controllers do all the time, cannot have removed it.
    """
    entries = live["metadata"].get("managedFields") or ()
    others = [entry for entry in entries if entry.get("manager") not in _OURS]
    owning = [entry for entry in others if any(_owns(entry, field) for field in fields)]
    ours = max((_time(entry) for entry in entries if entry.get("manager") == MANAGER), default="")
    bodies = [entry for entry in others if not entry.get("subresource")]
    suspects = owning or [entry for entry in bodies if _time(entry) >= ours]
    last: Mapping[str, Any] = max(
        suspects, key=lambda entry: (_time(entry), entry.get("manager", "")), default={}
    )
    return Drift(last.get("manager", ""), _time(last), tuple(fields))


def taken(live: Manifest, field: str) -> Drift | None:
    """The change of somebody who owns a field that only we wrote; None while it is ours.

    For objects of which nothing says any more what they shall be.
    """
    entries = live["metadata"].get("managedFields") or ()
    if any(entry.get("manager") == MANAGER and _owns(entry, field) for entry in entries):
        return None
    found = drift(live, (field,))
    return found if found.manager else None


def _time(entry: Mapping[str, Any]) -> str:
    time: str = entry.get("time") or ""
    return time


def _owns(entry: Mapping[str, Any], field: str) -> bool:
    node: Any = entry.get("fieldsV1") or {}
    for step in _steps(field):
        node = node.get(f"f:{step}") if isinstance(node, Mapping) else None
        if node is None:
            return False
    return True


def _steps(field: str) -> list[str]:
    """The keys of a field; those of labels and annotations hold dots themselves."""
    for parent in ("metadata.labels.", "metadata.annotations."):
        if field.startswith(parent):
            return [*parent.strip(".").split("."), field.removeprefix(parent)]
    return field.split(".")
