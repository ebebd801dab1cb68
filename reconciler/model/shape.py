"""The shape of objects that a cluster sends: what is read of a kind, checked once at the border.

Only what is read has a shape; all else passes as it came.
"""

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], Any]
"""A value to the value without nulls, which is the very same one when it has none."""


class OddError(ValueError):
    """A value has another shape. The way to it is gathered on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.way = ""

    def inside(self, step: str) -> "OddError":
        """The same, seen from what holds the value."""
        self.way = f"{step}{'' if self.way[:1] in ('', '[') else '.'}{self.way}"
        return self


_KINDS = {str: "a text", int: "a number", dict: "a mapping", list: "a list"}


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise OddError(f"is not {_KINDS[kind]}")
    return value


def texts(value: Any) -> Any:
    """A mapping of texts."""
    found = value
    for key, item in _of(dict, value).items():
        if item is None:
            found = _without(found, key)
        elif type(item) is not str:
            raise OddError("is not a mapping of texts")
    return found


def items(each: Check) -> Check:
    """A list."""

    def check(value: Any) -> Any:
        found = value
        for index, item in enumerate(_of(list, value)):
            try:
                now = each(item)
            except OddError as odd:
                raise odd.inside(f"[{index}]") from None
            if now is not item:
                found = [*found[:index], now, *found[index + 1 :]]
        return found

    return check


def fields(needed: tuple[str, ...] = (), **inner: Check | type) -> Check:
    """A mapping of which some fields are read, and some must be there.

    Nothing is copied but what holds a null: a cluster may list a hundred thousand objects.
    """
    checks = tuple(inner.items())

    def check(value: Any) -> Any:
        found = value
        there = _of(dict, value)
        for name, wanted in checks:
            item = there.get(name)
            if type(item) is wanted:
                continue
            if item is None:
                found = _without(found, name)
            elif (now := _inside(name, wanted, item)) is not item:
                found = {**found, name: now}
        return _with(found, needed)

    return check


def _inside(name: str, inner: Check | type, item: Any) -> Any:
    try:
        return _of(inner, item) if isinstance(inner, type) else inner(item)
    except OddError as odd:
        raise odd.inside(name) from None


def _without(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: found[key] for key in found if key != name} if name in found else found


def _with(found: dict[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    for name in needed:
        if name not in found:
            raise OddError("is missing").inside(name)
    return found


def text(value: Any) -> Any:
    """A text."""
    return _of(str, value)


_MANAGED = fields(manager=str, time=str, subresource=str, fieldsV1=dict)
_METADATA: Mapping[str, Check | type] = {
    "name": str,
    "namespace": str,
    "uid": str,
    "resourceVersion": str,
    "generation": int,
    "creationTimestamp": str,
    "deletionTimestamp": str,
    "labels": texts,
    "annotations": texts,
    "finalizers": items(text),
    "managedFields": items(_MANAGED),
}
_STORED = fields(("name", "uid", "resourceVersion"), **_METADATA)
CONDITIONS = items(fields(type=str, status=str, lastTransitionTime=str))
HOST = fields(addresses=items(fields(type=str, address=str)))
NAMED = fields(name=str, namespace=str, kind=str)


def stored(**more: Check | type) -> Check:
    """An object that a server stores."""
    every: dict[str, Check | type] = {"metadata": _STORED, "spec": dict, "status": dict}
    return fields(("metadata",), **{**every, **more})


OBJECT = stored()
"""The shape of an object of which nothing but its metadata is read."""
