"""ProviderConfigs."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, Location, error
from reconciler.families.butler.kinds import NAME, POOL, PROVIDER
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.pools import NetworkPool, pool_key, read_pool
from reconciler.families.fields import Collected, condition, read_address
from reconciler.families.interface import Projection, ProjectionInput
from reconciler.model.claim import Quota
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Usage
from reconciler.model.settings import Settings

GATEWAY = ("spec", "network", "gateway")
DEFAULT = "default"
_ELASTIC_SIZE = 2
_INCREMENT = 2
_NOWHERE = Location("")
_CLOUDS = ("azure", "aws", "gcp")


class Provider(Struct, frozen=True):
    """A parsed ProviderConfig.

    Attributes:
        pools: Keys of its pools in the order in which they are tried; a pool might not exist.
        lb_size: Size of a load-balancer claim, or None for the default of the pool.
        team: The only team that can use it, or None.
        increment: The minimum number of addresses by which an elastic tenant grows.
    """

    is_ipam: bool
    pools: tuple[Key, ...]
    is_elastic: bool
    lb_size: int | None
    max_nodes: int | None
    max_lb: int | None
    team: str | None
    gateway: IPRange | None
    document: Document
    quota_source: Location
    increment: int = _INCREMENT

    def quota(self, tenant: tuple[str, str], kind: str) -> Quota | None:
        """Return the quota on one tenant's addresses of a type, or None."""
        limit = self.max_lb if kind == "loadbalancer" else self.max_nodes
        if limit is None:
            return None
        return Quota((NAME, *tenant, kind), limit, self.quota_source)


def read_provider(document: Document) -> tuple[Provider | None, list[Finding]]:
    """Return the provider of a document; None if it has any error.

    With an error, its tenants keep their addresses and get nothing new: an unreadable gateway must
    not be given out, and a provider of a team without a readable team name must not serve all
    teams. A provider without a pool can be read, but has an error and serves no tenant.
    """
    found: list[Finding] = []
    spec = document.spec
    network = spec.get("network") or {}
    is_ipam = network.get("mode", "cloud") == "ipam"
    references = network.get("poolRefs") or []
    if is_ipam and spec.get("provider") in _CLOUDS:
        message = f"mode ipam cannot be used with provider {spec['provider']}"
        hint = "use mode cloud: the cloud gives the addresses"
        place = document.at("spec", "network", "mode")
        return None, [error("provider-mode", place, message, hint)]
    scope = spec.get("scope") or {}
    if scope.get("type") == "team" and not scope.get("teamRef"):
        message = "scope.type is team, but scope.teamRef is missing"
        place = document.at("spec", "scope", "teamRef")
        hint = "name the team: teamRef: {name: backend}"
        found.append(error("field-required", place, message, hint))
    balancer = network.get("loadBalancer") or {}
    is_elastic = balancer.get("allocationMode", "static") == "elastic"
    quota = network.get("quotaPerTenant") or {}
    order = sorted(range(len(references)), key=lambda at: (references[at].get("priority", 0), at))
    gateway = _gateway(document, network, found)
    if found:
        return None, found
    if is_ipam and not references:
        message = "network.mode is ipam, but poolRefs names no pool"
        hint = "add poolRefs with at least one NetworkPool"
        place = document.at("spec", "network")
        found.append(error("provider-without-pools", place, message, hint))
    provider = Provider(
        is_ipam=is_ipam,
        pools=tuple(pool_key(NAMESPACE, references[at]["name"]) for at in order),
        is_elastic=is_elastic,
        lb_size=(
            balancer.get("initialPoolSize", _ELASTIC_SIZE)
            if is_elastic
            else balancer.get("defaultPoolSize")
        ),
        max_nodes=quota.get("maxNodeIPs"),
        max_lb=quota.get("maxLoadBalancerIPs"),
        team=(scope.get("teamRef") or {}).get("name") if scope.get("type") == "team" else None,
        gateway=gateway,
        document=document,
        quota_source=document.at("spec", "network", "quotaPerTenant") if quota else _NOWHERE,
        increment=balancer.get("growthIncrement", _INCREMENT),
    )
    return provider, found


def _gateway(
    document: Document, network: Mapping[str, str], found: list[Finding]
) -> IPRange | None:
    if "gateway" not in network:
        return None
    return read_address(document, GATEWAY, network["gateway"], found)


def missing_pool(provider: Provider, index: int) -> Finding:
    """Return the finding for a missing pool that the provider names."""
    reference = provider.document.spec["network"]["poolRefs"][index]
    place = provider.document.at("spec", "network", "poolRefs", index, "name")
    message = f"{POOL.kind} {NAMESPACE}/{reference['name']} is not in the repository"
    # Do not list existing pools: a partial reading of the tree does not know all of them.
    return error("reference-not-found", place, message, "add the pool, or name one that exists")


class Providers:
    """All providers, and the lookup of a tenant's provider."""

    def __init__(self, documents: Documents) -> None:
        self.findings: list[Finding] = []
        self._documents = documents
        self._by_name: dict[tuple[str, str], Provider] = {}
        for document in documents.of(PROVIDER):
            provider, found = read_provider(document)
            if provider is not None:
                self._by_name[document.namespace, document.name] = provider
            if not document.unread:
                self.findings += found

    def all(self) -> Iterator[Provider]:
        """Yield all valid providers."""
        return iter(self._by_name.values())

    def of(self, tenant: Document) -> tuple[Provider | None, tuple[str, str]]:
        """Return the usable provider of a tenant, or None, with its namespace and name.

        The provider is `providerConfigRef`, else the one named `default`, else the first in
        `butler-system`. An invalid provider is not skipped.
        """
        reference = tenant.spec.get("providerConfigRef") or {"name": self._default(tenant)}
        key = (reference.get("namespace", NAMESPACE), reference["name"])
        if self._documents.find(PROVIDER, *key) is None:
            return None, key
        return self._by_name.get(key), key

    def unread(self, key: tuple[str, str], tenant: Document) -> str:
        """Return the file of a provider without a readable version; else empty."""
        return self._documents.unread(PROVIDER, *key)

    def _default(self, tenant: Document) -> str:
        is_there = self._documents.find(PROVIDER, NAMESPACE, DEFAULT) is not None
        if is_there or self._documents.unread(PROVIDER, NAMESPACE, DEFAULT):
            return DEFAULT
        described = self._documents.every(PROVIDER, NAMESPACE)
        return described[0] if described else DEFAULT


class Networks:
    """The pools that are read so far."""

    def __init__(self, documents: Documents, collected: Collected, settings: Settings) -> None:
        self._documents = documents
        self._collected = collected
        self._settings = settings
        self._read: dict[Key, NetworkPool] = {}
        self._of: dict[tuple[str, str], list[NetworkPool]] = {}

    def read(self, document: Document) -> None:
        """Read a pool."""
        network, found = read_pool(document, self._settings)
        self._collected.tell(document, *found)
        if network is not None:
            self._read[network.pool.key] = network
            self._collected.add_pool(document, network.pool)

    def find(self, namespace: str, name: str) -> NetworkPool | None:
        """Return the pool that a file names; a pool without a readable version becomes frozen."""
        key = pool_key(namespace, name)
        if self._documents.find(POOL, namespace, name) is not None:
            return self._read.get(key)
        if path := self._documents.unread(POOL, namespace, name):
            self._collected.frozen[key] = path
        return None

    def of(self, provider: Provider) -> list[NetworkPool]:
        """Return the provider's existing pools, in the order in which they are tried."""
        name = (provider.document.namespace, provider.document.name)
        if name not in self._of:  # computed once for all of its tenants
            found = (self.find(NAMESPACE, key.name) for key in provider.pools)
            self._of[name] = [network for network in found if network is not None]
        return self._of[name]

    def is_unread(self, key: Key) -> bool:
        """Return whether only an unreadable file describes the pool."""
        return key in self._collected.frozen and key not in self._read


def status_only(document: Document, status: Mapping[str, Any]) -> Projection:
    """Return status fields for the object of a document that belongs to another controller."""
    manifest = {
        "apiVersion": document.kind.api_version,
        "kind": document.kind.name,
        "metadata": {"name": document.name, "namespace": document.namespace},
        "status": status,
    }
    return Projection(MANAGEMENT, manifest, is_status_only=True)


_TYPE = "PoolAvailable"
_NODES = 5
_LB_SIZE = 8


def provider_statuses(world: ProjectionInput, providers: Providers) -> Iterator[Projection]:
    """Yield the status of each readable provider of mode `ipam`, or without a pool."""
    nodes = nodes_per_tenant(world.documents)
    for provider in providers.all():
        document = provider.document
        if names_no_pool(document):
            message = "network.mode is 'ipam' but no poolRefs configured"
            failed = condition(_TYPE, "False", "ValidationFailed", message, world.clock)
            yield status_only(document, {"conditions": [failed]})
        elif provider.is_ipam:
            yield status_only(document, _status(world, provider, nodes))


def names_no_pool(provider: Document) -> bool:
    """Return whether the provider is of mode `ipam` but names no pool."""
    network = provider.spec.get("network") or {}
    return network.get("mode") == "ipam" and not network.get("poolRefs")


def _status(world: ProjectionInput, provider: Provider, nodes: dict[Key, int]) -> dict[str, Any]:
    available, tenants = capacity(world.usage, provider, nodes)
    message = f"{available} IPs available (~{tenants} tenants)"
    told = ("True", _TYPE, message)
    if available == 0:
        told = ("False", "PoolExhausted", "all configured pools are exhausted")
    return {
        "capacity": {"availableIPs": available, "estimatedTenants": tenants},
        "conditions": [condition(_TYPE, *told, world.clock)],
    }


def capacity(
    usage: Mapping[Key, Usage], provider: Provider, nodes: Mapping[Key, int]
) -> tuple[int, int]:
    """Return the free addresses in a provider's pools, and the number of tenants that fit."""
    # A pool that is named twice has its addresses only once.
    found = [key for key in dict.fromkeys(provider.pools) if key in usage]
    available = sum(usage[key].available for key in found)
    return available, available // _per_tenant(provider, found, nodes)


def _per_tenant(provider: Provider, pools: list[Key], nodes: Mapping[Key, int]) -> int:
    """Return the number of addresses per additional tenant.

    Butler calculates with 5 nodes and the static size. Its elastic providers give neither, so the
    size of an elastic tenant counts: with 16 of 32 left and 2 for each, there is room for 8.
    """
    if provider.is_elastic:
        given = (nodes[key] for key in pools if key in nodes)
        return (provider.lb_size or _LB_SIZE) + next(given, 0)
    return _NODES + (provider.lb_size or _LB_SIZE)


def nodes_per_tenant(documents: Documents) -> dict[Key, int]:
    """Return the number of node addresses per tenant of each pool, omitting 0."""
    found = {}
    for document in documents.of(POOL):
        defaults = (document.spec.get("tenantAllocation") or {}).get("defaults") or {}
        if "nodesPerTenant" in defaults:
            found[pool_key(document.namespace, document.name)] = int(defaults["nodesPerTenant"])
    return found
