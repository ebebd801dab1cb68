"""NovaEdge in clusters: its objects there, and what it says of them."""

from reconciler.families._objects import Objects
from reconciler.families.novaedge.importing import COPIED
from reconciler.families.novaedge.intake import INTAKE
from reconciler.families.novaedge.listing import LISTINGS
from reconciler.families.novaedge.resources import POOLS, RESOURCES, RIGHTS, SHAPES, crds
from reconciler.model.shape import NAMED

OBJECTS = Objects(
    resources=RESOURCES,
    owned=(POOLS,),
    shapes=SHAPES,
    record_spec={"claimRef": NAMED},
    crds=crds,
    rights=RIGHTS,
    intake=INTAKE,
    listings=LISTINGS,
    copied=COPIED,
)
