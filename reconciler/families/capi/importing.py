"""Import of Cluster API objects."""

from typing import Any

from reconciler.documents.document import Identity, Kind
from reconciler.families.capi.claims import PINNED, named_for
from reconciler.families.capi.kinds import (
    ADDRESSES,
    CLAIM,
    CLAIMS,
    CLASS,
    CLASSES,
    CLUSTER,
    CLUSTERS,
    FOREIGN,
    GLOBAL_POOLS,
    IPAM_GROUP,
    KINDS,
    POOL,
    POOLS,
)
from reconciler.families.importing import Copied, ImportedBody, ImportedList, IntakeKind
from reconciler.model.objects import ADOPT, OWNER_LABEL, Manifest, Resource

_GIVES = ("gives nothing out", "give nothing out")


def _kinds(name: str) -> tuple[Kind, ...]:
    return tuple(kind for kind in KINDS if kind.name == name)


def _pool(manifest: Manifest) -> Identity:
    """Return the pool of a claim or address; for another provider, a pool that no document has."""
    reference = (manifest.get("spec") or {}).get("poolRef") or {}
    group, kind = str(reference.get("apiGroup")), str(reference.get("kind"))
    is_local = (group, kind) == (IPAM_GROUP, POOL.kind)
    namespace = manifest["metadata"].get("namespace", "") if is_local else ""
    return group, kind, namespace, str(reference.get("name"))


def _is_served(claim: Manifest) -> bool:
    """Return whether another provider gave a claim its address."""
    return bool(((claim.get("status") or {}).get("addressRef") or {}).get("name"))


INTAKE = (
    *(IntakeKind(pool, _kinds(pool.kind), _GIVES) for pool in (GLOBAL_POOLS, POOLS)),
    IntakeKind(CLASSES, _kinds(CLASS.kind)),
    IntakeKind(CLUSTERS, _kinds(CLUSTER.kind), ("gets no VIP", "get no VIP")),
    IntakeKind(
        CLAIMS,
        _kinds(CLAIM.kind),
        ("gets no address", "get no address"),
        pool=_pool,
        is_others=_is_served,
    ),
    IntakeKind(ADDRESSES, _kinds(FOREIGN.kind), pool=_pool),
)
"""Kinds of the intake. Pools come before the kinds that refer to them."""


_BY = {item.resource: item for item in INTAKE}


def _named(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]


def _names(there: ImportedList, resource: Resource) -> set[tuple[str, str]]:
    return {_named(item) for item in there.get(resource, ())}


def _pool_left(manifest: Manifest) -> str:
    reference = (manifest.get("spec") or {}).get("poolRef") or {}
    if reference.get("apiGroup") != IPAM_GROUP:
        return "its pool is of another provider"
    return ""


def _going(manifest: Manifest, there: ImportedList) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _is_ours(manifest: Manifest) -> str:
    is_ours = (manifest["metadata"].get("labels") or {}).get(OWNER_LABEL)
    return "ipam made it of a record: the repository of that run has it" if is_ours else ""


def _claim_left(claim: Manifest, there: ImportedList) -> str:
    """Return why a claim is not imported."""
    namespace, name = _named(claim)
    made = named_for(name)
    if made is not None and (namespace, made.cluster) in _names(there, CLUSTERS):
        return f"it is of Cluster {made.cluster}, which is copied"
    return _pool_left(claim) or _is_ours(claim) or _going(claim, there)


def _address_left(address: Manifest, there: ImportedList) -> str:
    """Return why an address is not imported."""
    claim = ((address.get("spec") or {}).get("claimRef") or {}).get("name", "")
    namespace, _ = _named(address)
    if (namespace, claim) in _names(there, CLAIMS):
        return f"it is of IPAddressClaim {claim}, which names it"
    return _pool_left(address) or _is_ours(address)


def _class_left(item: Manifest, there: ImportedList) -> str:
    return "" if there.get(CLUSTERS) else _going(item, there) or "no Cluster is of it"


def _annotated(body: ImportedBody, **more: str) -> ImportedBody:
    metadata: dict[str, Any] = body["metadata"]
    annotations = {**(metadata.get("annotations") or {}), **more}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def _adopting(body: ImportedBody, manifest: Manifest, there: ImportedList) -> ImportedBody:
    """Return the Cluster with the annotation that records its current addresses."""
    del manifest, there
    return _annotated(body, **{ADOPT: "true"})


def _with_address(body: ImportedBody, claim: Manifest, there: ImportedList) -> ImportedBody:
    """Return the claim with the address that it was given."""
    namespace, name = _named(claim)
    for address in there.get(ADDRESSES, ()):
        spec = address.get("spec") or {}
        is_its = (spec.get("claimRef") or {}).get("name") == name
        if is_its and _named(address)[0] == namespace and spec.get("address"):
            return _annotated(body, **{PINNED: spec["address"], ADOPT: "true"})
    return body


COPIED = (
    Copied(_BY[GLOBAL_POOLS], "pools", _going),
    Copied(_BY[POOLS], "pools", _going),
    Copied(_BY[CLASSES], "clusters", _class_left),
    Copied(_BY[CLUSTERS], "clusters", _going, _adopting),
    Copied(_BY[CLAIMS], "clusters", _claim_left, _with_address),
    Copied(_BY[ADDRESSES], "clusters", _address_left),
)
