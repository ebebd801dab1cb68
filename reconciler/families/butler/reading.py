"""Butler's documents to pools and claims: the composition of its kinds.

A document looks at others by `Documents.find` and `every` alone, which note what was asked for.
"""

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document, Documents
from reconciler.families._family import Held, Reading
from reconciler.families._inside import read_inside
from reconciler.families._reading import Collected
from reconciler.families.butler.growing import demands, unused
from reconciler.families.butler.inside import stated_inside
from reconciler.families.butler.kinds import NAME, POOL, TEAM, TENANT
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.manual import MANUAL, manual_range, manual_title
from reconciler.families.butler.networks import Networks
from reconciler.families.butler.owning import Owned, own_claims
from reconciler.families.butler.pools import NetworkPool, pool_key
from reconciler.families.butler.providers import (
    GATEWAY,
    Provider,
    Providers,
    missing_pool,
)
from reconciler.families.butler.record_form import ANNOUNCED
from reconciler.families.butler.relocating import wrong_choices
from reconciler.families.butler.requesting import Requests
from reconciler.families.butler.tenants import Tenant, grown_slots, owner_of
from reconciler.findings import Finding, error, warning
from reconciler.model.key import Key
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
        self.providers = Providers(documents)
        self.collected = Collected()
        self.networks = Networks(documents, self.collected, settings)
        self.collected.findings += self.providers.findings

    def reading(self) -> Reading:
        """What they say."""
        for document in self.documents.of(POOL):
            self.networks.read(document)
        for provider in self.providers.all():
            self._provided(provider)
        requests = Requests(self.documents, self.networks, self.providers, self.collected)
        asked = requests.read(self.held, self.settings.observed)
        grown, needs = grown_slots(self.held), demands(self.documents)
        for document in self.documents.of(TENANT):
            provider_of = self._provider(document)
            networks = self.networks.of(provider_of) if provider_of is not None else []
            self._inside(document, networks)
            if provider_of is None or not self.wants_claims:
                self._manual_range(document)
                continue
            name = (document.namespace, document.name)
            demand = needs.get(name)
            self.collected.tell(document, *wrong_choices(document, provider_of))
            if name in grown or demand is not None:
                self._grows(document, demand, provider_of)
            tenant = Tenant(document, provider_of, networks, demand)
            owned = own_claims(tenant, self.held, grown.get(name, []), asked.get(name, []))
            self._manual_range(document, owned.announcer)
            self._take(owned)
        return self.collected.reading()

    def _take(self, owned: Owned) -> None:
        """Collect what a tenant claims, and what is told of it."""
        there = (it for it in owned.instead if it.key in self.collected.claims)
        for claim in (*owned.claims, *there):
            self.collected.claims[claim.key] = claim
        for told_of, found in owned.findings:
            self.collected.tell(told_of, found)
        for item in owned.decided:
            self.collected.presume(item.document, item.finding, item.claims)

    def elastic(self, document: Document) -> Tenant | None:
        """A tenant that may grow; None where it may not, or its provider cannot be told."""
        provider = self._provider(document)
        if provider is None or not provider.is_elastic:
            return None
        return Tenant(document, provider, self.networks.of(provider), None)

    def _grows(self, document: Document, demand: Document | None, provider: Provider) -> None:
        """Note whose growth follows from what was observed of its cluster."""
        owner = (NAME, TENANT.kind, document.namespace, document.name)
        self.collected.growing.append(owner)
        if demand is not None:
            self.collected.tell(demand, *unused(demand, provider))

    def _provider(self, document: Document) -> Provider | None:
        """The tenant's provider when it gives addresses from pools; None when it does not.

        A tenant whose provider cannot be told is protected: its records stay. So is one that a
        pool is missing for; where a pool never could be read, nothing new is given either.
        """
        provider, key = self.providers.of(document)
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
        there = len(self.networks.of(provider))
        unread = any(self.networks.is_unread(key) for key in provider.pools)
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
        teams = self.documents.every(TEAM, "")
        if teams and reference["name"] not in teams:
            place = document.at("spec", "teamRef", "name")
            message = f"{document.title}: Team {reference['name']} is not in the repository"
            hint = "add the team, or correct its name"
            self.collected.tell(document, warning("reference-not-found", place, message, hint))

    def _manual_range(self, document: Document, claim: Key | None = None) -> None:
        """A loadBalancerPool of before IPAM: nobody else is given an address of it.

        Args:
            document: The tenant.
            claim: The claim that pins it, where the tenant gets addresses from pools.
        """
        item = manual_range(document, [])
        if item is None:
            return
        provider, _ = self.providers.of(document)
        by_hand = ByHand(None)
        if provider is not None:
            quota = provider.quota((document.namespace, document.name), ANNOUNCED)
            by_hand = ByHand(None if document.unread else provider.pools, quota, claim=claim)
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
            if self.networks.find(NAMESPACE, key.name) is not None:
                self._hold_back(provider, key)
            elif provider.is_ipam and key not in self.collected.frozen:
                self.collected.lack(provider.document, key, missing_pool(provider, index))

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
