"""Quays with berths, and boats that ask for one: IPv6, chosen by labels, of two versions."""

from reconciler.families.interface import Family, referring_whole, slot_kinds
from tests.toy.families.toy.claims import SLOT, read
from tests.toy.families.toy.kinds import BOAT, KINDS, NAME, QUAY
from tests.toy.families.toy.objects import OBJECTS
from tests.toy.families.toy.pools import judge
from tests.toy.families.toy.projecting import project

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(QUAY.kind,),
    owners=(BOAT.kind,),
    slots=slot_kinds({SLOT: BOAT.kind}),
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=referring_whole(NAME, {SLOT: BOAT}, SLOT),
    objects=OBJECTS,
)
