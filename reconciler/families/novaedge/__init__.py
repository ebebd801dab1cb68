"""NovaEdge: ProxyIPPool and ProxyVIP, as of its releases v1.0 to v1.6."""

from typing import TYPE_CHECKING

from reconciler.families._family import Family, Projection, ProjectionInput
from reconciler.families.novaedge.kinds import KINDS, NAME, POOL, VIP
from reconciler.families.novaedge.reading import judge, read
from reconciler.families.novaedge.record_form import FORM
from reconciler.families.novaedge.vips import SLOTS

if TYPE_CHECKING:
    from reconciler.families._mending import Mending
    from reconciler.families._objects import Objects


def _project(given: ProjectionInput) -> tuple[Projection, ...]:
    from reconciler.families.novaedge.projecting import project

    return project(given)


def _objects() -> "Objects":
    from reconciler.families.novaedge.objects import OBJECTS

    return OBJECTS


def _mending() -> "Mending":
    from reconciler.families.novaedge.mending import MENDING

    return MENDING


FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    slots=dict.fromkeys(SLOTS.values(), VIP.kind),
    grows=(),
    judge=judge,
    read=read,
    project=_project,
    record=FORM,
    load_objects=_objects,
    load_mending=_mending,
)
