"""What contradicts itself in one of Butler's documents, whatever else the tree holds."""

from reconciler.documents.document import Document
from reconciler.families.butler.manual import manual_range
from reconciler.families.butler.pools import KIND as POOL
from reconciler.families.butler.pools import read_pool
from reconciler.families.butler.providers import KIND as PROVIDER
from reconciler.families.butler.providers import read_provider
from reconciler.families.butler.requests import KIND as REQUEST
from reconciler.families.butler.requests import read_pin
from reconciler.families.butler.tenants import KIND as TENANT
from reconciler.findings import Finding
from reconciler.model.settings import Settings


def judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document whose shape is right; empty when it can be read.

    By the same functions that read it afterwards, so what passes here can be read there.
    """
    found: list[Finding] = []
    match document.kind.name:
        case name if name == POOL:
            network, found = read_pool(document, settings)
            return found if network is None else []
        case name if name == PROVIDER:
            provider, found = read_provider(document)
            return found if provider is None else []
        case name if name == TENANT:
            manual_range(document, found)
        case name if name == REQUEST:
            read_pin(document, found)
    return found
