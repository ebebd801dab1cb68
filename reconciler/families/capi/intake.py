"""Which of Cluster API's objects may live in the management cluster alone, and when they are ours."""

from reconciler.documents.document import Identity, Kind
from reconciler.families._intake import Intake
from reconciler.families.capi.kinds import (
    CLAIM,
    CLASS,
    CLUSTER,
    FOREIGN,
    IPAM_GROUP,
    KINDS,
    POOL,
)
from reconciler.families.capi.resources import (
    ADDRESSES,
    CLAIMS,
    CLASSES,
    CLUSTERS,
    GLOBAL_POOLS,
    POOLS,
)
from reconciler.model.resource import Manifest

_GIVES = ("gives nothing out", "give nothing out")


def _kinds(name: str) -> tuple[Kind, ...]:
    return tuple(kind for kind in KINDS if kind.name == name)


def _pool(manifest: Manifest) -> Identity:
    """The pool that a claim or an address names; that of another provider nobody describes."""
    reference = (manifest.get("spec") or {}).get("poolRef") or {}
    group, kind = str(reference.get("apiGroup")), str(reference.get("kind"))
    is_local = (group, kind) == (IPAM_GROUP, POOL.kind)
    namespace = manifest["metadata"].get("namespace", "") if is_local else ""
    return group, kind, namespace, str(reference.get("name"))


def _is_served(claim: Manifest) -> bool:
    """Another provider gave a claim its address."""
    return bool(((claim.get("status") or {}).get("addressRef") or {}).get("name"))


INTAKE = (
    *(Intake(pool, _kinds(pool.kind), _GIVES) for pool in (GLOBAL_POOLS, POOLS)),
    Intake(CLASSES, _kinds(CLASS.kind)),
    Intake(CLUSTERS, _kinds(CLUSTER.kind), ("gets no VIP", "get no VIP")),
    Intake(
        CLAIMS,
        _kinds(CLAIM.kind),
        ("gets no address", "get no address"),
        pool=_pool,
        is_others=_is_served,
    ),
    Intake(ADDRESSES, _kinds(FOREIGN.kind), pool=_pool),
)
"""Pools before what names them."""
