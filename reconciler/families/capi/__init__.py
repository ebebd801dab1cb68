"""Cluster API: in-cluster IP pools, IPAddressClaims, and the virtual addresses of Clusters."""

from reconciler.families.capi.kinds import (
    ADDRESS,
    CLAIM,
    CLUSTER,
    GLOBAL_POOL,
    KINDS,
    NAME,
    OWNERS,
    PINNED,
    POOL,
    SLOTS,
)
from reconciler.families.capi.objects import OBJECTS
from reconciler.families.capi.pools import FIXES
from reconciler.families.capi.projection import METERING, project
from reconciler.families.capi.reading import judge, read
from reconciler.families.interface import Family, referring_whole, slot_kinds

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(GLOBAL_POOL.kind, POOL.kind),
    owners=(CLUSTER.kind, CLAIM.kind),
    slots=slot_kinds(SLOTS),
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=referring_whole(NAME, OWNERS, ADDRESS),
    annotations={CLAIM.kind: (PINNED,)},
    objects=OBJECTS,
    metering=METERING,
    fixes=FIXES,
)
