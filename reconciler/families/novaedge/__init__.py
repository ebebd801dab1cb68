"""NovaEdge: ProxyIPPool and ProxyVIP, releases v1.0 to v1.6."""

from reconciler.families.interface import Family, slot_kinds
from reconciler.families.novaedge.kinds import KINDS, NAME, POOL, SLOTS, VIP
from reconciler.families.novaedge.objects import OBJECTS, project
from reconciler.families.novaedge.reading import FIXES, FORM, judge, read

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    owners=(VIP.kind,),
    slots=slot_kinds(dict.fromkeys(SLOTS.values(), VIP.kind)),
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=FORM,
    objects=OBJECTS,
    fixes=FIXES,
)
