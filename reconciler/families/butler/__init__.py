"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.families._family import Family
from reconciler.families.butler.announcing import ANNOUNCING
from reconciler.families.butler.judging import judge
from reconciler.families.butler.kinds import KINDS, NAME, POOL
from reconciler.families.butler.mending import MENDING
from reconciler.families.butler.metering import METERING
from reconciler.families.butler.objects import OBJECTS
from reconciler.families.butler.projecting import project
from reconciler.families.butler.reading import read
from reconciler.families.butler.record_form import FORM, GROWS, SLOTS, adopt
from reconciler.families.butler.referring import referring
from reconciler.families.butler.relocating import relocate
from reconciler.families.butler.requests import meant, space_of, team_of

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
    meant=meant,
    referring=referring,
    announcing=ANNOUNCING,
    objects=OBJECTS,
    metering=METERING,
    mending=MENDING,
)
