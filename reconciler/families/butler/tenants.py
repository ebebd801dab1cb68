"""TenantClusters and their claims."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.families.butler.kinds import LB, NODES, REQUEST, SIZES, TENANT, own_name, tenant_key
from reconciler.families.butler.pools import NetworkPool, Provider
from reconciler.families.demand import ENTRIES, GROWTH, entries_of, granted_entries
from reconciler.families.fields import read_range
from reconciler.families.interface import CurrentRecords, Relocation
from reconciler.model.claim import Allocation, Claim, Near, Owner
from reconciler.model.key import Key
from reconciler.model.objects import PREFIX
from reconciler.model.objects import RECORD_NAMESPACE as RECORDS

MANUAL = ("spec", "networking", "loadBalancerPool")
PINNED = (("spec", "pinnedRange"), ("startAddress", "endAddress"))
"""The field with a request's pinned range, and the fields of both ends."""

_GROWN = re.compile(rf"({NODES}|{LB})-([0-9]+)", re.ASCII)
TenantName = tuple[str, str]
GrownRecords = list[tuple[int, Key]]
Instead = Mapping[str, Claim]
"""Claims of requests that replace a tenant's own claims, by slot."""


def manual_title(document: Document) -> str:
    """Return the title of a tenant's loadBalancerPool in findings of other claims."""
    return f"{document.namespace}/{document.name} (loadBalancerPool)"


def manual_range(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the range of a tenant's loadBalancerPool; None if absent or invalid."""
    if "loadBalancerPool" not in (document.spec.get("networking") or {}):
        return None
    return read_range(document, MANUAL, ("start", "end"), found)


def owner_of(document: Document) -> Owner:
    """Return the tenant with its team: `teamRef`, else its namespace."""
    team = (document.spec.get("teamRef") or {}).get("name", document.namespace)
    return Owner(document.namespace, document.name, team)


def judge_demand_use(demand: Document, provider: Provider) -> Iterator[Finding]:
    """Yield a warning for a Demand whose provider does not permit growth."""
    if not provider.is_elastic and entries_of(demand):
        name = provider.document.name
        message = f"{demand.title} has no effect, because ProviderConfig {name} is static"
        hint = "remove its entries to release their addresses"
        yield warning("demand-unused", demand.at(*ENTRIES), message, hint)


CHOOSING = {kind: f"{PREFIX}{kind}-pool" for kind in (LB, NODES)}
"""The annotations of a tenant that choose one of its provider's pools, by type."""


def relocate(claim: Key, pool: Key, *_: object) -> Relocation:
    """Return the document changes that move a claim to a pool. A request keeps pinning its range."""
    if claim.kind == REQUEST.kind:
        return Relocation(("spec", "poolRef", "name"), pool.name, *PINNED)
    annotation = CHOOSING[claim.slot.partition("-")[0]]
    pin = MANUAL if claim.slot == LB else ()
    return Relocation(("metadata", "annotations", annotation), pool.name, pin)


def judge_chosen_pools(document: Document, provider: Provider) -> Iterator[Finding]:
    """Yield findings about selected pools that the tenant's provider does not name."""
    annotations = document.annotations()
    for annotation in CHOOSING.values():
        name = annotations.get(annotation)
        if name is not None and name not in provider.names:
            place = document.at("metadata", "annotations", annotation)
            of = f"ProviderConfig {provider.document.name}"
            message = f"{annotation}: {shown(name)} is not in the poolRefs of {of}"
            choice = join_limited(list(dict.fromkeys(provider.names)), " or ")
            hint = f"choose {choice}, or add the pool to the poolRefs of {of} first"
            yield error("annotation-invalid", place, message, hint)


def grown_slots(held: CurrentRecords) -> dict[TenantName, GrownRecords]:
    """Return growth records by tenant: their numbers and claims, ascending."""
    found: dict[TenantName, GrownRecords] = {}
    for key, record in held.items():
        if key.kind == TENANT.kind and "-" in key.slot and record.range is not None:
            match = _GROWN.fullmatch(key.slot)
            if match is not None:  # other slots are not growth
                entry = (int(match.group(2)), key)
                found.setdefault((key.namespace, key.name), []).append(entry)
    return {tenant: sorted(entries) for tenant, entries in found.items()}


class LoadBalancerState(Struct, frozen=True):
    """A tenant's load-balancer addresses and requests. `number` is the next one for `more`.

    `instead` is the claim of the request that is its own claim. `default` is 0 for no claim.
    `candidates` are the pools that its document requests.
    """

    first: Allocation | None
    instead: tuple[Claim, Allocation | None] | None
    more: Sequence[Allocation]
    number: int
    stated: int | None
    default: int
    pin: tuple[Key, IPRange] | None
    candidates: tuple[Key, ...]

    @property
    def own(self) -> Allocation | None:
        """Return the record of its first claim, or of the request that replaces it."""
        return self.instead[1] if self.instead is not None else self.first

    @property
    def holding(self) -> list[Allocation]:
        """Return the records of its load-balancer addresses, the first record first."""
        return [it for it in (self.own, *self.more) if it is not None and it.is_live]

    @property
    def is_elsewhere(self) -> bool:
        """Return whether it holds another range than its document pins."""
        first, pin = self.first, self.pin
        return first is not None and first.is_live and pin is not None and first.range != pin[1]

    @property
    def first_size(self) -> int:
        """Return the size of its first claim; 0 for none. An existing range keeps its size."""
        first, stated = self.first, self.stated
        if self.instead is not None:
            return self.instead[0].size
        if first is not None and first.is_live:
            return first.size
        if self.pin is not None:
            return self.pin[1].size
        if stated is None:
            return self.default
        if first is not None and first.size <= stated:
            return first.size  # the same range again; missing addresses become a further range
        return max(stated - sum(it.size for it in self.more if it.is_live), 0)

    @property
    def asked(self) -> int:
        """Return the requested size: stated or default, but at least its first range."""
        if self.stated is not None:
            return self.stated
        is_by_default = self.instead is None and self.pin is None
        return max(self.first_size, self.default) if is_by_default else self.first_size

    def kept(self) -> list[Allocation]:
        """Return all live further ranges, and as many ranges in retention as it requests again."""
        kept = [record for record in self.more if record.is_live]
        lacking = (self.stated or 0) - self.first_size - sum(record.size for record in kept)
        for record in self.more:
            if not record.is_live and record.size <= lacking:
                kept.append(record)
                lacking -= record.size
        return kept

    def moved_sizes(self) -> dict[str, int]:
        """Return the sizes of ranges in other pools after a move, up to the requested size."""
        found: dict[str, int] = {}
        away = [it for it in self.holding if it.pool not in self.candidates]
        left = self.asked - sum(it.size for it in self.holding) if away else 0
        left += sum(it.size for it in away)
        for record in away:
            found[record.claim.slot] = min(record.size, max(left, 0))
            left -= record.size
        return found

    def near(self, kept: Sequence[Allocation], held: int) -> Near | None:
        """Return the last range that it got; None if there is none."""
        for last in (*reversed(kept), self.own):
            if last is not None and last.range is not None:
                return Near(last.pool, last.range, held)
        if self.instead is not None:
            claim, _ = self.instead
            if claim.pin is None or not claim.candidates:
                return None
            return Near(claim.candidates[0], claim.pin, held)
        return Near(*self.pin, held) if self.pin is not None else None


class Tenant:
    """A TenantCluster of an `ipam` provider, with the input for its claims."""

    def __init__(
        self,
        document: Document,
        provider: Provider,
        networks: Sequence[NetworkPool],
        demand: Document | None = None,
    ) -> None:
        self.document = document
        networking = document.spec.get("networking") or {}
        size = networking.get("lbPoolSize")
        self.stated_size = None if size is None else int(size)
        self.pinned = manual_range(document, [])
        self._demand = demand
        self._provider = provider
        self._networks = networks
        self._own = {kind: self._first(kind) for kind in CHOOSING}

    def claims(
        self, state: LoadBalancerState, held: CurrentRecords, grown: GrownRecords, instead: Instead
    ) -> Iterator[Claim]:
        """Yield all claims of the tenant, without those that requests replace (`instead`)."""
        yield from self._lb_claims(state)
        more = [key for _, key in grown if key.slot[0] == "l"]
        if more or self._demand is not None:
            yield from self._growth_claims(held, more)
        yield from self._node_claims(held, grown, instead)

    def state(
        self, held: CurrentRecords, grown: GrownRecords, instead: Instead
    ) -> LoadBalancerState:
        """Return its load-balancer addresses and requests. For the arguments, see `claims`."""
        own = instead.get(LB)
        first = held.get(self._own[LB].key)
        numbers = [number for number, key in grown if key.slot[0] == "l"]
        entries = entries_of(self._demand) if self._demand is not None else ()
        pin = None
        if self.pinned is not None and self._networks:
            covering = (it.pool for it in self._networks if it.pool.usable.covers(self.pinned))
            pin = next(covering, self._networks[0].pool).key, self.pinned
        return LoadBalancerState(
            first=first if first is not None and first.range is not None else None,
            instead=None if own is None else (own, held.get(own.key)),
            more=[held[key] for _, key in grown if _is_asked_for(held, key)],
            number=max([0, *numbers, *(entry.index for entry in entries)]) + 1,
            stated=self.stated_size,
            default=self._lb_size() or self._live_size(held, LB),
            pin=pin,
            candidates=self._own[LB].candidates,
        )

    def grown(self, index: int, size: int) -> Claim:
        """Return the claim for its cluster's demand beyond the first load-balancer addresses."""
        return self._claim(f"{LB}-{index}", size)

    def _lb_claims(self, state: LoadBalancerState) -> Iterator[Claim]:
        first, stated, size = state.first, state.stated, state.first_size
        sizes = state.moved_sizes()
        pin = state.pin[1] if state.pin is not None and not state.is_elsewhere else None
        if state.instead is None and size > 0:
            is_fixed = stated is not None or pin is not None
            is_open = first is None or not first.is_live
            moved = sizes.get(LB) if pin is None else None
            yield self._claim(LB, size, fixed=is_fixed, pin=pin, is_open=is_open, moved_size=moved)
        kept = state.kept()
        for record in kept:
            slot = record.claim.slot
            yield self._claim(slot, record.size, role="initial", moved_size=sizes.get(slot))
        held = size + sum(record.size for record in kept)
        if stated is not None and stated > held:
            # Further claims require the first one if it holds nothing yet.
            holds = state.own is not None and state.own.is_live
            key = state.instead[0].key if state.instead is not None else self._own[LB].key
            yield self._claim(
                f"{LB}-{state.number}",
                stated - held,
                role="initial",
                adjacent_to=state.near(kept, held),
                requires=None if holds else key,
            )

    def _growth_claims(self, held: CurrentRecords, records: Sequence[Key]) -> Iterator[Claim]:
        """Yield growth claims of the Demand, else of records. Without growth, only held ones."""
        asked_for = {key.slot for key in records if _is_asked_for(held, key)}
        grown = [key for key in records if key.slot not in asked_for]
        there = {key.slot for key in grown}
        demand = self._demand
        own = (held[key] for key in grown)
        entries = granted_entries(own) if demand is None else entries_of(demand)
        for at, entry in enumerate(entries):
            if entry.slot in asked_for:
                continue
            made = self._claim(entry.slot, entry.count)
            if demand is None:
                yield made
            elif self._provider.is_elastic or entry.slot in there:
                doubt = made.doubt or demand.doubt
                yield replace(made, source=demand.at(*ENTRIES, at), doubt=doubt)

    def _lb_size(self) -> int:
        if self.stated_size is not None:
            return self.stated_size
        ingress = (self.document.spec.get("addons") or {}).get("ingress") or {}
        if self._provider.is_elastic and not ingress.get("enabled", True):
            return 0  # docs/reference/butler.md: growth gives such a tenant its first address
        if self._provider.lb_size is not None:
            return self._provider.lb_size
        sizes = (network.lb_pool_per_tenant for network in self._networks)
        return next((size for size in sizes if size is not None), SIZES[LB])

    def _node_claims(
        self, held: CurrentRecords, grown: GrownRecords, instead: Instead
    ) -> Iterator[Claim]:
        """Yield node claims: existing ones that are needed stay, one claim requests the rest."""
        defaults = (network.nodes_per_tenant for network in self._networks)
        default = next((size for size in defaults if size is not None), None)
        default = default or self._live_size(held, NODES)
        if not default:
            return
        workers = self.document.spec.get("workers") or {}
        needed = max(default, int(workers.get("replicas", 0)))
        first, own = held.get(self._own[NODES].key), instead.get(NODES)
        size = first.range.size if first is not None and first.range is not None else needed
        if own is None:
            is_open, moved = first is None or not first.is_live, min(size, needed)
            yield self._claim(NODES, size, is_open=is_open, moved_size=moved)
        else:
            size = own.size
        lacking = needed - size
        last = 0
        for number, key in grown:
            if key.slot[0] != "n":
                continue
            last = number
            if lacking > 0:
                size = held[key].size
                yield self._claim(key.slot, size, moved_size=min(size, lacking))
                lacking -= size
        if lacking > 0:
            yield self._claim(f"{NODES}-{last + 1}", lacking)

    def _live_size(self, held: CurrentRecords, slot: str) -> int:
        record = held.get(self._own[slot].key)
        return record.size if record is not None and record.is_live else 0

    def key(self, slot: str) -> Key:
        """Return the key of one of its claims."""
        return tenant_key(self.document.namespace, self.document.name, slot)

    def _first(self, kind: str) -> Claim:
        """Return its first claim of a type, without a size. Its further claims differ little."""
        document, provider = self.document, self._provider
        name, one = (document.namespace, document.name), document.annotations().get(CHOOSING[kind])
        pools = (network.pool.key for network in self._networks)
        return Claim(
            key=tenant_key(*name, kind),
            candidates=tuple(key for key in pools if one in (None, key.name)),
            wanted=provider.names if one is None else (one,),
            size=0,
            pin=None,
            fixed=False,
            owner=owner_of(document),
            type=kind,
            role="initial",
            name=own_name(name, kind),
            namespace=RECORDS,
            source=document.start,
            quota=provider.quota(name, kind),
            doubt=document.doubt or provider.document.doubt,
        )

    def _claim(self, slot: str, size: int, **more: Any) -> Claim:
        kind, _, number = slot.partition("-")
        first = self._own[kind]
        if number:
            name = f"{first.name}-{number}"
            more = {"key": self.key(slot), "name": name, "role": GROWTH, **more}
        return replace(first, size=size, **more)


def _is_asked_for(held: CurrentRecords, key: Key) -> bool:
    return key.slot.startswith(f"{LB}-") and held[key].role != GROWTH
