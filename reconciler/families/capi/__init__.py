"""Cluster API: in-cluster IP pools, IPAddressClaims, and the virtual addresses of Clusters."""

from reconciler.families._family import Family
from reconciler.families._record_form import referring_whole
from reconciler.families.capi.judging import judge
from reconciler.families.capi.kinds import (
    ADDRESS,
    GLOBAL_POOL,
    KINDS,
    NAME,
    OWNERS,
    POOL,
    SLOTS,
)
from reconciler.families.capi.mending import MENDING
from reconciler.families.capi.metering import METERING
from reconciler.families.capi.objects import OBJECTS
from reconciler.families.capi.projecting import project
from reconciler.families.capi.reading import read

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(GLOBAL_POOL.kind, POOL.kind),
    slots=SLOTS,
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=referring_whole(NAME, OWNERS, ADDRESS),
    objects=OBJECTS,
    metering=METERING,
    mending=MENDING,
)
