"""Cluster API in clusters: its objects there, and what it says of them."""

from reconciler.families._objects import Objects
from reconciler.families.capi.events import claim_event
from reconciler.families.capi.fitting import fit
from reconciler.families.capi.importing import COPIED
from reconciler.families.capi.intake import INTAKE
from reconciler.families.capi.listing import LISTINGS
from reconciler.families.capi.resources import OWNED, RESOURCES, RIGHTS, SHAPES
from reconciler.families.capi.withdrawing import ASKED, still_has
from reconciler.model.shape import NAMED

OBJECTS = Objects(
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
    copied=COPIED,
)
