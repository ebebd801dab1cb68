"""What contradicts itself in one of Butler's documents, whatever else the tree holds."""

from reconciler.documents.document import Document
from reconciler.families._metallb import check_pool_name
from reconciler.families.butler.kinds import POOL, PROVIDER, REQUEST, TENANT
from reconciler.families.butler.manual import manual_range
from reconciler.families.butler.pools import read_pool
from reconciler.families.butler.providers import read_provider
from reconciler.families.butler.requests import read_pin
from reconciler.findings import Finding
from reconciler.model.settings import Settings


def judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document whose shape is right; empty when it can be read.

    By the same functions that read it afterwards, so what passes here can be read there.
    """
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind == POOL:
            network, found = read_pool(document, settings)
            return found if network is None else []
        case kind if kind == PROVIDER:
            provider, found = read_provider(document)
            return found if provider is None else []
        case kind if kind == TENANT:
            manual_range(document, found)
            check_pool_name(document, found)
        case kind if kind == REQUEST:
            read_pin(document, found)
    return found
