"""Suggested fixes."""

from collections.abc import Iterator, Mapping

from reconciler.addresses import BITS, IPRange, format_address, format_cidr
from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.documents.yaml import Steps
from reconciler.families.butler.kinds import LB, POOL, PROVIDER, REQUEST, TENANT
from reconciler.families.butler.pools import Providers
from reconciler.families.interface import Fix, Fixes
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.pool import Pool

_ALLOCATION = ("spec", "tenantAllocation")
_WIDEST = 8  # doublings: no realistic claim needs more


def _smaller(documents: Documents, claim: Claim, size: int) -> Fix | None:
    kind = TENANT
    steps: Steps = ("spec", "networking", "lbPoolSize")
    if claim.key.kind == REQUEST.kind:
        kind, steps = REQUEST, ("spec", "count")
    elif claim.key.slot != LB:
        return None
    document = documents.find(kind, claim.key.namespace, claim.key.name)
    if document is None:
        return None
    says = f"ask for {size} instead of {claim.size}, the most that fit"
    return Fix(says, document, (Edit(steps, size),))


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Fix]:
    document = documents.find(POOL, pool.key.namespace, pool.key.name)
    if document is None or document.doubt:
        return
    network = next(iter(pool.extent))
    for doubled in range(1, min(_WIDEST, BITS[4] - 1) + 1):
        size = network.size << doubled
        first = network.first & -size
        wider = IPRange(4, first, first + size - 1)
        edits = _usable(document, network, wider)
        if edits is None:
            return
        if size - network.size >= lacking:
            cidr = format_cidr(wider) or ""
            says = f"widen {pool.key.name} from {format_cidr(network)} to {cidr},"
            says += " if whoever runs the network agrees"
            yield Fix(says, document, (Edit(("spec", "cidr"), cidr), *edits))


def _usable(document: Document, network: IPRange, wider: IPRange) -> tuple[Edit, ...] | None:
    """Return the edits that make new addresses usable without adding previously excluded ones."""
    given = document.spec.get("tenantAllocation") or {}
    first, last = network.last + 1, wider.last
    if given.get("ranges"):
        if first > last:
            return None
        item = {"start": format_address(4, first), "end": format_address(4, last)}
        return (Edit((*_ALLOCATION, "ranges"), item, is_item=True),)
    if "start" not in given or "end" not in given:
        return ()
    if given["end"] == format_address(4, network.last) and first <= last:
        return (Edit((*_ALLOCATION, "end"), format_address(4, last)),)
    if given["start"] == format_address(4, network.first) and wider.first < network.first:
        return (Edit((*_ALLOCATION, "start"), format_address(4, wider.first)),)
    return None


def _added(documents: Documents, claim: Claim, pools: Mapping[Key, Pool]) -> Iterator[Fix]:
    tenant = documents.find(TENANT, claim.owner.namespace, claim.owner.name)
    if claim.key.kind != TENANT.kind or tenant is None:
        return
    provider, _ = Providers(documents).of(tenant)
    if provider is None:
        return
    references = provider.document.spec["network"].get("poolRefs") or ()
    last = max((item.get("priority", 0) for item in references), default=0)
    for key in pools:
        if key.kind == POOL.kind and key not in provider.pools:
            item: dict[str, str | int] = {"name": key.name}
            item |= {"priority": last} if last > 0 else {}
            says = f"add {key.name} to the poolRefs of {PROVIDER.kind} {provider.document.name}"
            steps = ("spec", "network", "poolRefs")
            yield Fix(says, provider.document, (Edit(steps, item, is_item=True),))


def _given_back(record: Allocation) -> str:
    if record.claim.kind == REQUEST.kind:
        return f"a change that removes the {REQUEST.kind}"
    if record.claim.slot_order[1]:
        return "a change to a smaller lbPoolSize (the warning size-smaller then says how)"
    return "a change that removes the tenant (its first range stays whole while it is there)"


FIXES = Fixes(_smaller, _widened, _added, _given_back)
