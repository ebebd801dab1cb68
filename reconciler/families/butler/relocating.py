"""Where a document says which pool its addresses are of: what `ipam move` writes, and tenants read.

A request names its pool. A TenantCluster has the pools of its provider, which others share: an
annotation chooses one of them for its load balancers, another one for its nodes.
"""

from reconciler.documents.document import Document
from reconciler.families._family import Relocation
from reconciler.families.butler.kinds import REQUEST
from reconciler.families.butler.manual import MANUAL
from reconciler.families.butler.providers import Provider
from reconciler.findings import Finding, error, few, shown
from reconciler.model.key import Key
from reconciler.model.marks import PREFIX

SORTS = ("loadbalancer", "nodes")
PINNED = (("spec", "pinnedRange"), ("startAddress", "endAddress"))
"""Where a request pins its range, and the fields of both ends."""


def annotation(sort: str) -> str:
    """The annotation by which a tenant chooses a pool for a sort of addresses."""
    return f"{PREFIX}{sort}-pool"


def relocate(claim: Key, pool: Key) -> Relocation:
    """What the document of a claim has to say so that it moves to a pool.

    A request goes on pinning its range: without a pin it would stand for no tenant's own claim.
    """
    if claim.kind == REQUEST.kind:
        return Relocation(("spec", "poolRef", "name"), pool.name, *PINNED)
    sort = claim.slot.partition("-")[0]
    pin = MANUAL if claim.slot == SORTS[0] else ()
    return Relocation(("metadata", "annotations", annotation(sort)), pool.name, pin)


def chosen(document: Document, sort: str) -> str | None:
    """The pool that a tenant chooses for a sort of addresses; None where it chooses none."""
    return document.annotations().get(annotation(sort))


def wrong_choices(document: Document, provider: Provider) -> list[Finding]:
    """What is chosen that the tenant's provider does not name."""
    names = list(dict.fromkeys(key.name for key in provider.pools))
    found = []
    for sort in SORTS:
        name = chosen(document, sort)
        if name is not None and name not in names:
            place = document.at("metadata", "annotations", annotation(sort))
            of = f"ProviderConfig {provider.document.name}"
            message = f"{annotation(sort)}: {shown(name)} is not in the poolRefs of {of}"
            hint = f"choose {few(names, ' or ')}, or add the pool to the poolRefs of {of} first"
            found.append(error("annotation-invalid", place, message, hint))
    return found
