"""AddressClaims."""

from collections.abc import Iterator, Mapping

from reconciler.documents.document import Document
from reconciler.documents.findings import Finding
from reconciler.families.interface import CurrentRecords
from reconciler.families.plain.kinds import ADDRESS, CLAIM, NAME, claim_slot
from reconciler.families.plain.requests import (
    PoolChooser,
    Request,
    judge_pins,
    read_request,
    size_of,
)
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import MAX_NAME, Key, shortened

SPEC = ("spec",)


def read_claim(document: Document, found: list[Finding]) -> Request:
    """Return the request of an AddressClaim; add findings for contradictions."""
    request = read_request(document, SPEC, document.spec, found)
    judge_pins(request, found)
    return request


def claims_of(
    document: Document, chooser: PoolChooser, held: CurrentRecords, teams: Mapping[str, str]
) -> Iterator[Claim]:
    """Yield a claim for each IP version. Two claims either both get addresses or neither."""
    request = read_claim(document, [])
    namespace, name = document.namespace, document.name
    keys = {it: Key(NAME, namespace, name, claim_slot(it), CLAIM.kind) for it in (4, 6)}
    choices = chooser.choices(request, {it for it, key in keys.items() if key in held})
    for choice in choices:
        version, pins = choice.version, request.pinned(choice.version)
        key = keys[version]
        others = (keys[it.version] for it in choices if it.version != version)
        size = request.count if request.prefix is None else size_of(request.prefix, version)
        yield Claim(
            key=key,
            candidates=choice.candidates,
            wanted=choice.wanted,
            size=pins[0].size if pins else size,
            pin=pins[0] if pins else None,
            fixed=True,
            owner=Owner(namespace, name, teams.get(namespace, namespace)),
            type=ADDRESS,
            role="initial",
            name=shortened(f"{name}.{key.slot}", MAX_NAME),
            namespace=namespace,
            source=document.start,
            doubt=document.doubt or choice.doubt,
            version=version,
            refusal=choice.refusal,
            requires=next(others, None),
            prefix=request.prefix,
            is_announced=False,
        )
