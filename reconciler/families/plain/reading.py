"""Reader of AddressPools, AddressClaims, ClusterTargets, and Teams."""

from collections.abc import Iterator

from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding
from reconciler.families.fields import refuse
from reconciler.families.interface import CurrentRecords, FamilyReading, Fix, Grower
from reconciler.families.plain.claims import SPEC, claims_of, read_claim
from reconciler.families.plain.kinds import CLAIM, GROUP, POOL, TARGET, entry_of
from reconciler.families.plain.pools import gateway_of, read_pool
from reconciler.families.plain.requests import PoolChooser
from reconciler.families.plain.targets import LISTED, TargetReader, growers_of, read_entries
from reconciler.families.plain.teams import teams_by_namespace
from reconciler.model.claim import Claim
from reconciler.model.objects import MANAGEMENT
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
        if document.name == MANAGEMENT:
            message = f"{document.title} has the name of the management cluster"
            place, hint = ("metadata", "name"), "choose another name"
            refuse(found, document, place, "name-reserved", message, hint)
    return found


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all pools and claims."""
    reading = _read_pools(documents, settings)
    chooser, teams = PoolChooser(documents, reading), teams_by_namespace(documents)
    for document in documents.of(CLAIM):
        for claim in claims_of(document, chooser, held or {}, teams):
            reading.claims[claim.key] = claim
    reader = TargetReader(documents, held or {}, chooser, reading)
    for document in documents.of(TARGET):
        reader.read(document)
    return reading


def _read_pools(documents: Documents, settings: Settings) -> FamilyReading:
    reading = FamilyReading()
    for document in documents.of(POOL):
        pool, found = read_pool(document, settings)
        reading.add_pool(document, pool, found)
        if pool is not None and (gateway := gateway_of(document)) is not None:
            reading.gateways.append(gateway)
    return reading


def growers(documents: Documents, settings: Settings) -> Iterator[Grower]:
    """Yield all entries with growth, once for each IP version."""
    every = (
        (document, it) for document in documents.of(TARGET) for it in read_entries(document, [])
    )
    if found := [(document, it) for document, it in every if "growth" in it.body]:
        chooser = PoolChooser(documents, _read_pools(documents, settings))
        for document, entry in found:
            yield from growers_of(document, entry, chooser)


def smaller(documents: Documents, claim: Claim, size: int) -> Fix | None:
    """Return the edit that lets a request ask for fewer addresses."""
    key, entry = claim.key, entry_of(claim.key.slot)
    document = documents.find(GroupKind(GROUP, key.kind), key.namespace, key.name)
    if document is None:
        return None
    listed = enumerate(document.spec.get("loadBalancers") or ())
    entries = [((*LISTED, at), body) for at, body in listed if entry and body["name"] == entry[0]]
    for steps, body in entries if entry else [(SPEC, document.spec)]:
        if "count" in body:
            count = body["count"] - claim.size + size
            says = f"ask for {count} instead of {body['count']}, the largest size that fits"
            return Fix(says, document, (Edit((*steps, "count"), count),))
    return None


def may_own(documents: Documents, namespace: str, name: str) -> bool:
    """Return whether a ClusterTarget of a name, or an unreadable file that might describe it, exists."""
    found = documents.find(TARGET, namespace, name)
    return found is not None or bool(documents.unread(TARGET, namespace, name))
