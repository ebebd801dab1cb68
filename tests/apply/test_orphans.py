"""Objects with our label that are not in the inventory: recorded first, deleted later."""

from typing import Any

from reconciler.apply.inventory import InventoryEntry, orphan
from reconciler.apply.plan import GRACE_SECONDS, orphan_notes
from reconciler.apply.snapshot import live_of
from reconciler.kube.resources import ref_of
from reconciler.model.objects import Manifest
from tests.apply.execution.site import address_pool

NOW = 1_771_149_630
UID, HASH = "uid-1", "0000000000000000.0000000000000000"


def pool(manager: str = "gitops-ipam", label: str = "gitops-ipam") -> dict[str, Any]:
    made = address_pool("left", "10.0.0.0-10.0.0.7")
    marks = {"uid": UID, "labels": {"gitops-ipam.dev/managed-by": label}}
    made["metadata"] |= {**marks, "managedFields": [{"manager": manager}]}
    return made


NAME = str(ref_of(pool()))


def tracked(
    live: Manifest, entry: InventoryEntry | None, *, is_wanted: bool = False
) -> InventoryEntry | None:
    """Return the inventory entry of an object after a run."""
    entries, seen = {} if entry is None else {NAME: entry}, live_of(live)
    notes = orphan_notes(entries, {seen.ref: seen}, [seen.ref] if is_wanted else [], NOW)
    return dict(notes).get(NAME, entry)


def test_an_orphan_is_noted_with_the_time() -> None:
    assert tracked(pool(), None) == orphan(UID, NOW)


def test_an_orphan_stays_one_until_its_grace_is_over() -> None:
    for seconds in (0, 1, GRACE_SECONDS - 1):
        noted = orphan(UID, NOW - seconds)
        assert tracked(pool(), noted) == noted
    assert tracked(pool(), orphan(UID, NOW - GRACE_SECONDS)) == InventoryEntry(UID, "-")
    assert GRACE_SECONDS == 600


def test_an_orphan_that_was_made_anew_gets_a_grace_of_its_own() -> None:
    assert tracked(pool(), orphan("uid-0", NOW - 9_000)) == orphan(UID, NOW)
    assert tracked(pool(), InventoryEntry("uid-0", HASH)) == orphan(UID, NOW)


def test_what_is_wanted_or_remembered_is_no_orphan() -> None:
    assert tracked(pool(), None, is_wanted=True) is None
    assert tracked(pool(), InventoryEntry(UID, HASH)) == InventoryEntry(UID, HASH)
    assert tracked(pool(), InventoryEntry(UID, "-")) == InventoryEntry(UID, "-")


def test_what_is_not_ours_is_no_orphan_and_is_forgotten() -> None:
    for live in (pool("kubectl"), pool(label="helm")):
        assert tracked(live, None) is None
        assert tracked(live, InventoryEntry("uid-0", HASH)) is None
        assert tracked(live, orphan(UID, NOW)) is None
