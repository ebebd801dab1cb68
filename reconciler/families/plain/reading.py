"""Reader of AddressPools, AddressClaims, ClusterTargets, and Teams."""

from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding
from reconciler.families.interface import CurrentRecords, FamilyReading
from reconciler.families.plain.claims import claims_of, read_claim
from reconciler.families.plain.kinds import CLAIM, POOL, TARGET
from reconciler.families.plain.pools import gateway_of, read_pool
from reconciler.families.plain.requests import PoolChooser
from reconciler.families.plain.targets import TargetReader, read_entries
from reconciler.families.plain.teams import teams_by_namespace
from reconciler.model.settings import Settings


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; empty if it is valid."""
    found: list[Finding] = []
    if document.kind.id == POOL:
        pool, found = read_pool(document, settings)
        return found if pool is None else []
    if document.kind.id == CLAIM:
        read_claim(document, found)
    elif document.kind.id == TARGET:
        read_entries(document, found)
    return found


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all pools and claims."""
    reading = FamilyReading()
    for document in documents.of(POOL):
        pool, found = read_pool(document, settings)
        reading.add_pool(document, pool, found)
        if pool is not None and (gateway := gateway_of(document)) is not None:
            reading.gateways.append(gateway)
    chooser, teams = PoolChooser(documents, reading), teams_by_namespace(documents)
    for document in documents.of(CLAIM):
        for claim in claims_of(document, chooser, held or {}, teams):
            reading.claims[claim.key] = claim
    targets = [*documents.of(TARGET)]
    if targets:
        reader = TargetReader(documents, held or {}, chooser, reading)
        for document in targets:
            reader.read(document)
    return reading
