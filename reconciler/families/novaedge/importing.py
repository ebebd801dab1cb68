"""How import copies NovaEdge's objects, with the addresses that they have."""

from reconciler.families._importing import Body, Copied, Listed
from reconciler.families._intake import Intake
from reconciler.families.novaedge.intake import INTAKE
from reconciler.families.novaedge.kinds import KINDS, POOL
from reconciler.families.novaedge.resources import POOLS
from reconciler.model.resource import Manifest

_POOL_INTAKE = Intake(POOLS, tuple(kind for kind in KINDS if kind.id == POOL))


def _left(manifest: Manifest, there: Listed) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _with_others(body: Body, manifest: Manifest, there: Listed) -> Body:
    """A pool with what its status says that others than its ProxyVIPs have of it."""
    del there
    given = (manifest.get("status") or {}).get("allocations")
    others = [
        {key: item[key] for key in ("address", "vipRef") if key in item}
        for item in given or ()
        if isinstance(item, dict)
    ]
    return {**body, "status": {"allocations": others}} if others else body


COPIED = (
    Copied(_POOL_INTAKE, "pools", _left, _with_others),
    *(Copied(item, "tenants", _left) for item in INTAKE),
)
