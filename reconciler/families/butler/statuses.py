"""What statuses of Butler's objects have in common: conditions, and status on others' objects."""

from collections.abc import Mapping
from typing import Any

from reconciler.documents.document import Document
from reconciler.families._family import Projection
from reconciler.model.cluster import MANAGEMENT


def condition(kind: str, status: str, reason: str, message: str, since: str) -> Mapping[str, str]:
    """A condition.

    Args:
        kind: Its type.
        status: `True` or `False`.
        reason: In CamelCase.
        message: For people.
        since: `lastTransitionTime` where a cluster does not know the condition yet.
    """
    return {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": kind,
    }


def status_only(document: Document, status: Mapping[str, Any]) -> Projection:
    """Some status fields for the object of a document, which belongs to others."""
    manifest = {
        "apiVersion": document.kind.api_version,
        "kind": document.kind.name,
        "metadata": {"name": document.name, "namespace": document.namespace},
        "status": status,
    }
    return Projection(MANAGEMENT, manifest, is_status_only=True)
