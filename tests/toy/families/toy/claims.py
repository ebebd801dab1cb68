"""Claims of boats: any quay with the labels, in the order of names."""

from collections.abc import Mapping

from reconciler.documents.document import Document, Documents
from reconciler.families.interface import CurrentRecords, FamilyReading
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.key import Key
from reconciler.model.objects import RECORD_NAMESPACE
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from tests.toy.families.toy.kinds import BOAT, NAME, QUAY
from tests.toy.families.toy.pools import pool_key, read_pin, read_pool

SLOT = "berth"


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    del held
    reading = FamilyReading()
    for document in documents.of(QUAY):
        pool, found = read_pool(document, settings)
        reading.add_pool(document, pool, found)
    for document in documents.of(BOAT):
        claim = _claim(document, documents, reading.pools)
        reading.claims[claim.key] = claim
    return reading


def _claim(document: Document, documents: Documents, pools: Mapping[Key, Pool]) -> Claim:
    labels = document.spec["quay"]
    selected = documents.matching(QUAY, "", labels)
    found = [pool_key(quay.name) for quay in selected.documents]
    told = ", ".join(f"{key}={value}" for key, value in labels.items())
    pin = read_pin(document, [])
    refusal = Refusal("no-matching-pool", f"no quay bears {told}", "label one, or ask for another")
    return Claim(
        key=Key(NAME, document.namespace, document.name, SLOT, BOAT.kind),
        candidates=tuple(key for key in found if key in pools),
        wanted=tuple(key.name for key in found) or (told,),
        size=1,
        pin=pin,
        fixed=pin is not None,
        owner=Owner(document.namespace, document.name, document.namespace),
        type=SLOT,
        role="initial",
        name=f"{document.namespace}-{document.name}-{SLOT}",
        namespace=RECORD_NAMESPACE,
        source=document.start,
        # A quay that cannot be read may be the one that is meant.
        doubt=document.unread or next(iter(selected.unread), ""),
        version=document.spec.get("ipVersion"),
        refusal=None if found else refusal,
    )
