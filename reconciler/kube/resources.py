"""Resources and objects of clusters."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler import loadbalancers
from reconciler.documents.findings import shown
from reconciler.families import families
from reconciler.families.interface import Projection
from reconciler.model import objects
from reconciler.model.errors import ClusterError
from reconciler.model.objects import Manifest, Ref, Resource, owned_labels
from reconciler.model.pool import Pool

_log = logging.getLogger(__name__)

IP_ALLOCATION = objects.RESOURCE
"""The kind of records."""

_RESOURCES_COMMON = (
    *(
        IP_ALLOCATION,
        objects.CRD,
        objects.POLICY,
        objects.BINDING,
        objects.NAMESPACE,
        objects.CONFIG_MAP,
    ),
    *(objects.SECRET, objects.SERVICE, objects.NODE, objects.EVENT, objects.LEASE),
    *(objects.WHO_AM_I, objects.MAY_I),
)


@cache
def _by_group() -> Mapping[tuple[str, str], Resource]:
    found: dict[tuple[str, str], Resource] = {}
    theirs = (family.objects for family in families())
    every = (it for own in theirs for it in (*own.resources, *own.observes))
    for resource in (*_RESOURCES_COMMON, *loadbalancers.resources(), *every):
        if found.setdefault((resource.group, resource.kind), resource) != resource:
            raise ValueError(f"{resource.kind} of {resource.group} has two descriptions")
    return found


def pools_by_ref(pools: Iterable[Pool]) -> dict[Ref, Pool]:
    """Return pools by the objects that represent them."""
    known = {
        (family.name, resource.kind): resource
        for family in families()
        for resource in family.objects.resources
    }
    return {
        Ref(known[key.family, key.kind], key.namespace, key.name): pool
        for pool in pools
        if ((key := pool.key).family, key.kind) in known
    }


@cache
def owned() -> tuple[Resource, ...]:
    """Return the kinds that `ipam` creates in the management cluster: pools and records."""
    return (*(kind for family in families() for kind in family.objects.owned), IP_ALLOCATION)


@cache
def needed() -> tuple[Resource, ...]:
    """Return the kinds that a management cluster needs."""
    return (*(kind for family in families() for kind in family.objects.needed), IP_ALLOCATION)


@cache
def described_resources() -> frozenset[Resource]:
    """Return the kinds of families, and records."""
    return frozenset([kind for it in families() for kind in it.objects.resources] + [IP_ALLOCATION])


@cache
def _by_version() -> Mapping[tuple[str, str], Resource]:
    return {
        (item.api_version, item.kind): resource
        for resource in _by_group().values()
        for item in resource.in_each_version()
    }


def resource_of(manifest: Manifest) -> Resource:
    """Return the resource of an object; a `KeyError` for an unknown kind."""
    return _by_version()[manifest["apiVersion"], manifest["kind"]]


def ref_of(manifest: Manifest) -> Ref:
    """Return the reference of a manifest."""
    metadata = manifest["metadata"]
    return Ref(resource_of(manifest), metadata.get("namespace", ""), metadata["name"])


def parse_ref(text: str) -> Ref:
    """Parse `str(ref)`. Raise a `KeyError` for an unknown kind, or a `ValueError`."""
    steps = text.split("/")
    group = steps.pop(0) if "." in steps[0] else ""
    kind, *rest = steps
    resource = _by_group()[group, kind]
    namespace, name = rest if resource.is_namespaced else ("", *rest)
    return Ref(resource, namespace, name)


@contextmanager
def reading(kind: str, name: object) -> Iterator[None]:
    """Report an object that cannot be read as a ClusterError that names it."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, ValueError) as wrong:
        _log.debug("%s %s cannot be read", kind, name, exc_info=wrong)
        why = str(wrong) if isinstance(wrong, ValueError) else f"{type(wrong).__name__}: {wrong}"
        hint = "correct the object"
        raise ClusterError(f"{kind} {shown(name)} cannot be read: {why}", hint) from wrong


# Services and Nodes are numerous and large: unread fields are dropped.
_NAMES = ("name", "namespace", "uid", "resourceVersion")
_READ: Mapping[Resource, Mapping[str, tuple[str, ...]]] = {
    objects.SERVICE: {
        "metadata": (*_NAMES, "creationTimestamp", "deletionTimestamp", "annotations", "labels"),
        "spec": (
            *("type", "loadBalancerClass", "loadBalancerIP", "ipFamilies", "ipFamilyPolicy"),
            *("externalIPs", "externalTrafficPolicy", "selector", "ports"),
        ),
        "status": ("loadBalancer",),
    },
    objects.NODE: {"metadata": _NAMES, "status": ("addresses",)},
}


def pared(manifest: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """Return an item of a list with only the fields that are read of its kind."""
    read = _READ.get(resource)
    if read is None:
        return manifest
    kept = _part(manifest, ("apiVersion", "kind"))
    kept |= {part: _part(manifest[part], keys) for part, keys in read.items() if manifest.get(part)}
    if annotations := kept["metadata"].pop("annotations", None):
        kept["metadata"]["annotations"] = _part(annotations, loadbalancers.annotations())
    return kept


def _part(value: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value[key] for key in keys if key in value}


def settled_conditions(wanted: Manifest, live: Manifest, *, is_whole: bool = False) -> Manifest:
    """Return the desired status with the times of unchanged conditions from the live one."""
    if "conditions" not in wanted:
        return wanted
    present = {item.get("type"): item for item in live.get("conditions") or ()}
    conditions = []
    for item in wanted["conditions"]:
        before = present.get(item["type"]) or {}
        since = before.get("lastTransitionTime")
        is_same = since and before.get("status") == item["status"]
        conditions.append({**item, "lastTransitionTime": since} if is_same else item)
    ours = [item["type"] for item in conditions]
    # They are left to their managers, unless the server treats the list as one value.
    others = [item for item in present.values() if item["type"] not in ours]
    return {**wanted, "conditions": [*conditions, *(others if is_whole else ())]}


def is_whole_list(manifest: Manifest) -> bool:
    """Return whether a manager owns the list of conditions of a live object as one value."""
    for entry in manifest["metadata"].get("managedFields") or ():
        status = (entry.get("fieldsV1") or {}).get("f:status")
        if isinstance(status, Mapping) and status.get("f:conditions") == {}:
            return True
    return False


def timeless(status: Manifest) -> Manifest:
    """Return a status without condition times, which differ with every commit."""
    if "conditions" not in status:
        return status
    conditions = [
        {key: value for key, value in item.items() if key != "lastTransitionTime"}
        for item in status["conditions"]
    ]
    return {**status, "conditions": conditions}


_HASH_LENGTH = 16


class DesiredObject(Struct, frozen=True):
    """A desired object of one cluster. It is skipped if `rests_on` could not be written."""

    ref: Ref
    body: Manifest | None  # None if `ipam` does not write it, as for the status
    status: Manifest | None
    hash: str  # an equal one, without revision and time, needs no write
    part: Manifest | None = None  # fields of an object of another owner
    rests_on: tuple[Ref, ...] = ()

    def at(self, revision: str) -> Manifest:
        """Return the body with the revision as an annotation."""
        assert self.body is not None  # noqa: S101 - callers apply only objects with a body  # nosec B101
        metadata = self.body["metadata"]
        annotations = {**(metadata.get("annotations") or {}), objects.REVISION: revision}
        return {**self.body, "metadata": {**metadata, "annotations": annotations}}


def desired_objects(projections: Iterable[Projection]) -> Mapping[str, tuple[DesiredObject, ...]]:
    """Return the desired objects of each cluster, in the order of the projections."""
    found: dict[str, list[DesiredObject]] = {}
    for projection in projections:
        found.setdefault(projection.cluster, []).append(_desired(projection))
    return {cluster: tuple(items) for cluster, items in found.items()}


def owned_by(
    manifest: Manifest, owners: Iterable[tuple[Ref, bool]], uids: Mapping[Ref, str]
) -> Manifest:
    """Return the object with owners of known uids, each with whether it is the controller."""
    references = [
        {
            "apiVersion": ref.resource.api_version,
            "blockOwnerDeletion": True,
            "controller": controls,
            "kind": ref.resource.kind,
            "name": ref.name,
            "uid": uids[ref],
        }
        for ref, controls in owners
    ]
    return {**manifest, "metadata": {**manifest["metadata"], "ownerReferences": references}}


def _desired(projection: Projection) -> DesiredObject:
    manifest = projection.manifest
    if projection.is_part:
        ref = ref_of(manifest)
        return DesiredObject(ref, None, None, NO_BODY, manifest, projection.rests_on)
    found = desired_object(manifest, is_status_only=projection.is_status_only)
    return replace(found, rests_on=projection.rests_on) if projection.rests_on else found


def desired_object(manifest: Manifest, *, is_status_only: bool = False) -> DesiredObject:
    """Return the desired object of a manifest."""
    ref = ref_of(manifest)
    status = manifest.get("status")
    body = None if is_status_only else _body(manifest, ref)
    said = None if status is None else timeless(status)
    return DesiredObject(ref, body, status, f"{_hash(body)}.{_hash(said)}")


def with_status(wanted: DesiredObject, more: Manifest | None) -> DesiredObject:
    """Return the object with additional fields of status."""
    return wanted if not more else _with_status(wanted, {**(wanted.status or {}), **more})


def without_fields(wanted: DesiredObject, paths: Iterable[str]) -> DesiredObject:
    """Return the object without some fields of status: `status.conditions`."""
    status: Any = wanted.status
    for path in paths:
        status = _without(status, path.split(".")[1:])
    return wanted if status == wanted.status else _with_status(wanted, status)


def _without(value: Any, steps: Sequence[str]) -> Any:
    if isinstance(value, list):
        return [_without(item, steps) for item in value]
    if not isinstance(value, Mapping) or steps[0] not in value:
        return value
    if len(steps) > 1:
        return {**value, steps[0]: _without(value[steps[0]], steps[1:])}
    return {name: item for name, item in value.items() if name != steps[0]}


def _with_status(wanted: DesiredObject, status: Manifest) -> DesiredObject:
    if wanted.status is None:
        return wanted
    said = f"{wanted.hash.partition('.')[0]}.{_hash(timeless(status))}"
    return replace(wanted, status=status, hash=said)


def _body(manifest: Manifest, ref: Ref) -> dict[str, Any]:
    metadata: dict[str, Any] = dict(manifest["metadata"])
    metadata["labels"] = {**(metadata.get("labels") or {}), **owned_labels()}
    if ref.resource.finalizer:
        metadata["finalizers"] = [ref.resource.finalizer]
    return {**{key: manifest[key] for key in manifest if key != "status"}, "metadata": metadata}


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return sha256(text.encode()).hexdigest()[:_HASH_LENGTH]


NO_BODY = _hash(None)
"""The prefix of the hash of an object of another owner."""
