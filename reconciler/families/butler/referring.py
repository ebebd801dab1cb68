"""What names a tenant from elsewhere: whoever renames the tenant has to name it anew there."""

from collections.abc import Iterator

from reconciler.documents.document import Document, Documents
from reconciler.families.butler.kinds import NAME, REQUEST, TENANT
from reconciler.model.key import Key

PLACE = ("spec", "tenantClusterRef", "name")


def referring(documents: Documents) -> Iterator[tuple[Document, tuple[str, ...], Key]]:
    """Requests, each with the field that names its tenant, and that tenant's key."""
    for document in documents.of(REQUEST):
        reference = document.spec["tenantClusterRef"]
        named = Key(NAME, reference["namespace"], reference["name"], "", TENANT.kind)
        yield document, PLACE, named
