"""Butler's documents to pools and claims: the composition of its kinds.

A document looks at others by `Documents.find` and `every` alone, which note what was asked for.
"""

from dataclasses import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document, Documents
from reconciler.families._family import Held, Reading
from reconciler.families._inside import read_inside
from reconciler.families._reading import Collected
from reconciler.families.butler.growing import demands, unused
from reconciler.families.butler.inside import stated_inside
from reconciler.families.butler.kinds import NAME, POOL, REQUEST, TEAM, TENANT
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.manual import MANUAL, manual_range, manual_title
from reconciler.families.butler.pools import NetworkPool, pool_key, read_pool
from reconciler.families.butler.providers import (
    GATEWAY,
    Provider,
    Providers,
    missing_pool,
)
from reconciler.families.butler.record_form import ANNOUNCED
from reconciler.families.butler.requests import read_request, stands_for
from reconciler.families.butler.tenants import Tenant, grown_slots, owner_of
from reconciler.findings import Finding, error, warning
from reconciler.model.claim import Owner
from reconciler.model.key import Key
from reconciler.model.record_kind import LABEL
from reconciler.model.settings import Settings
from reconciler.model.state import Blocked, ByHand, Gateway


def read(documents: Documents, held: Held | None, settings: Settings) -> Reading:
    """Read all of Butler's documents; without records, all but the claims of tenants."""
    return Reader(documents, held, settings).reading()


class Reader:
    """Butler's documents while they are read."""

    def __init__(self, documents: Documents, held: Held | None, settings: Settings) -> None:
        self.documents = documents
        self.held = held or {}
        self.wants_claims = held is not None
        self.settings = settings
        self.networks: dict[Key, NetworkPool] = {}
        self.networks_of: dict[tuple[str, str], list[NetworkPool]] = {}
        self.providers = Providers(documents)
        self.collected = Collected()
        self.collected.findings += self.providers.findings

    def reading(self) -> Reading:
        """What they say."""
        for document in self.documents.of(POOL):
            self.read_pool(document)
        for provider in self.providers.all():
            self._provided(provider)
        stood_for = self._requests()
        grown, needs = grown_slots(self.held), demands(self.documents)
        for document in self.documents.of(TENANT):
            provider_of = self._provider(document)
            networks = self._networks_of(provider_of) if provider_of is not None else []
            self._inside(document, networks)
            if provider_of is None or not self.wants_claims:
                continue
            name = (document.namespace, document.name)
            demand = needs.get(name)
            tenant = Tenant(document, provider_of, networks, demand)
            if name in grown or demand is not None:
                self._grows(document, demand, provider_of)
            for claim in tenant.claims(self.held, grown.get(name, [])):
                if claim.key not in stood_for:
                    self.collected.claims[claim.key] = claim
        return self.collected.reading()

    def elastic(self, document: Document) -> Tenant | None:
        """A tenant that may grow; None where it may not, or its provider cannot be told."""
        provider = self._provider(document)
        if provider is None or not provider.is_elastic:
            return None
        return Tenant(document, provider, self._networks_of(provider), None)

    def _grows(self, document: Document, demand: Document | None, provider: Provider) -> None:
        """Note whose growth follows from what was observed of its cluster."""
        owner = (NAME, TENANT.kind, document.namespace, document.name)
        self.collected.growing.append(owner)
        if demand is not None:
            self.collected.tell(demand, *unused(demand, provider))

    def read_pool(self, document: Document) -> None:
        """Read a pool."""
        network, found = read_pool(document, self.settings)
        self.collected.tell(document, *found)
        if network is not None:
            self.networks[network.pool.key] = network
            self.collected.add_pool(document, network.pool)

    def _network(self, namespace: str, name: str, asker: str) -> NetworkPool | None:
        """The pool that a file names; one that never could be read is noted as frozen."""
        key = pool_key(namespace, name)
        if self.documents.find(POOL, namespace, name, asker=asker) is not None:
            return self.networks.get(key)
        if path := self.documents.unread(POOL, namespace, name, asker=asker):
            self.collected.frozen[key] = path
        return None

    def _networks_of(self, provider: Provider) -> list[NetworkPool]:
        """The provider's pools that exist, in the order in which they are tried."""
        name = (provider.document.namespace, provider.document.name)
        if name not in self.networks_of:  # once for all of its tenants
            file = provider.document.file
            found = (self._network(NAMESPACE, key.name, file) for key in provider.pools)
            self.networks_of[name] = [network for network in found if network is not None]
        return self.networks_of[name]

    def _provider(self, document: Document) -> Provider | None:
        """The tenant's provider when it gives addresses from pools; None when it does not.

        A tenant whose provider cannot be told is protected: its records stay. So is one that a
        pool is missing for; where a pool never could be read, nothing new is given either.
        """
        provider, key = self.providers.of(document)
        self._manual_range(document, provider)
        found: Finding | None = None
        if provider is None and self.providers.unread(key, document):
            self._protect(document)
            return None
        if provider is None:
            place = document.at("spec", "providerConfigRef", "name")
            message = f"{document.title}: ProviderConfig {'/'.join(key)} is not in the repository"
            hint = "add the provider, or name another in spec.providerConfigRef"
            found = error("reference-not-found", place, message, hint)
        elif provider.team is not None and provider.team != owner_of(document).team:
            place = document.at("spec", "teamRef", "name")
            message = (
                f"{document.title} is of team {owner_of(document).team}, but ProviderConfig"
                f" {provider.document.name} belongs to team {provider.team}"
            )
            found = error("team-mismatch", place, message, "use a provider of the platform")
        if provider is None or found is not None:
            self.collected.tell(document, *([found] if found else []))
            self._protect(document)
            return None
        if not provider.is_ipam:
            self._team(document)
            return None
        there = len(self._networks_of(provider))
        unread = any(
            key in self.collected.frozen and key not in self.networks for key in provider.pools
        )
        if there < len(provider.pools) or not provider.pools:
            self._protect(document)
        if unread or not provider.pools:
            return None
        self._team(document)
        return provider

    def _protect(self, document: Document) -> None:
        """The document's claims cannot be told: its records stay."""
        kind = document.kind.name
        self.collected.protected.append((NAME, kind, document.namespace, document.name))

    def _team(self, document: Document) -> None:
        reference = document.spec.get("teamRef")
        if not reference:
            return
        teams = self.documents.every(TEAM, "", asker=document.file)
        if teams and reference["name"] not in teams:
            place = document.at("spec", "teamRef", "name")
            message = f"{document.title}: Team {reference['name']} is not in the repository"
            hint = "add the team, or correct its name"
            self.collected.tell(document, warning("reference-not-found", place, message, hint))

    def _requests(self) -> frozenset[Key]:
        """Claims of hand-made requests; returns the tenants' claims that they stand for."""
        stood_for: list[Key] = []
        for document in self.documents.of(REQUEST):
            own = self._request(document)
            if own is not None:
                stood_for.append(own)
        return frozenset(stood_for)

    def _request(self, document: Document) -> Key | None:
        """Read one request; the tenant's own claim that it stands for, or None."""
        reference = document.spec["tenantClusterRef"]
        owner_name = (reference["namespace"], reference["name"])
        tenant = self.documents.find(TENANT, *owner_name, asker=document.file)
        provider: Provider | None = None
        own: Key | None = None
        if tenant is not None:
            provider, _ = self.providers.of(tenant)
            own = stands_for(document)
        elif not self.documents.unread(TENANT, *owner_name, asker=document.file):
            place = document.at("spec", "tenantClusterRef", "name")
            message = f"TenantCluster {'/'.join(owner_name)} is not in the repository"
            hint = "the addresses are held all the same; add the TenantCluster when it exists"
            self.collected.tell(document, warning("reference-not-found", place, message, hint))
        pool = document.spec["poolRef"]["name"]
        network = self._network(document.namespace, pool, document.file)
        key = pool_key(document.namespace, pool)
        if network is None and key in self.collected.frozen:
            self._protect(document)
        else:
            quota = provider.quota(owner_name, document.spec["type"]) if provider else None
            owner = self._owner(document, tenant)
            claim, found = read_request(document, network, owner, quota)
            self.collected.tell(document, *found)
            self.collected.claims[claim.key] = claim
        if network is None and key not in self.collected.frozen:
            place = document.at("spec", "poolRef", "name")
            message = f"spec.poolRef.name: {POOL.kind} {document.namespace}/{pool} is not in the repository"
            hint = "name a pool of the request's namespace, or add the pool"
            self.collected.tell(document, error("reference-not-found", place, message, hint))
        return own if own is not None and not self._is_live(own) else None

    def _is_live(self, claim: Key) -> bool:
        """The claim holds addresses already: it keeps them, whatever is asked for beside it."""
        record = self.held.get(claim)
        return record is not None and record.is_live

    @staticmethod
    def _owner(document: Document, tenant: Document | None) -> Owner:
        if tenant is not None:
            return owner_of(tenant)
        reference = document.spec["tenantClusterRef"]
        team = document.labels().get(f"{LABEL}team", reference["namespace"])
        return Owner(reference["namespace"], reference["name"], team)

    def _manual_range(self, document: Document, provider: Provider | None) -> None:
        """A loadBalancerPool of before IPAM: nobody else is given an address of it."""
        item = manual_range(document, [])
        if item is None:
            return
        by_hand = ByHand(None)
        if provider is not None:
            quota = provider.quota((document.namespace, document.name), ANNOUNCED)
            by_hand = ByHand(None if document.unread else provider.pools, quota)
        place = document.at(*MANUAL)
        self.collected.blocked.append(Blocked(item, manual_title(document), place, by_hand))

    def _inside(self, document: Document, networks: list[NetworkPool]) -> None:
        """Note the networks of pods and services."""
        if stated := tuple(stated_inside(document)):
            spaces = (network.pool.space for network in networks)
            inside, found = read_inside(document, stated, spaces)
            self.collected.inside += inside
            self.collected.tell(document, *found)

    def _provided(self, provider: Provider) -> None:
        """Report the pools of a provider that are missing; hold its gateway back in the others.

        The gateway is never given out, though the pools may not reserve it; of a provider that
        names no pool nobody knows in which.
        """
        if (gateway := provider.gateway) is not None:
            title = f"{provider.document.namespace}/{provider.document.name} (gateway)"
            place = provider.document.at(*GATEWAY)
            self.collected.gateways.append(Gateway(gateway, title, provider.pools, place))
            if not provider.pools:
                self.collected.blocked.append(Blocked(gateway, title, place))
        network = provider.document.spec.get("network") or {}
        for index, reference in enumerate(network.get("poolRefs") or ()):
            key = pool_key(NAMESPACE, reference["name"])
            if self._network(NAMESPACE, key.name, provider.document.file) is not None:
                self._hold_back(provider, key)
            elif provider.is_ipam and key not in self.collected.frozen:
                self.collected.tell(provider.document, missing_pool(provider, index))

    def _hold_back(self, provider: Provider, key: Key) -> None:
        gateway, pool = provider.gateway, self.collected.pools[key]
        if gateway is None or not pool.usable.covers(gateway):
            return
        message = f"gateway {format_short(gateway)} of ProviderConfig {provider.document.name}"
        self.collected.tell(
            provider.document,
            warning(
                "gateway-in-pool",
                pool.source,
                f"{message} is not reserved in {pool.key.name}; it is held back",
                f"add {format_short(gateway)}/32 to spec.reserved",
            ),
        )
        held_back = IPSet((gateway,))
        self.collected.pools[key] = replace(
            pool, usable=pool.usable - held_back, reserved=pool.reserved | held_back
        )
