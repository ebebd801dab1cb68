"""Kinds of `gitops-ipam.dev`: AddressPool, AddressClaim, ClusterTarget, Team."""

from reconciler.families.interface import Family, Fixes
from reconciler.families.plain.kinds import CLAIM, FORM, KINDS, NAME, POOL, TARGET, owner_kind
from reconciler.families.plain.objects import OBJECTS
from reconciler.families.plain.pools import widened
from reconciler.families.plain.projection import ANNOUNCING, project
from reconciler.families.plain.reading import judge, read, smaller
from reconciler.families.plain.requests import relocate
from reconciler.families.plain.targets import renamed_entries
from reconciler.families.plain.teams import contract_of, team_of

FAMILY = Family(
    name=NAME,
    kinds=KINDS,
    pool_kinds=(POOL.kind,),
    owners=(CLAIM.kind, TARGET.kind),
    slots=owner_kind,
    grows=(),
    judge=judge,
    read=read,
    project=project,
    record=FORM,
    relocate=relocate,
    team=team_of,
    contract=contract_of,
    entries=renamed_entries,
    announcing=ANNOUNCING,
    objects=OBJECTS,
    fixes=Fixes(smaller, widened),
)
