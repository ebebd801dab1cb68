"""A rename to a name whose earlier owner has left a Demand or growth."""

import pytest

from reconciler.addresses import format_short
from reconciler.apply.growth import abandoned
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.model.change import FileChange
from tests.families.test_growth import BASE, PLACE
from tests.planning.outcome import without
from tests.planning.test_renaming import DAY, Files, formerly
from tests.reconcile.looking.country import Country
from tests.world import CLOCK, evaluation_of, reconciled, tenant

ONE, OLD = "tenants/one.yaml", "tenants/old.yaml"
LEFT = PLACE.replace("one.yaml", "old.yaml")


def taken_over(former: tuple[int, ...], own: tuple[int, ...]) -> tuple[Files, Files]:
    """The records after a tenant was removed, and the rename of another one to its name."""
    files: Files = {**BASE, OLD: tenant("old")}
    for name, indexes, path in (("old", former, LEFT), ("one", own, PLACE)):
        entries = [DemandEntry(index, 2) for index in indexes]
        if entries or name == "old":
            files[path] = demand_document("team-a", name, entries)
    before = reconciled(without(reconciled(files), OLD), CLOCK + 60)
    return before, {**without(before, ONE), OLD: formerly(tenant("old"), "team-a/one")}


def rows(files: Files) -> set[tuple[str, str, str]]:
    """The name, range, and phase of each record with addresses."""
    return {
        (record.claim.name, format_short(record.range), record.phase.value)
        for record in evaluation_of(files).state.records
        if record.range is not None
    }


@pytest.mark.parametrize(
    ("former", "own"), [((1, 3), (1, 2)), ((1, 3), ()), ((), (1, 2)), ((3,), (1,))]
)
def test_a_rename_waits_for_the_end_of_what_grew_under_the_name(
    former: tuple[int, ...], own: tuple[int, ...]
) -> None:
    before, files = taken_over(former, own)
    found = next(it for it in evaluation_of(files).findings if it.code == "rename-refused")
    assert (found.location.path, LEFT in found.message) == (OLD, True)
    assert found.message.count("10.40.0.") == len(former) * 2
    assert ("after 2026-02-16T" in found.hint) == bool(former)

    files = reconciled(files, CLOCK + 60 + DAY // 2)  # growth of a live tenant would have expired
    assert rows(files) == rows(before)
    assert bool(list(abandoned(evaluation_of(files)))) == (not former)
    files = reconciled(files, CLOCK + 2 * DAY)
    here = Country(files, clock=CLOCK + 2 * DAY, now=CLOCK + 2 * DAY)
    here.ask("pending", "team-a/old")
    assert here.looked().changes == (FileChange(LEFT, None),)
    after = reconciled(without(files, LEFT), CLOCK + 2 * DAY)
    kept = {(text, phase) for name, text, phase in rows(before) if name == "one"}
    assert {(text, phase) for _, text, phase in rows(after)} == kept


def test_a_rename_does_not_wait_for_first_addresses_of_the_name() -> None:
    before, files = taken_over((), (1,))
    kept = {("old", text, phase) for _, text, phase in rows(before)}
    assert rows(reconciled(without(files, LEFT), CLOCK + 120)) == kept
