"""Butler: NetworkPool, ProviderConfig, TenantCluster, IPAllocation, Team."""

from reconciler.documents.document import Kind
from reconciler.families._family import Family
from reconciler.families._objects import Objects
from reconciler.families.butler.announcing import CLUSTERS, announcer, cluster_of
from reconciler.families.butler.events import pool_event
from reconciler.families.butler.infrastructure import observe
from reconciler.families.butler.judging import judge
from reconciler.families.butler.listing import LISTINGS
from reconciler.families.butler.locking import UPDATE_RULES
from reconciler.families.butler.projecting import project
from reconciler.families.butler.reading import read
from reconciler.families.butler.resources import (
    NETWORK_POOL,
    OBSERVED,
    RECORD_SPEC,
    RESOURCES,
    RIGHTS,
    SHAPES,
    VERSION,
    crds,
)
from reconciler.families.butler.simulating import NEWCOMER

_SYSTEM = "butler-system"

FAMILY = Family(
    name="butler",
    kinds=(
        Kind(VERSION, "NetworkPool", "butler/NetworkPool.json", _SYSTEM),
        Kind(VERSION, "ProviderConfig", "butler/ProviderConfig.json", _SYSTEM),
        Kind(VERSION, "TenantCluster", "butler/TenantCluster.json", "default"),
        Kind(VERSION, "IPAllocation", "butler/IPAllocation.json", _SYSTEM),
        Kind(VERSION, "Team", "butler/Team.json", None, is_shared=True),
    ),
    judge=judge,
    read=read,
    project=project,
    objects=Objects(
        resources=RESOURCES,
        owned=(NETWORK_POOL,),
        needed=(NETWORK_POOL,),
        shapes=SHAPES,
        record_spec=RECORD_SPEC,
        crds=crds,
        rights=RIGHTS,
        update_rules=UPDATE_RULES,
        event=pool_event,
        observes=OBSERVED,
        observe=observe,
        cluster_of=cluster_of,
        announcer=announcer,
        clusters=CLUSTERS,
        listings=LISTINGS,
        newcomer=NEWCOMER,
    ),
)
