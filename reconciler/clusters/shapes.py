"""Shapes of objects: validation of the fields that `ipam` reads.

API servers validate built-in kinds only, and another program can answer in their place. Families
define the shapes of their kinds.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from reconciler.clusters.elastic.services import ASKED, SHARED
from reconciler.clusters.resources import ADDRESS_POOL, CONFIGURATION_STATE, IP_ALLOCATION
from reconciler.families import families
from reconciler.findings import shown
from reconciler.model.builtin import (
    CONFIG_MAP,
    CRD,
    DEPLOYMENT,
    EVENT,
    MAY_I,
    NODE,
    SECRET,
    SERVICE,
    WHO_AM_I,
)
from reconciler.model.resource import Manifest, Resource
from reconciler.model.shape import (
    CONDITIONS,
    HOST,
    NAMED,
    OBJECT,
    Check,
    OddError,
    fields,
    items,
    stored,
    text,
    texts,
)


def shaped(manifest: Any, resource: Resource) -> Manifest:
    """Return a valid object with apiVersion and kind, without nulls.

    Raises:
        ValueError: A field has the wrong type; the message names object and field.
    """
    try:
        whole: Manifest = _checks().get(resource, OBJECT)(manifest)
        if resource.is_namespaced and "namespace" not in whole["metadata"]:
            raise OddError("is missing").inside("metadata.namespace")
    except OddError as odd:
        metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
        name = metadata.get("name") if isinstance(metadata, dict) else None
        named = f"{resource.kind} {shown(name)}" if name else resource.kind
        raise ValueError(f"{named}: {odd.way or 'it'} {odd.problem}") from odd
    if whole.get("kind") == resource.kind and whole.get("apiVersion") == resource.api_version:
        return whole
    return {**whole, "apiVersion": resource.api_version, "kind": resource.kind}


_POD = fields(containers=items(fields(image=str)))
_VERSION = fields(
    ("name",),
    name=str,
    subresources=dict,
    schema=fields(openAPIV3Schema=dict),
)
_INGRESS = fields(ingress=items(fields(ip=str)))


def _answer(status: Check | type) -> Check:
    """Return the check of a review."""
    return fields(status=status)


_COMMON: Mapping[Resource, Check] = {
    CONFIG_MAP: stored(data=texts),
    SECRET: stored(data=texts),
    SERVICE: stored(spec=fields(type=str), status=fields(loadBalancer=_INGRESS)),
    NODE: stored(status=HOST),
    ADDRESS_POOL: stored(spec=fields(addresses=items(text))),
    CONFIGURATION_STATE: stored(status=fields(result=str, errorSummary=str, conditions=CONDITIONS)),
    EVENT: stored(
        involvedObject=NAMED,
        reason=str,
        series=fields(lastObservedTime=str),
        lastTimestamp=str,
        eventTime=str,
        firstTimestamp=str,
    ),
    CRD: stored(spec=fields(versions=items(_VERSION)), status=fields(conditions=CONDITIONS)),
    DEPLOYMENT: stored(spec=fields(template=fields(spec=_POD))),
    WHO_AM_I: _answer(fields(userInfo=fields(username=str))),
    MAY_I: _answer(dict),
}


# Services and Nodes are numerous and large: unread fields are dropped.
_NAMES = ("name", "namespace", "uid", "resourceVersion")
_TIMES = ("creationTimestamp", "deletionTimestamp")
_ASKING = ("type", "loadBalancerClass", "loadBalancerIP", "ipFamilies", "ipFamilyPolicy")
_SHARING = ("externalTrafficPolicy", "selector", "ports")
_READ: Mapping[Resource, Mapping[str, tuple[str, ...]]] = {
    SERVICE: {"metadata": _NAMES, "spec": ("type",), "status": ("loadBalancer",)},
    NODE: {"metadata": _NAMES, "status": ("addresses",)},
}


def pared(manifest: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """Return an item of a list with only the fields that are read of its kind.

    Args:
        manifest: The object, not validated yet.
        resource: Its kind.
    """
    read = _READ.get(resource)
    if read is None:
        return manifest
    kept: dict[str, Any] = _part(manifest, ("apiVersion", "kind"))
    kept |= {part: _part(manifest[part], keys) for part, keys in read.items() if part in manifest}
    return _asking(manifest, kept) if resource == SERVICE else kept


def _asking(manifest: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Return a Service with its requests for addresses. Invalid fields are dropped."""
    spec, metadata = kept.get("spec"), kept.get("metadata")
    if not isinstance(spec, dict) or not isinstance(metadata, dict):
        return kept
    if spec.get("type") != "LoadBalancer":
        return kept
    metadata |= {key: it for key in _TIMES if type(it := manifest["metadata"].get(key)) is str}
    listed = manifest["metadata"].get("annotations")
    there = listed if isinstance(listed, dict) else {}
    found = {key: it for key in ASKED if type(it := there.get(key)) is str}
    keys = _ASKING + (_SHARING if any(key.endswith(SHARED) for key in found) else ())
    kept["metadata"] = {**metadata, "annotations": found} if found else metadata
    kept["spec"] = _part(manifest["spec"], keys)
    return kept


def _part(value: Any, keys: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: value[key] for key in keys if key in value}


@cache
def _checks() -> Mapping[Resource, Check]:
    """Return the checks of all kinds, including those of families."""
    found = {**_COMMON, IP_ALLOCATION: _record()}
    for family in families():
        found |= family.objects.shapes
    return found


def _record() -> Check:
    more = {name: it for family in families() for name, it in family.objects.record_spec.items()}
    return stored(
        spec=fields((), type=str, **more),
        status=fields(phase=str, startAddress=str, endAddress=str, conditions=CONDITIONS),
    )
