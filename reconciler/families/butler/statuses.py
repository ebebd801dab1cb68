"""What statuses of Butler's kinds have in common: they are fields of objects that belong to others."""

from collections.abc import Mapping
from typing import Any

from reconciler.documents.document import Document
from reconciler.families._family import Projection
from reconciler.model.cluster import MANAGEMENT


def status_only(document: Document, status: Mapping[str, Any]) -> Projection:
    """Some status fields for the object of a document, which belongs to others."""
    manifest = {
        "apiVersion": document.kind.api_version,
        "kind": document.kind.name,
        "metadata": {"name": document.name, "namespace": document.namespace},
        "status": status,
    }
    return Projection(MANAGEMENT, manifest, is_status_only=True)
