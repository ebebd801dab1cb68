"""A quay as an object of the management cluster, with how many berths are free."""

from reconciler.families.interface import Projection, ProjectionInput
from reconciler.model.objects import MANAGEMENT
from tests.toy.families.toy.kinds import QUAY
from tests.toy.families.toy.pools import pool_key


def project(given: ProjectionInput) -> tuple[Projection, ...]:
    return tuple(
        Projection(
            MANAGEMENT,
            {
                "apiVersion": document.kind.api_version,
                "kind": document.kind.name,
                "metadata": dict(document.metadata),
                "spec": document.spec,
                "status": {"free": given.usage[key].available},
            },
        )
        for document in given.documents.of(QUAY)
        if (key := pool_key(document.name)) in given.usage
    )
