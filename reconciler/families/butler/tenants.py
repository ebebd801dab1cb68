"""TenantClusters."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, Location, error, join_limited, shown, warning
from reconciler.families.butler.kinds import MANUAL, NAME, REQUEST, TENANT, manual_range
from reconciler.families.butler.pools import NetworkPool
from reconciler.families.butler.providers import Provider
from reconciler.families.demand import DEMAND, ENTRIES, GROWTH, DemandEntry, entries_of, standing
from reconciler.families.interface import CurrentRecords, Relocation
from reconciler.model.claim import Allocation, Claim, Near, Owner
from reconciler.model.key import Key
from reconciler.model.objects import PREFIX
from reconciler.model.objects import RECORD_NAMESPACE as RECORDS

SLOT = "loadbalancer"


class LoadBalancerState(Struct, frozen=True):
    """A tenant's load-balancer addresses and requests.

    Attributes:
        first: The record of its own claim, if that holds addresses.
        instead: The claim of the request that is its own claim, with its record, if any.
        more: Records of further manually requested ranges, by number.
        number: The next number.
        stated: The size in its document, or None.
        default: The size of its first claim without a stated size; 0 for no claim.
        pin: The range that its document pins and its pool, or None.
    """

    first: Allocation | None
    instead: tuple[Claim, Allocation | None] | None
    more: Sequence[Allocation]
    number: int
    stated: int | None
    default: int
    pin: tuple[Key, IPRange] | None


class LoadBalancerClaim(Struct, frozen=True):
    """A claim, as far as it follows from sizes."""

    slot: str
    size: int
    fixed: bool = False
    pin: IPRange | None = None
    near: Near | None = None
    beside: Key | None = None
    is_open: bool = False


def is_elsewhere(standing: LoadBalancerState) -> bool:
    """Return whether it holds another range than its document pins."""
    first, pin = standing.first, standing.pin
    return first is not None and first.is_live and pin is not None and first.range != pin[1]


def wanted(standing: LoadBalancerState, own: Key) -> Iterator[LoadBalancerClaim]:
    """Yield the claims of a tenant.

    Args:
        standing: Its addresses and requests.
        own: The key of its first claim.
    """
    first, stated = standing.first, standing.stated
    pin = standing.pin[1] if standing.pin is not None and not is_elsewhere(standing) else None
    size = first_size(standing)
    if standing.instead is None and size > 0:
        is_open = first is None or not first.is_live
        fixed = stated is not None or pin is not None
        yield LoadBalancerClaim(SLOT, size, fixed, pin, is_open=is_open)
    kept = _kept(standing, size)
    for record in kept:
        yield LoadBalancerClaim(record.claim.slot, record.size)
    held = size + sum(record.size for record in kept)
    near = _near(standing, kept, held)
    if stated is not None and stated > held:
        yield LoadBalancerClaim(
            f"{SLOT}-{standing.number}", stated - held, near=near, beside=_beside(standing, own)
        )


def first_size(standing: LoadBalancerState) -> int:
    """Return the size of its first claim; 0 for none. An existing range keeps its size."""
    first, stated = standing.first, standing.stated
    if standing.instead is not None:
        return standing.instead[0].size
    if first is not None and first.is_live:
        return first.size
    if standing.pin is not None:
        return standing.pin[1].size
    if stated is None:
        return standing.default
    if first is not None and first.size <= stated:
        return first.size  # the same range again; missing addresses become a further range
    return max(stated - sum(it.size for it in standing.more if it.is_live), 0)


def holding(standing: LoadBalancerState) -> list[Allocation]:
    """Return the records of its load-balancer addresses, the first record first."""
    own = standing.instead[1] if standing.instead is not None else standing.first
    return [it for it in (own, *standing.more) if it is not None and it.is_live]


def _kept(standing: LoadBalancerState, size: int) -> list[Allocation]:
    """Return all live further ranges, and as many ranges in retention as it requests again."""
    kept = [record for record in standing.more if record.is_live]
    lacking = (standing.stated or 0) - size - sum(record.size for record in kept)
    for record in standing.more:
        if not record.is_live and record.size <= lacking:
            kept.append(record)
            lacking -= record.size
    return kept


def _near(standing: LoadBalancerState, kept: Sequence[Allocation], held: int) -> Near | None:
    """Return the last range that it got; None if there is none."""
    own = standing.instead[1] if standing.instead is not None else standing.first
    last = next((it for it in (*reversed(kept), own) if it is not None and it.range), None)
    if last is not None and last.range is not None:
        return Near(last.pool, last.range, held)
    if standing.instead is not None:
        claim, _ = standing.instead
        return (
            Near(claim.candidates[0], claim.pin, held) if claim.pin and claim.candidates else None
        )
    return Near(*standing.pin, held) if standing.pin is not None else None


def _beside(standing: LoadBalancerState, own: Key) -> Key | None:
    """Return the first claim if it holds nothing yet: further claims require it."""
    if standing.instead is not None:
        claim, record = standing.instead
        return None if record is not None and record.is_live else claim.key
    return None if standing.first is not None and standing.first.is_live else own


class Grown(NamedTuple):
    """A claim of a tenant's growth.

    Attributes:
        doubt: The unreadable file that prevents new addresses; empty if there is none.
    """

    entry: DemandEntry
    source: Location
    doubt: str = ""


def growing_grown(
    demand: Document | None,
    tenant: Document,
    records: Sequence[Key],
    held: CurrentRecords,
    *,
    may_grow: bool,
) -> Iterator[Grown]:
    """Yield the claims of a tenant's growth.

    Args:
        demand: Its Demand, or None; a Demand without a readable version counts as None.
        tenant: The tenant.
        records: The growth claims with addresses.
        held: Records by claim.
        may_grow: Whether its provider permits growth. If not, only claims with addresses remain.
    """
    if demand is None:
        for entry in standing(held[key] for key in records):
            yield Grown(entry, tenant.start)
        return
    there = {key.slot for key in records}
    for at, entry in enumerate(entries_of(demand)):
        if may_grow or entry.slot in there:
            yield Grown(entry, demand.at(*ENTRIES, at), demand.doubt)


def unused(demand: Document, provider: Provider) -> Iterator[Finding]:
    """Yield a warning for a Demand whose provider does not permit growth."""
    if provider.is_elastic or not entries_of(demand):
        return
    name = provider.document.name
    message = f"{demand.title}: ProviderConfig {name} is static: nothing is added to it"
    hint = "what it holds stays until a person removes the entries, which gives it back"
    yield warning("demand-unused", demand.at(*ENTRIES), message, hint)


def demands(documents: Documents) -> dict[tuple[str, str], Document]:
    """Return the Demands, by the namespace and name of their tenants."""
    found: dict[tuple[str, str], Document] = {}
    for demand in documents.of(DEMAND.id):
        name = demand.namespace, demand.name
        documents.find(TENANT, *name)
        found[name] = demand
    return found


SORTS = ("loadbalancer", "nodes")
PINNED = (("spec", "pinnedRange"), ("startAddress", "endAddress"))
"""The field with a request's pinned range, and the fields of both ends."""


def annotation(sort: str) -> str:
    """Return the annotation by which a tenant selects a pool for a kind of addresses."""
    return f"{PREFIX}{sort}-pool"


def relocate(claim: Key, pool: Key) -> Relocation:
    """Return the document changes that move a claim to a pool.

    A request keeps pinning its range: without a pin it would not replace a tenant's own claim.
    """
    if claim.kind == REQUEST.kind:
        return Relocation(("spec", "poolRef", "name"), pool.name, *PINNED)
    sort = claim.slot.partition("-")[0]
    pin = MANUAL if claim.slot == SORTS[0] else ()
    return Relocation(("metadata", "annotations", annotation(sort)), pool.name, pin)


def chosen(document: Document, sort: str) -> str | None:
    """Return the pool that a tenant selects for a kind of addresses, or None."""
    return document.annotations().get(annotation(sort))


def wrong_choices(document: Document, provider: Provider) -> list[Finding]:
    """Return findings about selected pools that the tenant's provider does not name."""
    names = list(dict.fromkeys(key.name for key in provider.pools))
    found = []
    for sort in SORTS:
        name = chosen(document, sort)
        if name is not None and name not in names:
            place = document.at("metadata", "annotations", annotation(sort))
            of = f"ProviderConfig {provider.document.name}"
            message = f"{annotation(sort)}: {shown(name)} is not in the poolRefs of {of}"
            hint = f"choose {join_limited(names, ' or ')}, or add the pool to the poolRefs of {of} first"
            found.append(error("annotation-invalid", place, message, hint))
    return found


_LB_SIZE = 8
Instead = Mapping[str, Claim]
"""Claims of requests that replace a tenant's own claims, by slot."""

_NOBODY: Instead = MappingProxyType({})
_GROWN = re.compile(r"(nodes|loadbalancer)-([0-9]+)", re.ASCII)


def tenant_key(namespace: str, name: str, slot: str) -> Key:
    """Return the key of a tenant's claim."""
    return Key(NAME, namespace, name, slot, TENANT.kind)


def owner_of(document: Document) -> Owner:
    """Return the tenant with its team: `teamRef`, else its namespace."""
    team = (document.spec.get("teamRef") or {}).get("name", document.namespace)
    return Owner(document.namespace, document.name, team)


def grown_slots(held: CurrentRecords) -> dict[tuple[str, str], list[tuple[int, Key]]]:
    """Return growth records by tenant: their numbers and claims, ascending.

    The map is built once for all tenants.
    """
    found: dict[tuple[str, str], list[tuple[int, Key]]] = {}
    for key, record in held.items():
        if key.kind == TENANT.kind and "-" in key.slot and record.range is not None:
            match = _GROWN.fullmatch(key.slot)
            if match is not None:  # other slots are not growth
                entry = (int(match.group(2)), key)
                found.setdefault((key.namespace, key.name), []).append(entry)
    return {tenant: sorted(entries) for tenant, entries in found.items()}


class Tenant:
    """A TenantCluster of an `ipam` provider, with the input for its claims."""

    def __init__(
        self,
        document: Document,
        provider: Provider,
        networks: Sequence[NetworkPool],
        demand: Document | None = None,
    ) -> None:
        """Initialize a tenant.

        Args:
            document: The TenantCluster.
            provider: Its provider, of mode `ipam`.
            networks: The provider's existing pools, in the order in which they are tried.
            demand: The entries of its Demand; None to derive them from its records.
        """
        self.document = document
        self._demand = demand
        self._provider = provider
        self._networks = networks
        self._networking = document.spec.get("networking") or {}
        self._name = (document.namespace, document.name)
        self._owner = owner_of(document)
        self._candidates = tuple(network.pool.key for network in networks)
        self._wanted = tuple(key.name for key in provider.pools)
        self._source = document.start
        self._doubt = document.doubt or provider.document.doubt

    def claims(
        self, held: CurrentRecords, grown: list[tuple[int, Key]], instead: Instead = _NOBODY
    ) -> Iterator[Claim]:
        """Yield all claims of the tenant.

        Args:
            held: Records by claim.
            grown: The tenant's further records, as returned by `grown_slots`.
            instead: Claims of requests that replace its own claims.
        """
        standing = self.standing(held, grown, instead)
        for item in wanted(standing, self._key(SLOT)):
            yield self._balancer(item)
        if grown or self._demand is not None:
            yield from self._growth_claims(held, [key for _, key in grown if key.slot[0] == "l"])
        yield from self._node_claims(held, grown, instead)

    def standing(
        self, held: CurrentRecords, grown: list[tuple[int, Key]], instead: Instead = _NOBODY
    ) -> LoadBalancerState:
        """Return its load-balancer addresses and requests. For the arguments, see `claims`."""
        own = instead.get(SLOT)
        first = held.get(self._key(SLOT))
        numbers = [number for number, key in grown if key.slot[0] == "l"]
        entries = entries_of(self._demand) if self._demand is not None else ()
        return LoadBalancerState(
            first=first if first is not None and first.range is not None else None,
            instead=None if own is None else (own, held.get(own.key)),
            more=[held[key] for _, key in grown if _is_asked_for(held, key)],
            number=max([0, *numbers, *(entry.index for entry in entries)]) + 1,
            stated=self.stated_size,
            default=self._lb_size() or self._live_size(held, SLOT),
            pin=self._pin(),
        )

    @property
    def stated_size(self) -> int | None:
        """Return the number of load-balancer addresses that its document states."""
        size = self._networking.get("lbPoolSize")
        return None if size is None else int(size)

    @property
    def pinned(self) -> IPRange | None:
        """Return the range that its document pins: `loadBalancerPool`."""
        return manual_range(self.document, [])

    def _pin(self) -> tuple[Key, IPRange] | None:
        pin = self.pinned
        if pin is None or not self._networks:
            return None
        covering = (it.pool for it in self._networks if it.pool.usable.covers(pin))
        return next(covering, self._networks[0].pool).key, pin

    @property
    def increment(self) -> int:
        """Return the minimum number of addresses by which it grows."""
        return self._provider.increment

    def grown(self, index: int, size: int) -> Claim:
        """Return the claim for its cluster's demand beyond the first load-balancer addresses."""
        return self._claim(f"loadbalancer-{index}", size, fixed=False)

    def _growth_claims(self, held: CurrentRecords, records: Sequence[Key]) -> Iterator[Claim]:
        """Yield a growth claim for each entry of the Demand."""
        may_grow = self._provider.is_elastic
        asked_for = {key.slot for key in records if _is_asked_for(held, key)}
        grown = [key for key in records if key.slot not in asked_for]
        for entry, source, doubt in growing_grown(
            self._demand, self.document, grown, held, may_grow=may_grow
        ):
            if entry.slot in asked_for:
                continue  # requested manually, and only given back manually
            made = self._claim(entry.slot, entry.count, fixed=False)
            yield replace(made, source=source, doubt=made.doubt or doubt)

    def _lb_size(self) -> int:
        """Return the size of the load-balancer claim; 0 for none."""
        if "lbPoolSize" in self._networking:
            return int(self._networking["lbPoolSize"])
        if self._provider.is_elastic and not self._has_ingress():
            return 0  # docs/reference/butler.md: growth gives such a tenant its first address
        if self._provider.lb_size is not None:
            return self._provider.lb_size
        sizes = (network.lb_pool_per_tenant for network in self._networks)
        return next((size for size in sizes if size is not None), _LB_SIZE)

    def _has_ingress(self) -> bool:
        ingress = (self.document.spec.get("addons") or {}).get("ingress") or {}
        return bool(ingress.get("enabled", True))

    def _node_claims(
        self, held: CurrentRecords, grown: list[tuple[int, Key]], instead: Instead
    ) -> Iterator[Claim]:
        """Yield a nodes claim if a pool gives node addresses, and claims that extend it.

        Growth consists of whole claims. The existing claims that are needed stay, in the order of
        their numbers, and one claim with a new number requests the missing addresses. A pool that
        no longer gives node addresses does not take any away.
        """
        defaults = (network.nodes_per_tenant for network in self._networks)
        default = next((size for size in defaults if size is not None), None)
        default = default or self._live_size(held, "nodes")
        if not default:
            return
        workers = self.document.spec.get("workers") or {}
        needed = max(default, int(workers.get("replicas", 0)))
        first, own = held.get(self._key("nodes")), instead.get("nodes")
        size = first.range.size if first is not None and first.range is not None else needed
        if own is None:
            is_open = first is None or not first.is_live
            yield replace(self._claim("nodes", size, fixed=False), is_open=is_open)
        else:
            size = own.size
        lacking = needed - size
        numbers = [0]
        for number, key in grown:
            if key.slot[0] != "n":
                continue
            numbers.append(number)
            if lacking > 0:
                size = held[key].size
                lacking -= size
                yield self._claim(key.slot, size, fixed=False, key=key)
        if lacking > 0:
            yield self._claim(f"nodes-{numbers[-1] + 1}", lacking, fixed=False)

    def _live_size(self, held: CurrentRecords, slot: str) -> int:
        """Return the size of the tenant's claim if it holds addresses, else 0.

        Tenants keep addresses of a default that was removed later.
        """
        record = held.get(self._key(slot))
        return record.size if record is not None and record.is_live else 0

    def _named(self, name: str) -> tuple[Key, ...]:
        """Return the provider's pools that have a name."""
        return tuple(key for key in self._candidates if key.name == name)

    def _key(self, slot: str) -> Key:
        return tenant_key(*self._name, slot)

    def _balancer(self, item: LoadBalancerClaim) -> Claim:
        made = self._claim(item.slot, item.size, fixed=item.fixed)
        return replace(
            made,
            role="initial",
            pin=item.pin,
            near=item.near,
            beside=item.beside,
            is_open=item.is_open,
        )

    def _claim(self, slot: str, size: int, *, fixed: bool, key: Key | None = None) -> Claim:
        kind, _, number = slot.partition("-")
        short = "lb" if kind == "loadbalancer" else kind
        suffix = f"{short}-{number}" if number else short
        one = chosen(self.document, kind)
        return Claim(
            key=key or self._key(slot),
            candidates=self._candidates if one is None else self._named(one),
            wanted=self._wanted if one is None else (one,),
            size=size,
            pin=None,
            fixed=fixed,
            owner=self._owner,
            type=kind,
            role=GROWTH if number else "initial",
            name=f"{self._owner.namespace}-{self._owner.name}-{suffix}",
            namespace=RECORDS,
            source=self._source,
            quota=self._provider.quota(self._name, kind),
            doubt=self._doubt,
        )


def _is_asked_for(held: CurrentRecords, key: Key) -> bool:
    """Return whether a further load-balancer record was requested manually, not by the cluster."""
    return key.slot.startswith(f"{SLOT}-") and held[key].role != GROWTH
