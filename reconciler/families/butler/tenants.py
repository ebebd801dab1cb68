"""TenantCluster to claims: load-balancer and node addresses (`butler.md` §1.4, §3).

A tenant's first claims follow the defaults of its provider and pools when they are made. Defaults
that change later leave existing records alone (seed 000: "Existing allocations are unaffected"),
so only sizes that the tenant states itself are `fixed`.
"""

import re
from collections.abc import Iterator, Sequence

from reconciler.documents.document import Document
from reconciler.families._family import Held
from reconciler.families.butler.growing import grown as growth_of
from reconciler.families.butler.kinds import NAME, TENANT
from reconciler.families.butler.pools import NetworkPool
from reconciler.families.butler.providers import Provider
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import Key
from reconciler.model.record_kind import NAMESPACE as RECORDS

_LB_SIZE = 8
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
        self._document = document
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

    def claims(self, held: Held, grown: list[tuple[int, Key]]) -> Iterator[Claim]:
        """All claims of the tenant.

        Args:
            held: Records by claim.
            grown: The tenant's growth records, as `grown_slots` gives them.
        """
        size = self._lb_size() or self._live_size(held, "loadbalancer")
        if size > 0:
            yield self._claim("loadbalancer", size, fixed="lbPoolSize" in self._networking)
        if grown or self._demand is not None:
            yield from self._growth_claims(held, [key for _, key in grown if key.slot[0] == "l"])
        yield from self._node_claims(held, grown)

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
        for entry, source, doubt in growth_of(
            self._demand, self._document, records, held, may_grow=may_grow
        ):
            made = self._claim(entry.slot, entry.count, fixed=False)
            yield made._replace(source=source, doubt=made.doubt or doubt)

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
        ingress = (self._document.spec.get("addons") or {}).get("ingress") or {}
        return bool(ingress.get("enabled", True))

    def _node_claims(self, held: Held, grown: list[tuple[int, Key]]) -> Iterator[Claim]:
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
        workers = self._document.spec.get("workers") or {}
        needed = max(default, int(workers.get("replicas", 0)))
        first = held.get(self._key("nodes"))
        size = first.range.size if first is not None and first.range is not None else needed
        yield self._claim("nodes", size, fixed=False)
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

    def _key(self, slot: str) -> Key:
        return tenant_key(*self._name, slot)

    def _claim(self, slot: str, size: int, *, fixed: bool, key: Key | None = None) -> Claim:
        kind, _, number = slot.partition("-")
        short = "lb" if kind == "loadbalancer" else kind
        suffix = f"{short}-{number}" if number else short
        return Claim(
            key=key or self._key(slot),
            candidates=self._candidates,
            wanted=self._wanted,
            size=size,
            pin=None,
            fixed=fixed,
            owner=self._owner,
            type=kind,
            role="growth" if number else "initial",
            name=f"{self._owner.namespace}-{self._owner.name}-{suffix}",
            namespace=RECORDS,
            source=self._source,
            quota=self._provider.quota(self._name, kind),
            doubt=self._doubt,
        )
