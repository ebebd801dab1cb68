"""What was done to records by hand, claim by claim."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.key import Key
from reconciler.records.by_hand import Freed, Records, differing, told, unproven
from reconciler.records.by_hand import freed as freed_unless
from reconciler.records.emit import record_text
from reconciler.records.hands import Stated
from reconciler.records.recall import Recalled, recall
from tests.records.examples import CLAIM, FOLDER, LATER, V6_POOL, record, unplaced

HERE = record().path
ELSEWHERE = f"{FOLDER}/elsewhere.yaml"
BROKEN = b"kind: IPAllocation\n"
HELD = IPSet.of(item for item in (record().range,) if item is not None)
NONE, ONE = Freed(0, frozenset()), Freed(1, frozenset())


def stated(path: str, data: bytes) -> Stated:
    return Stated(data, recall(FOLDER, path, data))


def side(*made: Allocation) -> dict[str, Stated | None]:
    """Records by path."""
    found = {item.path: record_text(item).encode() for item in made}
    return {path: stated(path, data) for path, data in found.items()}


def said(records: Records, allowed: tuple[str, ...] = ()) -> list[tuple[str, str, str]]:
    found: list[Finding] = list(told(records, "main", {}, lambda scope: scope in allowed))
    return [(it.location.path, it.severity.value, it.message.partition(":")[0]) for it in found]


def strict(
    before: Mapping[str, Stated | None],
    now: Mapping[str, Stated | None],
    expected: Mapping[Key, Mapping[str, bytes | None]] | None = None,
) -> Records:
    return Records(before, now, expected=expected or {}, is_strict=True)


def freed(records: Records, *allowed: str) -> Freed:
    return freed_unless(records, lambda scope: scope in allowed)


def test_equal_bytes_are_no_news() -> None:
    same = strict(side(record()), side(record()))
    assert (differing(same), said(same), freed(same)) == (False, [], NONE)


def test_every_byte_counts_beside_a_base() -> None:
    commented = {HERE: stated(HERE, b"# mine\n" + record_text(record()).encode())}
    records = strict(side(record()), commented)
    assert differing(records)
    assert said(records) == [(HERE, "error", "is edited by hand")]
    assert said(Records(records.before, records.now)) == []


def test_what_a_record_states_counts_without_a_base_too() -> None:
    other = record(name="other")
    assert said(Records(side(record()), side(other))) == [(HERE, "error", "is edited by hand")]


@pytest.mark.parametrize("is_strict", [True, False])
def test_a_record_that_bears_another_path_is_moved(*, is_strict: bool) -> None:
    moved = side(record(path=ELSEWHERE))
    records = Records({**side(record()), ELSEWHERE: None}, moved, is_strict=is_strict)
    severity = "error" if is_strict else "warning"
    assert said(records) == [(ELSEWHERE, severity, f"is moved by hand from {HERE}")]
    assert freed(records) == NONE


def test_a_record_that_comes_or_goes_is_told() -> None:
    gone, added = strict(side(record()), {HERE: None}), strict({}, side(record()))
    assert said(gone) == [(HERE, "error", "is removed by hand")]
    assert said(added) == [(HERE, "error", "is added by hand")]
    assert (freed(gone), freed(added)) == (ONE, NONE)


def test_a_record_that_holds_for_nobody_is_no_live_one() -> None:
    released = record(phase=Phase.RELEASED, since=LATER)
    assert freed(strict(side(released), {})) == NONE
    assert freed(strict(side(record()), side(released))) == ONE


def test_a_live_record_that_no_longer_holds_what_it_did_frees_it() -> None:
    before, edited = side(record()), Freed(0, frozenset([CLAIM]))
    other = side(record("10.40.0.96", "10.40.0.103"))
    assert freed(strict(before, other)) == edited
    assert freed(strict(before, side(record("10.40.0.80", "10.40.0.83")))) == edited
    assert freed(strict(before, side(record(pool=V6_POOL)))) == edited
    assert freed(strict(before, side(record("10.40.0.80", "10.40.0.95")))) == NONE
    assert freed(strict(before, side(record(name="other")))) == NONE
    both = {**other, ELSEWHERE: side(record(path=ELSEWHERE))[ELSEWHERE]}
    assert freed(strict(before, both)) == NONE


def test_a_record_that_is_added_is_an_error_without_a_base_too_if_it_holds_something() -> None:
    assert said(Records({}, side(record()))) == [(HERE, "error", "is added by hand")]
    assert said(Records({}, side(unplaced()))) == [(unplaced().path, "warning", "is added by hand")]


def nobodys(records: Records, allowed: tuple[str, ...] = ()) -> dict[str, IPSet]:
    return unproven(records, lambda scope: scope in allowed)


def test_only_what_the_claim_held_before_is_more_than_somebodys_word() -> None:
    before, wide = side(record()), record("10.40.0.72", "10.40.0.87")
    half = wide.range.first if wide.range else 0
    more = {HERE: IPSet((IPRange(4, half, half + 7),))}
    assert nobodys(Records(before, side(wide))) == more
    assert nobodys(Records({}, side(record()))) == {HERE: HELD}
    assert nobodys(Records(before, side(record(name="other")))) == {}
    assert nobodys(Records(before, side(record("10.40.0.80", "10.40.0.83")))) == {}
    assert nobodys(Records(before, {HERE: None})) == {}
    for scope in (HERE, str(CLAIM)):
        assert nobodys(Records(before, side(wide)), (scope,)) == {}
    assert nobodys(Records({}, side(record())), ("allocations/",)) == {}
    assert nobodys(Records(before, side(wide)), ("allocations/",)) == more
    released = side(record(phase=Phase.RELEASED, since=LATER))
    assert nobodys(Records(released, before)).keys() == {HERE}
    assert nobodys(Records(before, released)) == {}


def test_what_a_person_let_pass_frees_nothing_that_nobody_expects() -> None:
    removed = strict(side(record()), {HERE: None})
    edited = strict(side(record()), side(record("10.40.0.96", "10.40.0.103")))
    for scope in (HERE, str(CLAIM)):
        assert freed(removed, scope) == Freed(0, frozenset(), 1)
        assert freed(edited, scope) == NONE
    assert freed(removed, ELSEWHERE) == ONE
    both = {**side(record()), **side(record("10.40.0.96", "10.40.0.103", path=ELSEWHERE))}
    assert freed(strict(both, {}), HERE) == ONE


def test_what_to_do_when_the_base_is_behind_is_told_where_that_may_be() -> None:
    sides = side(record()), side(record(name="other"))
    (plain,) = told(strict(*sides), "main", {}, lambda _: False)
    (found,) = told(replace(strict(*sides), made="1" * 40), "main", {}, lambda _: False)
    assert found.hint == (
        "if main is behind: git fetch, then --base origin/main (commit 111111111111 says that"
        f" reconcile made it); else {plain.hint}"
    )


def test_what_reconcile_would_write_is_nobodys_hand() -> None:
    data = record_text(record()).encode()
    expected: dict[Key, dict[str, bytes | None]] = {CLAIM: {HERE: data, ELSEWHERE: None}}
    before = side(record(path=ELSEWHERE))
    assert said(strict(before, side(record()), expected)) == []
    assert said(strict(before, {}, expected)) == [(ELSEWHERE, "error", "is removed by hand")]


def test_a_person_may_let_it_pass_by_path_or_claim() -> None:
    records = strict(side(record()), side(record(name="other")))
    for scope in (HERE, str(CLAIM)):
        assert said(records, (scope,)) == [(HERE, "warning", "is edited by hand")]


def test_a_record_of_another_claim_in_its_place_is_a_removal_and_a_new_one() -> None:
    other = CLAIM._replace(name="other")
    found = said(strict(side(record()), side(record(claim=other, path=HERE))))
    assert sorted(message for _, _, message in found) == ["is added by hand", "is removed by hand"]


def test_what_cannot_be_read_now_is_told_elsewhere() -> None:
    records = strict(side(record()), {HERE: stated(HERE, BROKEN)})
    assert (said(records), freed(records)) == ([], NONE)


@pytest.mark.parametrize("path", [HERE, ELSEWHERE])
def test_what_could_not_be_read_before_is_mended_as_it_was_or_told(path: str) -> None:
    broken: dict[str, Stated | None] = {path: stated(path, BROKEN)}
    mended = side(record(path=path))
    data = record_text(record()).encode()
    expected: dict[Key, dict[str, bytes | None]] = {CLAIM: {path: data}}
    known = Records(broken, mended, {path: CLAIM}, expected, is_strict=True)
    assert said(known) == []
    found = said(strict(broken, mended))
    assert found[-1][:2] == (path, "error")
    assert said(Records(broken, mended, {path: CLAIM})) == []
    assert said(strict(broken, {}))[0][2] == "is removed by hand"


def test_a_record_that_held_nothing_is_told_so() -> None:
    failed = unplaced()
    (found,) = told(strict(side(failed), {}), "main", {CLAIM: record()}, lambda _: False)
    assert "held nothing; it gets 10.40.0.80-10.40.0.87" in found.message


def test_what_is_no_record_is_let_pass_by_its_path_alone() -> None:
    odd = f"{FOLDER}/notes.yml"
    records = strict({}, {odd: Stated(b"x", Recalled(None))})
    assert said(records, ("other",)) == said(records)
    assert said(records, (odd,)) != said(records)


def test_a_mark_that_somebody_takes_away_counts_unless_a_person_let_it_pass() -> None:
    marked = side(record(held_of=18))
    for now, marks in ((side(record()), {CLAIM: 18}), ({HERE: None}, {}), (marked, {})):
        assert freed(strict(marked, now)).marks == marks
    assert freed(strict(marked, side(record())), HERE).marks == {}
    assert freed(strict(side(record()), marked)).marks == {}


def test_a_mark_of_a_brake_that_was_edited_is_told_with_both_numbers() -> None:
    (item,) = told(strict(side(record(held_of=18)), side(record())), "main", {}, lambda _: False)
    assert "held-of was 18, not there now" in item.message
