"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.families._family import Family
from reconciler.families.butler.judging import judge
from reconciler.families.butler.kinds import KINDS, NAME, POOL
from reconciler.families.butler.projecting import project
from reconciler.families.butler.reading import read
from reconciler.families.butler.records import FORM, GROWS, SLOTS, adopt

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
)
