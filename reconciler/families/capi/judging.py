"""What contradicts itself in one of Cluster API's documents, whatever else the tree holds."""

from reconciler.documents.document import Document
from reconciler.families.capi.byhand import judge_chosen
from reconciler.families.capi.claims import read_given, read_pin
from reconciler.families.capi.kinds import CLAIM, CLUSTER, FOREIGN, GLOBAL_POOL, POOL
from reconciler.families.capi.pools import read_pool
from reconciler.findings import Finding
from reconciler.model.settings import Settings


def judge(document: Document, settings: Settings) -> list[Finding]:
    """What is wrong with a document whose shape is right; empty when it can be read."""
    found: list[Finding] = []
    match document.kind.id:
        case kind if kind in (POOL, GLOBAL_POOL):
            pool, found = read_pool(document, settings)
            return found if pool is None else []
        case kind if kind == CLAIM:
            read_pin(document, found)
        case kind if kind == FOREIGN:
            read_given(document, found)
        case kind if kind == CLUSTER:
            judge_chosen(document, found)
    return found
