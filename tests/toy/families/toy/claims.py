"""Boats to claims: any quay that bears the labels, in the order of names."""

from reconciler.documents.document import Document, Documents
from reconciler.families._family import Held, Reading
from reconciler.findings import Finding
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.record_kind import NAMESPACE
from reconciler.model.settings import Settings
from tests.toy.families.toy.kinds import BOAT, NAME, QUAY
from tests.toy.families.toy.pools import pool_key, read_pin, read_pool

SLOT = "berth"


def read(documents: Documents, held: Held | None, settings: Settings) -> Reading:
    """All quays and boats."""
    del held
    pools: dict[Key, Pool] = {}
    frozen: dict[Key, str] = {}
    findings: list[Finding] = []
    for document in documents.of(QUAY):
        pool, found = read_pool(document, settings)
        findings += [] if document.unread else found
        if pool is not None:
            pools[pool.key] = pool
            frozen |= {pool.key: document.unread} if document.unread else {}
    claims = (_claim(document, documents, pools) for document in documents.of(BOAT))
    return Reading(
        pools=pools,
        claims={claim.key: claim for claim in claims},
        findings=tuple(findings),
        frozen=frozen,
    )


def _claim(document: Document, documents: Documents, pools: dict[Key, Pool]) -> Claim:
    labels = document.spec["quay"]
    selected = documents.matching(QUAY, "", labels, asker=document.file)
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
        namespace=NAMESPACE,
        source=document.start,
        # A quay that cannot be read may be the one that is meant.
        doubt=document.unread or next(iter(selected.unread), ""),
        version=document.spec.get("ipVersion"),
        refusal=None if found else refusal,
    )
