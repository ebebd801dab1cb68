"""Cluster API: in-cluster IP pools, IPAddressClaims, and the virtual addresses of Clusters."""

from reconciler.families._family import Family
from reconciler.families._objects import Objects
from reconciler.families._record_form import referring_whole
from reconciler.families.capi.events import claim_event
from reconciler.families.capi.fitting import fit
from reconciler.families.capi.intake import INTAKE
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
from reconciler.families.capi.listing import LISTINGS
from reconciler.families.capi.metering import METERING
from reconciler.families.capi.projecting import project
from reconciler.families.capi.reading import read
from reconciler.families.capi.resources import (
    OWNED,
    RESOURCES,
    RIGHTS,
    SHAPES,
)
from reconciler.families.capi.withdrawing import ASKED, still_has
from reconciler.model.shape import NAMED

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
    objects=Objects(
        resources=RESOURCES,
        owned=OWNED,
        shared=OWNED,
        shapes=SHAPES,
        record_spec={"claimRef": NAMED},
        rights=RIGHTS,
        intake=INTAKE,
        event=claim_event,
        fit=fit,
        asked=ASKED,
        still_has=still_has,
        listings=LISTINGS,
    ),
    metering=METERING,
)
