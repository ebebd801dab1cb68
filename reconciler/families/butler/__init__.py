"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.families.butler import kinds
from reconciler.families.butler.objects import OBJECTS
from reconciler.families.butler.pools import FIXES
from reconciler.families.butler.projection import ANNOUNCING, METERING, project
from reconciler.families.butler.reading import judge, read
from reconciler.families.butler.requests import HOLDER, possible_owner, referring, space_of, team_of
from reconciler.families.butler.tenants import CHOOSING, relocate
from reconciler.families.interface import Family, slot_kinds
from reconciler.model.objects import CLAIM, STILL_ANNOUNCED

FAMILY = Family(
    name=kinds.NAME,
    kinds=kinds.KINDS,
    pool_kinds=(kinds.POOL.kind,),
    owners=(kinds.TENANT.kind, kinds.REQUEST.kind),
    slots=slot_kinds(kinds.SLOTS, kinds.GROWS),
    grows=kinds.GROWS,
    judge=judge,
    read=read,
    project=project,
    record=kinds.FORM,
    annotations={
        kinds.TENANT.kind: (kinds.NAMED, *CHOOSING.values()),
        kinds.REQUEST.kind: (CLAIM, STILL_ANNOUNCED, HOLDER),
    },
    adopt=kinds.adopt,
    relocate=relocate,
    team=team_of,
    space=space_of,
    possible_owner=possible_owner,
    referring=referring,
    announcing=ANNOUNCING,
    objects=OBJECTS,
    metering=METERING,
    fixes=FIXES,
)
