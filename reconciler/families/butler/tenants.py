"""TenantCluster to claims: load-balancer and node addresses (`butler.md` §1.4, §3).

A tenant's first claims follow the defaults of its provider and pools when they are made. Defaults
that change later leave existing records alone (seed 000: "Existing allocations are unaffected"),
so only sizes that the tenant states itself are `fixed`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.families._demand import GROWTH, entries_of
from reconciler.families._family import Held
from reconciler.families.butler.balancers import SLOT, Standing, Wanted, wanted
from reconciler.families.butler.growing import grown as growth_of
from reconciler.families.butler.kinds import NAME, TENANT
from reconciler.families.butler.manual import manual_range
from reconciler.families.butler.pools import NetworkPool
from reconciler.families.butler.providers import Provider
from reconciler.families.butler.relocating import chosen
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import Key
from reconciler.model.record_kind import NAMESPACE as RECORDS

_LB_SIZE = 8
Instead = Mapping[str, Claim]
"""Claims of requests that stand for a tenant's own, by slot."""

_NOBODY: Instead = MappingProxyType({})
_GROWN = re.compile(r"(nodes|loadbalancer)-([0-9]+)", re.ASCII)


def tenant_key(namespace: str, name: str, slot: str) -> Key:
    """The key of a tenant's claim."""
    return Key(NAME, namespace, name, slot, TENANT.kind)


def owner_of(document: Document) -> Owner:
    """The tenant with its team: `teamRef`, else its namespace."""
    team = (document.spec.get("teamRef") or {}).get("name", document.namespace)
    return Owner(document.namespace, document.name, team)


def grown_slots(held: Held) -> dict[tuple[str, str], list[tuple[int, Key]]]:
    """Growth records by tenant: their numbers and claims, rising.

    Made once for all tenants, so that each finds its own without a search.
    """
    found: dict[tuple[str, str], list[tuple[int, Key]]] = {}
    for key, record in held.items():
        if key.kind == TENANT.kind and "-" in key.slot and record.range is not None:
            match = _GROWN.fullmatch(key.slot)
            if match is not None:  # a slot of another name is no growth of ours
                entry = (int(match.group(2)), key)
                found.setdefault((key.namespace, key.name), []).append(entry)
    return {tenant: sorted(entries) for tenant, entries in found.items()}


class Tenant:
    """One TenantCluster of an `ipam` provider, with what its claims follow from."""

    def __init__(
        self,
        document: Document,
        provider: Provider,
        networks: Sequence[NetworkPool],
        demand: Document | None = None,
    ) -> None:
        """Take a tenant.

        Args:
            document: The TenantCluster.
            provider: Its provider, of mode `ipam`.
            networks: The provider's pools that exist, in the order in which they are tried.
            demand: What it grows by; None where that is told by its records.
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
        self, held: Held, grown: list[tuple[int, Key]], instead: Instead = _NOBODY
    ) -> Iterator[Claim]:
        """All claims of the tenant.

        Args:
            held: Records by claim.
            grown: The tenant's further records, as `grown_slots` gives them.
            instead: What stands for its own claims.
        """
        standing = self.standing(held, grown, instead)
        for item in wanted(standing, self._key(SLOT)):
            yield self._balancer(item)
        if grown or self._demand is not None:
            yield from self._growth_claims(held, [key for _, key in grown if key.slot[0] == "l"])
        yield from self._node_claims(held, grown, instead)

    def standing(
        self, held: Held, grown: list[tuple[int, Key]], instead: Instead = _NOBODY
    ) -> Standing:
        """What it holds and asks for, of load-balancer addresses. Args: as of `claims`."""
        own = instead.get(SLOT)
        first = held.get(self._key(SLOT))
        numbers = [number for number, key in grown if key.slot[0] == "l"]
        entries = entries_of(self._demand) if self._demand is not None else ()
        return Standing(
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
        """The size of its load-balancer addresses that its document states."""
        size = self._networking.get("lbPoolSize")
        return None if size is None else int(size)

    @property
    def pinned(self) -> IPRange | None:
        """The range that its document pins: `loadBalancerPool`."""
        return manual_range(self.document, [])

    def _pin(self) -> tuple[Key, IPRange] | None:
        """The same, with the pool that gives it out, if any does."""
        pin = self.pinned
        if pin is None or not self._networks:
            return None
        covering = (it.pool for it in self._networks if it.pool.usable.covers(pin))
        return next(covering, self._networks[0].pool).key, pin

    @property
    def increment(self) -> int:
        """How many addresses it grows by at least."""
        return self._provider.increment

    def grown(self, index: int, size: int) -> Claim:
        """What its cluster asks for beyond the first load-balancer addresses."""
        return self._claim(f"loadbalancer-{index}", size, fixed=False)

    def _growth_claims(self, held: Held, records: Sequence[Key]) -> Iterator[Claim]:
        """What load balancers need beyond that: a claim for each entry of the Demand."""
        may_grow = self._provider.is_elastic
        asked_for = {key.slot for key in records if _is_asked_for(held, key)}
        grown = [key for key in records if key.slot not in asked_for]
        for entry, source, doubt in growth_of(
            self._demand, self.document, grown, held, may_grow=may_grow
        ):
            if entry.slot in asked_for:
                continue  # a person asked for it, and only a person gives it back
            made = self._claim(entry.slot, entry.count, fixed=False)
            yield replace(made, source=source, doubt=made.doubt or doubt)

    def _lb_size(self) -> int:
        """Addresses of the load-balancer claim; 0 for none."""
        if "lbPoolSize" in self._networking:
            return int(self._networking["lbPoolSize"])
        if self._provider.is_elastic and not self._has_ingress():
            return 0  # ADR-017: growth gives such a tenant its first address
        if self._provider.lb_size is not None:
            return self._provider.lb_size
        sizes = (network.lb_pool_per_tenant for network in self._networks)
        return next((size for size in sizes if size is not None), _LB_SIZE)

    def _has_ingress(self) -> bool:
        ingress = (self.document.spec.get("addons") or {}).get("ingress") or {}
        return bool(ingress.get("enabled", True))

    def _node_claims(
        self, held: Held, grown: list[tuple[int, Key]], instead: Instead
    ) -> Iterator[Claim]:
        """A nodes claim where a pool gives nodes addresses, and claims that top it up.

        Growth is whole claims: as many of the existing ones as are needed stay, in the order of
        their numbers, and what is then still lacking is one claim with a new number. A pool that
        no longer gives nodes addresses takes none away: nodes that have theirs go on as before.
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

    def _live_size(self, held: Held, slot: str) -> int:
        """Addresses that the tenant's claim holds; 0 for none.

        A default that goes away takes nothing from tenants that got theirs by it.
        """
        record = held.get(self._key(slot))
        return record.size if record is not None and record.is_live else 0

    def _named(self, name: str) -> tuple[Key, ...]:
        """Those of its provider's pools that bear a name."""
        return tuple(key for key in self._candidates if key.name == name)

    def _key(self, slot: str) -> Key:
        return tenant_key(*self._name, slot)

    def _balancer(self, item: Wanted) -> Claim:
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


def _is_asked_for(held: Held, key: Key) -> bool:
    """A further record of a load balancer's that a person asked for, not its cluster."""
    return key.slot.startswith(f"{SLOT}-") and held[key].role != GROWTH
