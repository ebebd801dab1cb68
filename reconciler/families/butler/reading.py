"""Reader of Butler documents."""

from collections.abc import Iterator

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short
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
from reconciler.model.plan import Blocked, ByHand, Gateway
from reconciler.model.settings import Settings

Name = tuple[str, str]
_NEAR = 0.8
"""Similarity threshold. It is high because names in one namespace are often similar."""


class RequestReader:
    """Reader of requests. It adds its results to the collected reading."""

    def __init__(
        self, documents: Documents, networks: Networks, providers: Providers, collected: Collected
    ) -> None:
        self._documents = documents
        self._networks = networks
        self._providers = providers
        self._collected = collected

    def read(self, held: CurrentRecords, observed: str) -> dict[Name, list[TenantRequest]]:
        """Return the requests of existing tenants, by the tenant's namespace and name.

        Args:
            held: Records by claim.
            observed: The observed folder.
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
        """Return a similarly named tenant for a missing one; empty if there is none."""
        spaces = self._documents.namesakes(TENANT, name)
        if space := nearest(namespace, spaces):
            return f"{space}/{name}"
        names = self._documents.every(TENANT, namespace)
        near = nearest(name, names, _NEAR)
        return f"{namespace}/{near}" if near else ""

    def _claim(self, document: Document, name: Name, tenant: Document | None) -> Claim:
        """Return the claim of a request. If its pool is unknown, it keeps its addresses."""
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
    """Yield the networks that a TenantCluster states. Omitted fields are unknown."""
    networking = document.spec.get("networking") or {}
    for field, use in _FIELDS.items():
        if field in networking:
            yield StatedText(use, networking[field], ("spec", "networking", field))


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all Butler documents; without records, without claims of tenants."""
    return ButlerReader(documents, held, settings).reading()


class ButlerReader:
    """Builder of the reading of Butler documents."""

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
        """Return the reading."""
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
        """Collect a tenant's claims and findings."""
        there = (it for it in owned.instead if it.key in self.collected.claims)
        for claim in (*owned.claims, *there):
            self.collected.claims[claim.key] = claim
        for told_of, found in owned.findings:
            self.collected.tell(told_of, found)
        for item in owned.decided:
            self.collected.presume(item.document, item.finding, item.claims)

    def elastic(self, document: Document) -> Tenant | None:
        """Return a tenant that can grow; None if it cannot, or its provider is unknown."""
        provider = self._provider(document)
        if provider is None or not provider.is_elastic:
            return None
        return Tenant(document, provider, self.networks.of(provider), None)

    def _grows(self, document: Document, demand: Document | None, provider: Provider) -> None:
        """Add a tenant whose growth depends on observed demand of its cluster."""
        owner = (NAME, TENANT.kind, document.namespace, document.name)
        self.collected.growing.append(owner)
        if demand is not None:
            self.collected.tell(demand, *unused(demand, provider))

    def _provider(self, document: Document) -> Provider | None:
        """Return the tenant's provider if it allocates from pools, else None.

        A tenant with an unknown provider is protected: its records stay. A tenant with a missing
        pool is also protected. If a pool has no readable version, the tenant also gets nothing new.
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
        """Protect the records of a document with unknown claims."""
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
        """Block the addresses of a static loadBalancerPool for others.

        Args:
            document: The tenant.
            claim: The claim that pins it, if the tenant gets addresses from pools.
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
        """Add the networks of pods and services."""
        if stated := tuple(stated_inside(document)):
            spaces = (network.pool.space for network in networks)
            inside, found = read_inside(document, stated, spaces)
            self.collected.inside += inside
            self.collected.tell(document, *found)

    def _provided(self, provider: Provider) -> None:
        """Report missing pools of a provider, and hold back its gateway in its other pools.

        The gateway is never given out, even if no pool reserves it. For a provider without pools,
        the network of the gateway is unknown.
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
    """Return findings about a document with a valid schema; empty if it is valid.

    The check uses the parsers of the reader, so a document without findings can be read.
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
    """Return whether a tenant of a name, or an unreadable file that might describe it, exists."""
    found = documents.find(TENANT, namespace, name)
    return found is not None or bool(documents.unread(TENANT, namespace, name))


def growers(documents: Documents, settings: Settings) -> Iterator[Grower]:
    """Yield tenants of elastic providers, if their growth can be determined."""
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
