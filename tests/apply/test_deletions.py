"""When a copy is removed: the evidence that counts, and the release limit."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.apply.intake import (
    MIN_DELETIONS,
    Copies,
    DeletionDetector,
    IntakeContext,
    IntakeState,
)
from reconciler.model.settings import Settings

KIND = "Cluster.cluster.x-k8s.io"
NOW = 10_000


def identity(name: str) -> tuple[str, str, str, str]:
    return "cluster.x-k8s.io", "Cluster", "default", name


COPIES = [identity(f"c{at:02}") for at in range(20)]
ONE = COPIES[0]
STATE = IntakeState(missing={ONE: NOW - MIN_DELETIONS})


def gone(
    state: IntakeState = STATE,
    problem: str = "",
    deleted: Any = (),
    missing: Any = (ONE,),
    copies: Any = COPIES,
    allowed: int | None = None,
    used: Any = (),
) -> tuple[list[Any], DeletionDetector]:
    context = IntakeContext(Settings(), (), Copies(used=used), state=state, allowed=allowed)
    found = DeletionDetector(context, NOW)
    return found.gone(KIND, problem, copies, missing, deleted), found


def test_an_object_is_gone_if_two_complete_lists_ten_minutes_apart_lack_it() -> None:
    found, detector = gone()
    assert found == [ONE]
    assert detector.state().missing == {}
    assert not detector.notes


def test_an_object_that_is_missing_for_the_first_time_is_remembered() -> None:
    found, detector = gone(IntakeState())
    assert found == []
    assert detector.state().missing == {ONE: NOW}


def test_a_clock_that_went_back_begins_anew() -> None:
    assert gone(IntakeState({ONE: NOW + 50}))[1].state().missing == {ONE: NOW}


def test_an_object_whose_deletion_a_watch_reported_is_gone_at_once() -> None:
    assert gone(IntakeState(), deleted=[ONE])[0] == [ONE]


def test_a_list_that_is_not_complete_proves_nothing() -> None:
    found, detector = gone(problem="403: may not list clusters", deleted=[ONE])
    assert found == []
    assert detector.state().missing == STATE.missing
    (note,) = detector.notes
    assert note == (
        f"1 of 20 {KIND} are missing, and do not count as deleted: 403: may not list clusters"
    )
    assert not gone(problem="403", missing=())[1].notes


def many(count: int, **more: Any) -> tuple[list[Any], DeletionDetector]:
    missing = COPIES[:count]
    state = replace(
        STATE, missing=dict.fromkeys(missing, NOW - MIN_DELETIONS), **more.pop("state", {})
    )
    return gone(state, missing=missing, **more)


def test_thirty_percent_go_and_more_are_held() -> None:
    assert many(6)[0] == COPIES[:6]
    found, going = many(7)
    assert found == []
    assert going.state().missing == dict.fromkeys(COPIES[:7], NOW - MIN_DELETIONS)
    assert going.held == [
        f"7 of 20 {KIND} were deleted in the management cluster; to remove their copies, pass"
        " --allow-release 7"
    ]


def test_a_person_names_the_number_that_goes() -> None:
    assert len(many(7, allowed=7)[0]) == 7
    assert many(7, allowed=6)[0] == []


def test_what_went_of_late_counts_as_gone_at_once() -> None:
    there = f"{KIND}/default"
    late = {"removed": {there: ((NOW - MIN_DELETIONS + 1, 4), (NOW - MIN_DELETIONS, 90))}}
    found, going = many(4, state=late)
    assert found == []
    assert "8 of 24" in going.held[0]
    found, going = many(3, state=late)
    assert len(found) == 3
    assert going.state().removed == {there: ((NOW - MIN_DELETIONS + 1, 4), (NOW, 3))}


def shares(**namespaces: tuple[int, int]) -> tuple[list[Any], list[Any]]:
    """Return copies by namespace, and those without an object, from pairs of counts."""
    every: list[Any] = []
    gone: list[Any] = []
    for namespace, (going, count) in namespaces.items():
        names = [("cluster.x-k8s.io", "Cluster", namespace, f"c{at:02}") for at in range(count)]
        every += names
        gone += names[:going]
    return every, gone


def went(found: tuple[list[Any], list[Any]], **more: Any) -> tuple[set[str], list[str]]:
    """Return the namespaces of removed copies, and the messages about kept ones."""
    copies, missing = found
    state = replace(STATE, missing=dict.fromkeys(missing, 0), **more.pop("state", {}))
    found_, detector = gone(state, missing=missing, copies=copies, **more)
    return {it[2] for it in found_}, detector.held


def test_one_namespace_that_loses_much_is_held_alone() -> None:
    names, held = went(shares(evil=(12, 12), team=(1, 19), other=(1, 1)))
    assert names == {"team", "other"}
    assert held == [
        f"12 of 12 {KIND} of namespace evil were deleted in the management cluster; to remove"
        " their copies, pass --allow-release 12"
    ]
    assert went(shares(evil=(12, 12), team=(1, 19)), allowed=12) == ({"evil", "team"}, [])


def test_when_several_namespaces_lose_much_the_whole_kind_is_held() -> None:
    for found in (
        shares(a=(9, 12), b=(7, 12)),
        shares(a=(9, 12), b=(1, 1)),
        shares(a=(9, 9), b=(1, 2), c=(5, 9)),
    ):
        names, held = went(found)
        assert names == set()
        assert " of namespace " not in held[0]
        assert f"--allow-release {len(found[1])}" in held[0]
        assert went(found, allowed=len(found[1])) == ({it[2] for it in found[1]}, [])


def test_what_a_namespace_lost_of_late_counts_for_it_and_for_nobody_else() -> None:
    late = {"removed": {f"{KIND}/evil": ((NOW - 60, 9),)}}
    names, held = went(shares(evil=(2, 3), team=(1, 20)), state=late)
    assert names == {"team"}
    assert held[0].startswith(f"11 of 12 {KIND} of namespace evil were deleted")
    assert went(shares(evil=(0, 3), team=(1, 20)), state=late) == ({"team"}, [])
    assert went(shares(evil=(0, 0), team=(1, 20)), state=late) == ({"team"}, [])


def test_a_pool_stays_while_a_record_holds_something_of_it() -> None:
    pools: Any = [("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool", "", name) for name in "abcd"]
    state = replace(STATE, missing=dict.fromkeys(pools[:2], 0))
    found, going = gone(state, "", [pools[1]], pools[:2], pools, used=[pools[1]])
    assert found == [pools[0]]
    assert going.state().missing == {pools[1]: 0}
    assert going.held == [
        "GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/b was deleted in the management cluster, but"
        " records hold its addresses, so the copy stays until they are released, or until you create the pool again"
    ]


@given(st.dictionaries(st.sampled_from("abcd"), st.tuples(st.integers(0, 9), st.integers(0, 9)),
                       min_size=1))  # fmt: skip
def test_the_brake_lets_nothing_pass_that_it_would_hold_in_one_namespace(drawn: Any) -> None:
    found = shares(**{name: (gone, gone + more) for name, (gone, more) in drawn.items()})
    names, held = went(found)
    copies, missing = found
    gone = [it for it in missing if it[2] in names]
    left_out = {it[2] for it in missing} - names
    judged = [it for it in copies if it[2] not in left_out]
    assert bool(held) == bool(left_out)
    assert len(left_out) <= 1 or not gone
    if gone:
        assert len(gone) < len(judged) or (len(judged) == 1 and not held)
        assert len(judged) < 10 or 100 * len(gone) <= 30 * len(judged)
