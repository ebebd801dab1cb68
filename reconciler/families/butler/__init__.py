"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.families.butler.kinds import FORM, GROWS, KINDS, NAME, POOL, SLOTS, adopt
from reconciler.families.butler.objects import OBJECTS
from reconciler.families.butler.pools import FIXES
from reconciler.families.butler.projection import ANNOUNCING, METERING, project
from reconciler.families.butler.reading import judge, read
from reconciler.families.butler.requests import possible_owner, referring, space_of, team_of
from reconciler.families.butler.tenants import relocate
from reconciler.families.interface import Family

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    slots=SLOTS,
    grows=GROWS,
    judge=judge,
    read=read,
    project=project,
    record=FORM,
    adopt=adopt,
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
