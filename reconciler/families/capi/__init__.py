"""Cluster API: in-cluster IP pools, IPAddressClaims, and the virtual addresses of Clusters."""

from reconciler.families.capi import kinds
from reconciler.families.capi.objects import OBJECTS
from reconciler.families.capi.pools import FIXES
from reconciler.families.capi.projection import METERING, project
from reconciler.families.capi.reading import judge, read
from reconciler.families.interface import Family, referring_whole, slot_kinds

FAMILY = Family(
    name=kinds.NAME,
    kinds=kinds.KINDS,
    pool_kinds=(kinds.GLOBAL_POOL.kind, kinds.POOL.kind),
    owners=(kinds.CLUSTER.kind, kinds.CLAIM.kind),
    slots=slot_kinds(kinds.SLOTS),
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=referring_whole(kinds.NAME, kinds.OWNERS, kinds.ADDRESS),
    annotations={kinds.CLAIM.kind: (kinds.PINNED,)},
    objects=OBJECTS,
    metering=METERING,
    fixes=FIXES,
)
