"""Quays and boats in clusters: a kind without a namespace, and one of two versions."""

from collections.abc import Iterator

from reconciler.families.interface import (
    Listing,
    ListingColumn,
    ListingInput,
    ListingRow,
    Objects,
    UpdateRule,
)
from reconciler.model.objects import OURS, Need, Resource, Right
from tests.toy.families.toy.kinds import BOAT, GROUP, QUAY
from tests.toy.families.toy.pools import pool_key

QUAYS = Resource(f"{GROUP}/v1", QUAY.kind, "quays", is_namespaced=False)
BOATS = Resource(f"{GROUP}/v2", BOAT.kind, "boats", versions=(f"{GROUP}/v1",))


def _quays(standing: ListingInput) -> Iterator[ListingRow]:
    for document in standing.documents.of(QUAY):
        usage = standing.usage.get(pool_key(document.name))
        if usage is not None:
            yield ListingRow(document, usage)


OBJECTS = Objects(
    resources=(QUAYS, BOATS),
    owned=(QUAYS,),
    crds=(f"{__package__}:crds/{GROUP}_{QUAYS.plural}.yaml",),
    rights=(Right(Need.APPLY, QUAYS, OURS), Right(Need.APPLY, QUAYS, ("patch",), "status")),
    update_rules=(
        UpdateRule(
            QUAYS,
            {"wasAt": "oldObject.spec.cidr", "isAt": "object.spec.cidr"},
            "variables.wasAt == variables.isAt",
            "a quay does not move",
        ),
    ),
    listings=(
        Listing(
            "quays",
            QUAY,
            _quays,
            (
                ListingColumn("NAME", lambda row: row.document.name),
                ListingColumn("FREE", lambda row: str(row.more.available)),
            ),
            (ListingColumn("CIDR", lambda row: str(row.document.spec["cidr"])),),
        ),
    ),
)
