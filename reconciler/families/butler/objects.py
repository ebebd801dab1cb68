"""Butler in clusters: its objects there, and what it says of them."""

from reconciler.families._objects import Objects
from reconciler.families.butler.events import pool_event
from reconciler.families.butler.growers import growers, may_own
from reconciler.families.butler.importing import COPIED, WRITING
from reconciler.families.butler.infrastructure import observe
from reconciler.families.butler.intake import INTAKE
from reconciler.families.butler.listing import LISTINGS
from reconciler.families.butler.locking import UPDATE_RULES
from reconciler.families.butler.resources import (
    NETWORK_POOL,
    OBSERVED,
    RECORD_SPEC,
    RESOURCES,
    RIGHTS,
    SHAPES,
    crds,
)
from reconciler.families.butler.simulating import NEWCOMER

OBJECTS = Objects(
    resources=RESOURCES,
    owned=(NETWORK_POOL,),
    needed=(NETWORK_POOL,),
    shapes=SHAPES,
    record_spec=RECORD_SPEC,
    crds=crds,
    rights=RIGHTS,
    intake=INTAKE,
    update_rules=UPDATE_RULES,
    event=pool_event,
    observes=OBSERVED,
    observe=observe,
    listings=LISTINGS,
    newcomer=NEWCOMER,
    growers=growers,
    may_own=may_own,
    copied=COPIED,
    writing=WRITING,
)
