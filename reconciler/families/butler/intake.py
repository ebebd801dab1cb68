"""Which of Butler's objects may live in the management cluster alone."""

from reconciler.documents.document import Kind
from reconciler.families._intake import Intake
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.kinds import KINDS
from reconciler.model.record_kind import RESOURCE as REQUESTS
from reconciler.model.resource import Manifest, Resource

_GETS = ("gets no addresses", "get no addresses")


def _of(resource: Resource) -> tuple[Resource, tuple[Kind, ...]]:
    return resource, tuple(kind for kind in KINDS if kind.name == resource.kind)


def _is_given(request: Manifest) -> bool:
    """Another allocator gave an IPAllocation its addresses."""
    return bool((request.get("status") or {}).get("startAddress"))


INTAKE = (
    Intake(*_of(TENANT_CLUSTER), _GETS),
    Intake(*_of(REQUESTS), _GETS, is_others=_is_given),
)
