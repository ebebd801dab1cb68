"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from typing import TYPE_CHECKING

from reconciler.families._family import Family, Projection, ProjectionInput
from reconciler.families.butler.judging import judge
from reconciler.families.butler.kinds import KINDS, NAME, POOL
from reconciler.families.butler.reading import read
from reconciler.families.butler.record_form import FORM, GROWS, SLOTS, adopt
from reconciler.families.butler.referring import referring
from reconciler.families.butler.relocating import relocate
from reconciler.families.butler.requests import meant, space_of, team_of

if TYPE_CHECKING:
    from reconciler.families._announcing import Announcing
    from reconciler.families._mending import Mending
    from reconciler.families._metering import Metering
    from reconciler.families._objects import Objects


def _project(given: ProjectionInput) -> tuple[Projection, ...]:
    from reconciler.families.butler.projecting import project

    return project(given)


def _announcing() -> "Announcing":
    from reconciler.families.butler.announcing import ANNOUNCING

    return ANNOUNCING


def _objects() -> "Objects":
    from reconciler.families.butler.objects import OBJECTS

    return OBJECTS


def _metering() -> "Metering":
    from reconciler.families.butler.metering import METERING

    return METERING


def _mending() -> "Mending":
    from reconciler.families.butler.mending import MENDING

    return MENDING


FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    slots=SLOTS,
    grows=GROWS,
    judge=judge,
    read=read,
    project=_project,
    record=FORM,
    adopt=adopt,
    relocate=relocate,
    team=team_of,
    space=space_of,
    meant=meant,
    referring=referring,
    load_announcing=_announcing,
    load_objects=_objects,
    load_metering=_metering,
    load_mending=_mending,
)
