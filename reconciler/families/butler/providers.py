"""ProviderConfig: which pools serve a tenant, in which order, in which sizes (`butler.md` §1.3)."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.families._pool_fields import read_address
from reconciler.families.butler.kinds import NAME, POOL, PROVIDER
from reconciler.families.butler.kinds import SYSTEM as NAMESPACE
from reconciler.families.butler.pools import pool_key
from reconciler.findings import Finding, Location, error
from reconciler.model.claim import Quota
from reconciler.model.key import Key

GATEWAY = ("spec", "network", "gateway")
DEFAULT = "default"
_ELASTIC_SIZE = 2
_INCREMENT = 2
_NOWHERE = Location("")
_CLOUDS = ("azure", "aws", "gcp")


class Provider(Struct, frozen=True):
    """A ProviderConfig as read.

    Attributes:
        pools: Keys of its pools in the order in which they are tried; they may not exist.
        lb_size: Size of a load-balancer claim, or None when the pool decides.
        team: The only team that may use it, or None.
        increment: How many addresses an elastic tenant grows by at least.
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
        """The quota on one tenant's addresses of a type, if the provider sets one."""
        limit = self.max_lb if kind == "loadbalancer" else self.max_nodes
        if limit is None:
            return None
        return Quota((NAME, *tenant, kind), limit, self.quota_source)


def read_provider(document: Document) -> tuple[Provider | None, list[Finding]]:
    """The provider of a document; None when anything about it is wrong.

    Its tenants then keep what they have and get nothing new: a gateway that cannot be read must
    not be given out, and a team's provider that names no team must not serve all of them. One
    that names no pool can be read; it is found wrong all the same, and serves nobody.
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
    """The finding for a pool that the provider names and that is not there."""
    reference = provider.document.spec["network"]["poolRefs"][index]
    place = provider.document.at("spec", "network", "poolRefs", index, "name")
    message = f"{POOL.kind} {NAMESPACE}/{reference['name']} is not in the repository"
    # Not which pools there are: a reading of a part of the tree does not know them all.
    return error("reference-not-found", place, message, "add the pool, or name one that exists")


class Providers:
    """All providers, and how a tenant finds its own."""

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
        """All providers, each to be read by itself."""
        return iter(self._by_name.values())

    def of(self, tenant: Document) -> tuple[Provider | None, tuple[str, str]]:
        """The provider of a tenant, if it can be used, and its namespace and name.

        `providerConfigRef`, else the one named `default`, else the first in `butler-system`;
        one that is described wrongly does not make way for another.
        """
        reference = tenant.spec.get("providerConfigRef") or {"name": self._default(tenant)}
        key = (reference.get("namespace", NAMESPACE), reference["name"])
        if self._documents.find(PROVIDER, *key) is None:
            return None, key
        return self._by_name.get(key), key

    def unread(self, key: tuple[str, str], tenant: Document) -> str:
        """The path of the file that describes a provider which never could be read; else empty."""
        return self._documents.unread(PROVIDER, *key)

    def _default(self, tenant: Document) -> str:
        is_there = self._documents.find(PROVIDER, NAMESPACE, DEFAULT) is not None
        if is_there or self._documents.unread(PROVIDER, NAMESPACE, DEFAULT):
            return DEFAULT
        described = self._documents.every(PROVIDER, NAMESPACE)
        return described[0] if described else DEFAULT
