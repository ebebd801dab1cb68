"""Desired objects: manifests with the labels, owners, and status that `ipam` sets."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.clusters.resources import ref_of
from reconciler.families._family import Projection
from reconciler.model.marks import (
    ADOPT,
    MANAGER,
    OWNER_LABEL,
    REVISION,
    STATUS_MANAGER,
    owned_labels,
)
from reconciler.model.resource import Manifest, Ref


def settled_conditions(wanted: Manifest, live: Manifest, *, is_whole: bool = False) -> Manifest:
    """Return the desired status with the times of unchanged conditions from the live one.

    Conditions of other managers are left to them.

    Args:
        wanted: The desired status.
        live: The live status, which can be empty.
        is_whole: The server treats the list of conditions as one value.
    """
    if "conditions" not in wanted:
        return wanted
    present = {item.get("type"): item for item in _conditions(live)}
    conditions = [_settled(item, present.get(item["type"]) or {}) for item in wanted["conditions"]]
    ours = [item["type"] for item in conditions]
    others = [item for item in present.values() if item["type"] not in ours]
    return {**wanted, "conditions": [*conditions, *(others if is_whole else ())]}


def is_whole_list(manifest: Manifest) -> bool:
    """Return whether a manager owns the list of conditions of a live object as one value."""
    for entry in manifest["metadata"].get("managedFields") or ():
        status = (entry.get("fieldsV1") or {}).get("f:status")
        if isinstance(status, Mapping) and status.get("f:conditions") == {}:
            return True
    return False


def _conditions(status: Manifest) -> list[Mapping[str, Any]]:
    """Return the conditions of a status, which others may have written in any shape."""
    found = status.get("conditions")
    listed = found if isinstance(found, list) else []
    return [item for item in listed if isinstance(item, Mapping) and _is_text(item.get("type"))]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def timeless(status: Manifest) -> Manifest:
    """Return a status without the times of its conditions.

    The desired times are those of the revision, so they differ with every commit.
    """
    if "conditions" not in status:
        return status
    conditions = [
        {key: value for key, value in item.items() if key != "lastTransitionTime"}
        for item in status["conditions"]
    ]
    return {**status, "conditions": conditions}


def _settled(wanted: Mapping[str, Any], live: Mapping[str, Any]) -> Mapping[str, Any]:
    since = live.get("lastTransitionTime")
    if not since or live.get("status") != wanted["status"]:
        return wanted
    return {**wanted, "lastTransitionTime": since}


__all__ = [  # re-exported for callers that apply objects
    "ADOPT",
    "MANAGER",
    "NO_BODY",
    "OWNER_LABEL",
    "REVISION",
    "STATUS_MANAGER",
    "DesiredObject",
    "desired_object",
    "desired_objects",
    "owned_by",
    "owned_labels",
    "with_status",
]

_HASH_LENGTH = 16


class DesiredObject(Struct, frozen=True):
    """A desired object of one cluster.

    Attributes:
        body: The object without status; None if only the status belongs to `ipam`.
        status: The status; None if `ipam` does not write it.
        part: Fields of an object of another owner; None for other objects.
        rests_on: Skip the object if one of these could not be written.
        hash: The hash of body and status without revision and time. An equal hash needs no write.
    """

    ref: Ref
    body: Manifest | None
    status: Manifest | None
    hash: str
    part: Manifest | None = None
    rests_on: tuple[Ref, ...] = ()

    def at(self, revision: str) -> Manifest:
        """Return the body with the revision as an annotation."""
        assert self.body is not None  # noqa: S101 - callers apply only what has a body  # nosec B101
        metadata = self.body["metadata"]
        annotations = {**(metadata.get("annotations") or {}), REVISION: revision}
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
    """Return the object with the owners whose uids are known.

    Args:
        manifest: The object.
        owners: The owners, each with whether it is the controller.
        uids: The uids by owner.
    """
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
    if not more or wanted.status is None:
        return wanted
    status = {**wanted.status, **more}
    said = f"{wanted.hash.partition('.')[0]}.{_hash(timeless(status))}"
    return DesiredObject(wanted.ref, wanted.body, status, said)


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
