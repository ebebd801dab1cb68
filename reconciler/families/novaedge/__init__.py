"""NovaEdge: ProxyIPPool and ProxyVIP, as of its releases v1.0 to v1.6."""

from reconciler.families._family import Family
from reconciler.families._objects import Objects
from reconciler.families.novaedge.intake import INTAKE
from reconciler.families.novaedge.kinds import KINDS, NAME, POOL, VIP
from reconciler.families.novaedge.listing import LISTINGS
from reconciler.families.novaedge.projecting import project
from reconciler.families.novaedge.reading import judge, read
from reconciler.families.novaedge.record_form import FORM
from reconciler.families.novaedge.resources import POOLS, RESOURCES, RIGHTS, SHAPES, crds
from reconciler.families.novaedge.vips import SLOTS
from reconciler.model.shape import NAMED

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    slots=dict.fromkeys(SLOTS.values(), VIP.kind),
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=FORM,
    objects=Objects(
        resources=RESOURCES,
        owned=(POOLS,),
        shapes=SHAPES,
        record_spec={"claimRef": NAMED},
        crds=crds,
        rights=RIGHTS,
        intake=INTAKE,
        listings=LISTINGS,
    ),
)
