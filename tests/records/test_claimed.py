"""Fields of a record follow from its claim, and no two records have the same object name."""

from msgspec.structs import replace

from reconciler.model.claim import Owner
from reconciler.model.key import MAX_NAME, Key
from reconciler.records.changes import apart, claimed, with_suffix
from tests.records.examples import CLAIM, record
from tests.records.test_changes import claim


def test_names_owner_type_and_role_are_those_of_the_claim() -> None:
    forged = record(
        name="other", namespace="kube-system", owner=Owner("team-x", "thief", "x"), type="nodes",
        role="growth",
    )  # fmt: skip
    assert claimed([forged], {CLAIM: claim()}) == (record(pristine=False),)


def test_a_name_that_butler_gave_stays_and_so_does_one_with_a_suffix() -> None:
    for name in ("my-cluster-lb", with_suffix(record().name, CLAIM)):
        made = record(name=name)
        assert claimed([made], {CLAIM: claim()}) == (made,)


def test_a_request_bears_its_own_name_alone() -> None:
    key = Key("butler", "butler-system", "mine", "request", "IPAllocation")
    asked = claim(key, name="mine")
    for name, is_its_own in (("mine", True), (with_suffix("mine", key), True), ("lb", False)):
        (found,) = claimed([record(claim=key, name=name, owner=asked.owner)], {key: asked})
        assert found.pristine is is_its_own


def test_of_two_records_of_one_name_the_one_whose_claim_bears_it_keeps_it() -> None:
    other = record(claim=replace(CLAIM, slot="nodes"), path="allocations/a.yaml")
    mine = record(path="allocations/b.yaml")
    kept = apart((other, mine), {CLAIM: claim()})
    suffix = with_suffix(mine.name, other.claim)
    assert [item.name for item in kept] == [suffix, mine.name]
    assert not kept[0].pristine


def test_names_stay_apart_however_many_have_one() -> None:
    long = "a" * MAX_NAME
    many = tuple(record(name=long, path=f"allocations/{at}.yaml") for at in range(4))
    names = [item.name for item in apart(many, {})]
    assert len(set(names)) == 4
    assert max(map(len, names)) == MAX_NAME
