"""How import copies Cluster API's objects, so that each keeps the address that it has."""

from typing import Any

from reconciler.families._importing import Body, Copied, Listed
from reconciler.families.capi.claims import PINNED, named_for
from reconciler.families.capi.intake import INTAKE
from reconciler.families.capi.kinds import IPAM_GROUP
from reconciler.families.capi.resources import (
    ADDRESSES,
    CLAIMS,
    CLASSES,
    CLUSTERS,
    GLOBAL_POOLS,
    POOLS,
)
from reconciler.model.marks import ADOPT, OWNER_LABEL
from reconciler.model.resource import Manifest, Resource

_BY = {item.resource: item for item in INTAKE}


def _named(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"].get("namespace", ""), manifest["metadata"]["name"]


def _names(there: Listed, resource: Resource) -> set[tuple[str, str]]:
    return {_named(item) for item in there.get(resource, ())}


def _pool_left(manifest: Manifest) -> str:
    reference = (manifest.get("spec") or {}).get("poolRef") or {}
    if reference.get("apiGroup") != IPAM_GROUP:
        return "its pool is of another provider"
    return ""


def _going(manifest: Manifest, there: Listed) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _is_ours(manifest: Manifest) -> str:
    is_ours = (manifest["metadata"].get("labels") or {}).get(OWNER_LABEL)
    return "ipam made it of a record: the repository of that run has it" if is_ours else ""


def _claim_left(claim: Manifest, there: Listed) -> str:
    """Why a claim is nobody's own."""
    namespace, name = _named(claim)
    made = named_for(name)
    if made is not None and (namespace, made.cluster) in _names(there, CLUSTERS):
        return f"it is of Cluster {made.cluster}, which is copied"
    return _pool_left(claim) or _is_ours(claim) or _going(claim, there)


def _address_left(address: Manifest, there: Listed) -> str:
    """Why an address stands for nobody else."""
    claim = ((address.get("spec") or {}).get("claimRef") or {}).get("name", "")
    namespace, _ = _named(address)
    if (namespace, claim) in _names(there, CLAIMS):
        return f"it is of IPAddressClaim {claim}, which names it"
    return _pool_left(address) or _is_ours(address)


def _class_left(item: Manifest, there: Listed) -> str:
    return "" if there.get(CLUSTERS) else _going(item, there) or "no Cluster is of it"


def _annotated(body: Body, **more: str) -> Body:
    metadata: dict[str, Any] = body["metadata"]
    annotations = {**(metadata.get("annotations") or {}), **more}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def _adopting(body: Body, manifest: Manifest, there: Listed) -> Body:
    """A Cluster whose addresses are recorded as they are."""
    del manifest, there
    return _annotated(body, **{ADOPT: "true"})


def _with_address(body: Body, claim: Manifest, there: Listed) -> Body:
    """A claim that names the address that it was given."""
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
