"""Reading of Butler documents."""

from collections.abc import Iterator

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.addresses.ranges import IPSet
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, nearest, warning
from reconciler.families.butler.kinds import (
    MANUAL,
    NAME,
    POOL,
    PROVIDER,
    REQUEST,
    TEAM,
    TENANT,
    manual_range,
    manual_title,
)
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.owners import Owned, TenantRequest, asked, own_claims
from reconciler.families.butler.pools import NetworkPool, pool_key, read_pool
from reconciler.families.butler.providers import (
    GATEWAY,
    Networks,
    Provider,
    Providers,
    missing_pool,
    read_provider,
)
from reconciler.families.butler.records import ANNOUNCED, TENANT_CLUSTER
from reconciler.families.butler.requests import owner_of_request, read_pin, read_request
from reconciler.families.butler.tenants import (
    Tenant,
    demands,
    grown_slots,
    owner_of,
    unused,
    wrong_choices,
)
from reconciler.families.fields import Collected, StatedText, read_inside
from reconciler.families.interface import CurrentRecords, FamilyReading, Grower
from reconciler.families.metallb import check_pool_name
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.objects import Ref, tenant_name
from reconciler.model.settings import Settings
from reconciler.model.state import Blocked, ByHand, Gateway

Name = tuple[str, str]
_NEAR = 0.8
"""Names of one namespace are alike more often than namespaces with a tenant of one name."""


class RequestReader:
    """Reads requests; what they say is added to what was collected."""

    def __init__(
        self, documents: Documents, networks: Networks, providers: Providers, collected: Collected
    ) -> None:
        self._documents = documents
        self._networks = networks
        self._providers = providers
        self._collected = collected

    def read(self, held: CurrentRecords, observed: str) -> dict[Name, list[TenantRequest]]:
        """Read them all; those that name a tenant that is there, by its namespace and name.

        Args:
            held: Records by claim.
            observed: The folder of what was observed.
        """
        found: dict[Name, list[TenantRequest]] = {}
        for document in self._documents.of(REQUEST):
            reference = document.spec["tenantClusterRef"]
            name = reference["namespace"], reference["name"]
            tenant = self._tenant(document, name)
            item = asked(document, self._claim(document, name, tenant), held, observed)
            if tenant is not None:
                found.setdefault(name, []).append(item)
        return found

    def _tenant(self, document: Document, name: Name) -> Document | None:
        """The tenant that a request names."""
        tenant = self._documents.find(TENANT, *name)
        if tenant is None and not self._documents.unread(TENANT, *name):
            place = document.at("spec", "tenantClusterRef", "name")
            message = f"TenantCluster {'/'.join(name)} is not in the repository"
            hint = "the addresses are held all the same; add the TenantCluster when it exists"
            if near := self._near(document, *name):
                hint = f"did you mean {near}? It gets other addresses while this names"
                hint += f" {'/'.join(name)}"
            self._collected.tell(document, warning("reference-not-found", place, message, hint))
        return tenant

    def _near(self, document: Document, namespace: str, name: str) -> str:
        """The tenant that is there and may be meant by one that is not; empty where none is near."""
        spaces = self._documents.namesakes(TENANT, name)
        if space := nearest(namespace, spaces):
            return f"{space}/{name}"
        names = self._documents.every(TENANT, namespace)
        near = nearest(name, names, _NEAR)
        return f"{namespace}/{near}" if near else ""

    def _claim(self, document: Document, name: Name, tenant: Document | None) -> Claim:
        """The claim of a request. Where nobody can tell its pool, it keeps what it holds."""
        provider: Provider | None = None
        if tenant is not None:
            provider, _ = self._providers.of(tenant)
        pool = document.spec["poolRef"]["name"]
        network = self._networks.find(document.namespace, pool)
        key = pool_key(document.namespace, pool)
        quota = provider.quota(name, document.spec["type"]) if provider else None
        claim, found = read_request(document, network, owner_of_request(document, tenant), quota)
        if network is None and key in self._collected.frozen:
            self._collected.protected.append(
                (NAME, document.kind.name, document.namespace, document.name)
            )
            return claim
        self._collected.tell(document, *found)
        self._collected.claims[claim.key] = claim
        if network is None:
            place = document.at("spec", "poolRef", "name")
            message = f"spec.poolRef.name: {POOL.kind} {key.short} is not in the repository"
            hint = "name a pool of the request's namespace, or add the pool"
            self._collected.lack(document, key, error("reference-not-found", place, message, hint))
        return claim


_FIELDS = {"podCIDR": "pods", "serviceCIDR": "services"}


def stated_inside(document: Document) -> Iterator[StatedText]:
    """The fields that a TenantCluster has; what it leaves out is not known."""
    networking = document.spec.get("networking") or {}
    for field, use in _FIELDS.items():
        if field in networking:
            yield StatedText(use, networking[field], ("spec", "networking", field))


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Read all of Butler's documents; without records, all but the claims of tenants."""
    return ButlerReader(documents, held, settings).reading()


class ButlerReader:
    """Butler's documents while they are read."""

    def __init__(
        self, documents: Documents, held: CurrentRecords | None, settings: Settings
    ) -> None:
        self.documents = documents
        self.held = held or {}
        self.wants_claims = held is not None
        self.settings = settings
        self.providers = Providers(documents)
        self.collected = Collected()
        self.networks = Networks(documents, self.collected, settings)
        self.collected.findings += self.providers.findings

    def reading(self) -> FamilyReading:
        """What they say."""
        for document in self.documents.of(POOL):
            self.networks.read(document)
        for provider in self.providers.all():
            self._provided(provider)
        requests = RequestReader(self.documents, self.networks, self.providers, self.collected)
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


def judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document whose shape is right; empty when it can be read.

    By the same functions that read it afterwards, so what passes here can be read there.
    """
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind == POOL:
            network, found = read_pool(document, settings)
            return found if network is None else []
        case kind if kind == PROVIDER:
            provider, found = read_provider(document)
            return found if provider is None else []
        case kind if kind == TENANT:
            manual_range(document, found)
            check_pool_name(document, found)
        case kind if kind == REQUEST:
            read_pin(document, found)
    return found


def may_own(documents: Documents, namespace: str, name: str) -> bool:
    """Whether there is a tenant of that name, or a file that may describe it."""
    found = documents.find(TENANT, namespace, name)
    return found is not None or bool(documents.unread(TENANT, namespace, name))


def growers(documents: Documents, settings: Settings) -> Iterator[Grower]:
    """Tenants of providers that let them grow, as far as it can be told how."""
    reader = ButlerReader(documents, None, settings)
    for document in documents.of(POOL):
        reader.networks.read(document)
    for document in documents.of(TENANT):
        tenant = reader.elastic(document)
        if tenant is not None:
            namespace, name = document.namespace, document.name
            yield Grower(
                owner=(NAME, TENANT.kind, namespace, name),
                cluster=tenant_name(namespace, name),
                ref=Ref(TENANT_CLUSTER, namespace, name),
                increment=tenant.increment,
                claim=tenant.grown,
            )
