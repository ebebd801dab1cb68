"""Tenants that may grow: those of elastic providers."""

from collections.abc import Iterator

from reconciler.documents.document import Documents
from reconciler.families._objects import Grower
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.kinds import NAME, POOL, TENANT
from reconciler.families.butler.reading import Reader
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Ref
from reconciler.model.settings import Settings


def may_own(documents: Documents, namespace: str, name: str) -> bool:
    """Whether there is a tenant of that name, or a file that may describe it."""
    found = documents.find(TENANT, namespace, name)
    return found is not None or bool(documents.unread(TENANT, namespace, name))


def growers(documents: Documents, settings: Settings) -> Iterator[Grower]:
    """Tenants of providers that let them grow, as far as it can be told how."""
    reader = Reader(documents, None, settings)
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
