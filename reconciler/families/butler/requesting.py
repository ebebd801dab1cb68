"""All hand-made requests to claims, and to what they may be to the tenants that they name."""

from reconciler.documents.document import Document, Documents
from reconciler.families._family import Held
from reconciler.families._reading import Collected
from reconciler.families.butler.kinds import NAME, POOL, REQUEST, TENANT
from reconciler.families.butler.networks import Networks
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.providers import Provider, Providers
from reconciler.families.butler.requests import owner_of_request, read_request
from reconciler.families.butler.standing_in import Asked, asked
from reconciler.findings import error, nearest, warning
from reconciler.model.claim import Claim

Name = tuple[str, str]
_NEAR = 0.8
"""Names of one namespace are alike more often than namespaces with a tenant of one name."""


class Requests:
    """Reads requests; what they say is added to what was collected."""

    def __init__(
        self, documents: Documents, networks: Networks, providers: Providers, collected: Collected
    ) -> None:
        self._documents = documents
        self._networks = networks
        self._providers = providers
        self._collected = collected

    def read(self, held: Held, observed: str) -> dict[Name, list[Asked]]:
        """Read them all; those that name a tenant that is there, by its namespace and name.

        Args:
            held: Records by claim.
            observed: The folder of what was observed.
        """
        found: dict[Name, list[Asked]] = {}
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
