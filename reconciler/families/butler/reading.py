"""Butler's documents to pools and claims: the composition of its kinds."""

from collections.abc import Iterator
from dataclasses import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document, Documents
from reconciler.families._family import Held, Identity, Reading
from reconciler.families._network import read_range
from reconciler.families.butler.pools import KIND as POOL
from reconciler.families.butler.pools import pool_key, read_pools
from reconciler.families.butler.providers import Provider, Providers, missing_pools
from reconciler.families.butler.remains import MANUAL, blocked_by_remains, manual_title
from reconciler.families.butler.requests import read_request, stands_for
from reconciler.families.butler.tenants import KIND as TENANT
from reconciler.families.butler.tenants import Tenant, grown_slots, owner_of
from reconciler.findings import Finding, error, warning
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import Key
from reconciler.model.settings import Settings
from reconciler.model.state import Blocked

_GROUP = "butler.butlerlabs.dev"


def read(documents: Documents, held: Held, settings: Settings) -> Reading:
    """Read all of Butler's documents."""
    return _Reader(documents, held, settings).reading()


class _Reader:
    def __init__(self, documents: Documents, held: Held, settings: Settings) -> None:
        self.documents = documents
        self.held = held
        keyed = {pool_key(doc.namespace, doc.name): doc for doc in documents.of(POOL)}
        self.networks, self.findings = read_pools(keyed, settings)
        self.named = {*keyed, *_broken_pools(documents)}
        self.broken = frozenset(key for key in self.named if key not in self.networks)
        self.providers = Providers(documents)
        self.findings += self.providers.findings
        self.teams = {document.name for document in documents.of("Team")}
        self.tenants = {(doc.namespace, doc.name): doc for doc in documents.of(TENANT)}
        self.blocked = list(blocked_by_remains(documents, self.providers.wrong))
        self.protected: list[Identity] = []
        self.claims: dict[Key, Claim] = {}

    def reading(self) -> Reading:
        for known in self.providers.by_name.values():
            self.findings += missing_pools(known, self.named)
            self._hold_back_gateway(known)
        stood_for = self._requests()
        grown = grown_slots(self.held)
        for document in self.tenants.values():
            provider = self._provider(document)
            if provider is None:
                continue
            tenant = Tenant(document, provider, self.networks)
            for claim in tenant.claims(
                self.held, grown.get((document.namespace, document.name), [])
            ):
                if claim.key not in stood_for:
                    self.claims[claim.key] = claim
        return Reading(
            pools={key: network.pool for key, network in self.networks.items()},
            claims=self.claims,
            findings=tuple(self.findings),
            blocked=tuple(self.blocked),
            protected=frozenset(self.protected),
            broken=self.broken,
        )

    def _provider(self, document: Document) -> Provider | None:
        """The tenant's provider when it gives addresses from pools; None when it does not.

        A tenant whose provider cannot be told is protected: its records stay. So is one that a
        pool is missing for; where a pool is described wrongly, nothing new is given either.
        """
        self._manual_range(document)
        provider, key = self.providers.of(document)
        found: Finding | None = None
        if provider is None and self.providers.is_wrong(key):
            self.protected.append(("butler", TENANT, document.namespace, document.name))
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
        if found is not None:
            self.findings.append(found)
        if found is not None or not all(key in self.networks for key in self._named(provider)):
            self.protected.append(("butler", TENANT, document.namespace, document.name))
        if found is not None or any(key in self.broken for key in self._named(provider)):
            return None
        self._team(document)
        return provider if provider is not None and provider.is_ipam else None

    @staticmethod
    def _named(provider: Provider | None) -> tuple[Key, ...]:
        return provider.pools if provider is not None and provider.is_ipam else ()

    def _team(self, document: Document) -> None:
        reference = document.spec.get("teamRef")
        if self.teams and reference and reference["name"] not in self.teams:
            place = document.at("spec", "teamRef", "name")
            message = f"{document.title}: Team {reference['name']} is not in the repository"
            hint = "add the team, or correct its name"
            self.findings.append(warning("reference-not-found", place, message, hint))

    def _requests(self) -> frozenset[Key]:
        """Claims of hand-made requests; returns the tenants' claims that they stand for."""
        stood_for: list[Key] = []
        for document in self.documents.of("IPAllocation"):
            reference = document.spec["tenantClusterRef"]
            owner_name = (reference["namespace"], reference["name"])
            tenant = self.tenants.get(owner_name)
            provider: Provider | None = None
            if tenant is None and (_GROUP, TENANT, *owner_name) not in self.documents.broken:
                place = document.at("spec", "tenantClusterRef", "name")
                message = f"TenantCluster {'/'.join(owner_name)} is not in the repository"
                hint = "the addresses are held all the same; add the TenantCluster when it exists"
                self.findings.append(warning("reference-not-found", place, message, hint))
            elif tenant is not None:
                provider, _ = self.providers.of(tenant)
                own = stands_for(document)
                if own is not None and not self._is_live(own):
                    stood_for.append(own)
            claim, found = read_request(
                document,
                self.networks,
                self.named,
                self._owner(document, tenant),
                provider.quota(owner_name, document.spec["type"]) if provider else None,
            )
            self.findings += found
            if claim is None or pool_key(document.namespace, claim.wanted[0]) in self.broken:
                identity = ("butler", "IPAllocation", document.namespace, document.name)
                self.protected.append(identity)
            else:
                self.claims[claim.key] = claim
        return frozenset(stood_for)

    def _is_live(self, claim: Key) -> bool:
        """The claim holds addresses already: it keeps them, whatever is asked for beside it."""
        record = self.held.get(claim)
        return record is not None and record.is_live

    @staticmethod
    def _owner(document: Document, tenant: Document | None) -> Owner:
        if tenant is not None:
            return owner_of(tenant)
        reference = document.spec["tenantClusterRef"]
        team = document.labels().get("butler.butlerlabs.dev/team", reference["namespace"])
        return Owner(reference["namespace"], reference["name"], team)

    def _manual_range(self, document: Document) -> None:
        """A loadBalancerPool of before IPAM: nobody else is given an address of it."""
        if "loadBalancerPool" not in (document.spec.get("networking") or {}):
            return
        found: list[Finding] = []
        item = read_range(document, MANUAL, ("start", "end"), found)
        self.findings += found
        if item is not None:
            self.blocked.append(Blocked(item, manual_title(document), document.at(*MANUAL)))

    def _hold_back_gateway(self, provider: Provider) -> None:
        """A provider's gateway is never given out, though its pools may not reserve it."""
        gateway = provider.gateway
        if gateway is None:
            return
        for key in self._pools_of(provider):
            network = self.networks[key]
            pool = network.pool
            if not pool.usable.covers(gateway):
                continue
            message = f"gateway {format_short(gateway)} of ProviderConfig {provider.document.name}"
            self.findings.append(
                warning(
                    "gateway-in-pool",
                    pool.source,
                    f"{message} is not reserved in {key.name}; it is held back",
                    f"add {format_short(gateway)}/32 to spec.reserved",
                )
            )
            held_back = IPSet((gateway,))
            held_pool = replace(
                pool, usable=pool.usable - held_back, reserved=pool.reserved | held_back
            )
            self.networks[key] = network._replace(pool=held_pool)

    def _pools_of(self, provider: Provider) -> Iterator[Key]:
        return (key for key in provider.pools if key in self.networks)


def _broken_pools(documents: Documents) -> list[Key]:
    return [
        pool_key(namespace, name)
        for _, kind, namespace, name in sorted(documents.broken)
        if kind == POOL
    ]
