"""What objects of clusters must look like: the border, behind which they are read without doubt.

API servers check what is built in. What others define, and what answers in the place of a server,
may be anything. Only what is read has a shape here; all else passes as it came.
"""

from collections.abc import Callable, Mapping
from typing import Any

from reconciler.clusters.resources import (
    ADDRESS_POOL,
    CONFIG_MAP,
    CONFIGURATION_STATE,
    CRD,
    DEPLOYMENT,
    EVENT,
    IP_ALLOCATION,
    MACHINE,
    MAY_I,
    NETWORK_POOL,
    NODE,
    SECRET,
    SERVICE,
    WHO_AM_I,
)
from reconciler.findings import shown
from reconciler.model.resource import Manifest, Resource

Check = Callable[[Any], Any]
"""A value to the value without nulls, which is the very same one when it has none."""


class _OddError(ValueError):
    """A value of another shape. The way to it is gathered on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.way = ""

    def inside(self, step: str) -> "_OddError":
        """The same, seen from what holds the value."""
        self.way = f"{step}{'' if self.way[:1] in ('', '[') else '.'}{self.way}"
        return self


def shaped(manifest: Any, resource: Resource) -> Manifest:
    """An object that says its kind, in the shape that all readers rely on, without nulls.

    Raises:
        ValueError: Something that is read has another shape; the message names object and field.
    """
    try:
        whole: Manifest = _CHECKS.get(resource, _OBJECT)(manifest)
        if resource.is_namespaced and "namespace" not in whole["metadata"]:
            raise _OddError("is missing").inside("metadata.namespace")
    except _OddError as odd:
        metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        named = f"{resource.kind} {shown(name)}" if name else resource.kind
        raise ValueError(f"{named}: {odd.way or 'it'} {odd.problem}") from odd
    if whole.get("kind") == resource.kind and whole.get("apiVersion") == resource.api_version:
        return whole
    return {**whole, "apiVersion": resource.api_version, "kind": resource.kind}


_KINDS = {str: "a text", int: "a number", dict: "a mapping", list: "a list"}


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise _OddError(f"is not {_KINDS[kind]}")
    return value


def _texts(value: Any) -> Any:
    found = value
    for key, item in _of(dict, value).items():
        if item is None:
            found = _without(found, key)
        elif type(item) is not str:
            raise _OddError("is not a mapping of texts")
    return found


def _list(each: Check) -> Check:
    def check(value: Any) -> Any:
        found = value
        for index, item in enumerate(_of(list, value)):
            try:
                now = each(item)
            except _OddError as odd:
                raise odd.inside(f"[{index}]") from None
            if now is not item:
                found = [*found[:index], now, *found[index + 1 :]]
        return found

    return check


def _fields(needed: tuple[str, ...] = (), **fields: Check | type) -> Check:
    """A mapping of which some fields are read, and some must be there.

    Nothing is copied but what holds a null: a cluster may list a hundred thousand objects.
    """
    checks = tuple(fields.items())

    def check(value: Any) -> Any:
        found = value
        there = _of(dict, value)
        for name, inner in checks:
            item = there.get(name)
            if type(item) is inner:
                continue
            if item is None:
                found = _without(found, name)
            elif (now := _inside(name, inner, item)) is not item:
                found = {**found, name: now}
        return _with(found, needed)

    return check


def _inside(name: str, inner: Check | type, item: Any) -> Any:
    try:
        return _of(inner, item) if isinstance(inner, type) else inner(item)
    except _OddError as odd:
        raise odd.inside(name) from None


def _without(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: found[key] for key in found if key != name} if name in found else found


def _with(found: dict[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    for name in needed:
        if name not in found:
            raise _OddError("is missing").inside(name)
    return found


def _text(value: Any) -> Any:
    return _of(str, value)


_MANAGED = _fields(manager=str, time=str, subresource=str, fieldsV1=dict)
_METADATA: Mapping[str, Check | type] = {
    "name": str,
    "namespace": str,
    "uid": str,
    "resourceVersion": str,
    "generation": int,
    "creationTimestamp": str,
    "deletionTimestamp": str,
    "labels": _texts,
    "annotations": _texts,
    "finalizers": _list(_text),
    "managedFields": _list(_MANAGED),
}
_STORED = _fields(("name", "uid", "resourceVersion"), **_METADATA)
_CONDITIONS = _list(_fields(type=str, status=str, lastTransitionTime=str))
_HOST = _fields(addresses=_list(_fields(type=str, address=str)))
_INGRESS = _fields(ingress=_list(_fields(ip=str)))
_NAMED = _fields(name=str, namespace=str, kind=str)
_POD = _fields(containers=_list(_fields(image=str)))
_VERSION = _fields(
    ("name",),
    name=str,
    subresources=dict,
    schema=_fields(openAPIV3Schema=dict),
)


def _object(**fields: Check | type) -> Check:
    """An object that a server stores."""
    every: dict[str, Check | type] = {"metadata": _STORED, "spec": dict, "status": dict}
    return _fields(("metadata",), **{**every, **fields})


def _review(status: Check | type) -> Check:
    """An answer that no server stores."""
    return _fields(status=status)


_OBJECT = _object()
_CHECKS: Mapping[Resource, Check] = {
    CONFIG_MAP: _object(data=_texts),
    SECRET: _object(data=_texts),
    SERVICE: _object(spec=_fields(type=str), status=_fields(loadBalancer=_INGRESS)),
    NODE: _object(status=_HOST),
    MACHINE: _object(status=_HOST),
    ADDRESS_POOL: _object(spec=_fields(addresses=_list(_text))),
    CONFIGURATION_STATE: _object(
        status=_fields(result=str, errorSummary=str, conditions=_CONDITIONS)
    ),
    NETWORK_POOL: _object(status=_fields(conditions=_CONDITIONS)),
    IP_ALLOCATION: _object(
        spec=_fields(type=str, tenantClusterRef=_NAMED),
        status=_fields(phase=str, startAddress=str, endAddress=str, conditions=_CONDITIONS),
    ),
    EVENT: _object(
        involvedObject=_NAMED,
        reason=str,
        series=_fields(lastObservedTime=str),
        lastTimestamp=str,
        eventTime=str,
        firstTimestamp=str,
    ),
    CRD: _object(spec=_fields(versions=_list(_VERSION)), status=_fields(conditions=_CONDITIONS)),
    DEPLOYMENT: _object(spec=_fields(template=_fields(spec=_POD))),
    WHO_AM_I: _review(_fields(userInfo=_fields(username=str))),
    MAY_I: _review(dict),
}
