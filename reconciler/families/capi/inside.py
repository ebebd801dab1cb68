"""A Cluster's networks of pods and services, as far as its document states them."""

from collections.abc import Iterator

from reconciler.documents.document import Document
from reconciler.families._inside import Stated

_BLOCKS = "cidrBlocks"


def stated_inside(document: Document) -> Iterator[Stated]:
    """The blocks of `spec.clusterNetwork`; what is left out, a class may say, and is not known."""
    networks = document.spec.get("clusterNetwork") or {}
    for use in ("pods", "services"):
        for index, text in enumerate((networks.get(use) or {}).get(_BLOCKS) or ()):
            yield Stated(use, text, ("spec", "clusterNetwork", use, _BLOCKS, index))
