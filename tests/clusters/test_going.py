"""When an object that has a copy is gone: what proves it, what never does, and what is held."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.clusters.going import LEAST, Going, Known, Listing
from reconciler.clusters.intake_memory import IntakeMemory
from reconciler.model.settings import Settings

KIND = "Cluster.cluster.x-k8s.io"
FINE = Listing(KIND, "100", "", "crd-1")
OLD = Listing(KIND, "85", "", "crd-1")
NAMED = "uid-1 90"
NOW = 10_000


def identity(name: str) -> tuple[str, str, str, str]:
    return "cluster.x-k8s.io", "Cluster", "default", name


COPIES = [identity(f"c{at:02}") for at in range(20)]
ONE = COPIES[0]
MEMORY = IntakeMemory(missing={ONE: NOW - LEAST}, crds={KIND: "crd-1"})


def known(memory: IntakeMemory = MEMORY, named: str = NAMED, **more: Any) -> Known:
    return Known(Settings(), named, memory, **more)


def gone(
    before: Known, listing: Listing = FINE, deleted: Any = (), missing: Any = (ONE,), **more: Any
) -> tuple[list[Any], Going]:
    going = Going(before, more.get("at", NOW), more.get("uid", "uid-1"))
    return going.of(listing, more.get("copies", COPIES), missing, deleted), going


def test_what_two_complete_lists_ten_minutes_apart_lack_is_gone() -> None:
    found, going = gone(known())
    assert found == [ONE]
    assert going.memory().missing == {}
    assert not going.notes


def test_what_is_missing_for_the_first_time_is_remembered() -> None:
    fresh = replace(MEMORY, missing={})
    found, going = gone(known(fresh))
    assert found == []
    assert going.memory().missing == {ONE: NOW}


def test_what_is_missing_for_less_than_ten_minutes_stays() -> None:
    found, going = gone(known(replace(MEMORY, missing={ONE: NOW - LEAST + 1})))
    assert found == []
    assert going.memory().missing == {ONE: NOW - LEAST + 1}


def test_what_came_back_is_forgotten() -> None:
    _, going = gone(known(), missing=())
    assert going.memory().missing == {}


def test_a_clock_that_went_back_begins_anew() -> None:
    _, going = gone(known(replace(MEMORY, missing={ONE: NOW + 50})))
    assert going.memory().missing == {ONE: NOW}


def test_what_a_watch_saw_go_on_purpose_is_gone_at_once() -> None:
    found, _ = gone(known(replace(MEMORY, missing={})), deleted=[ONE])
    assert found == [ONE]


@pytest.mark.parametrize(
    ("listing", "why"),
    [
        (FINE._replace(problem="403: may not list clusters"), "403: may not list clusters"),
        (FINE._replace(problem="the list broke off"), "the list broke off"),
        (FINE._replace(crd=""), "the CRD is not established, or may not be read"),
        (FINE._replace(crd="crd-2"), "the CRD is another one than before"),
        (FINE._replace(version="89"), "the cluster showed an older state (resourceVersion 89, 90"),
        (FINE._replace(version=""), "resourceVersion '' cannot be compared"),
        (FINE._replace(version="7x"), "resourceVersion '7x' cannot be compared"),
    ],
)
def test_what_is_in_doubt_never_says_gone(listing: Listing, why: str) -> None:
    found, going = gone(known(), listing, deleted=[ONE])
    assert found == []
    assert going.memory().missing == ({} if "older" in why else MEMORY.missing)
    (note,) = going.notes
    assert note.startswith(f"1 of 20 {KIND} are missing, and not taken for gone: {why}")


def test_a_doubt_where_nothing_is_missing_is_not_told() -> None:
    _, going = gone(known(), FINE._replace(problem="403"), missing=())
    assert not going.notes


def test_a_crd_that_nobody_knew_is_remembered_first() -> None:
    found, going = gone(known(IntakeMemory()), deleted=[ONE])
    assert found == []
    assert going.memory().crds == {KIND: "crd-1"}
    assert going.memory().missing == {}


def test_another_crd_is_known_when_all_objects_are_back() -> None:
    other = FINE._replace(crd="crd-2")
    _, still = gone(known(), other)
    assert still.memory().crds == {KIND: "crd-1"}
    _, back = gone(known(), other, missing=())
    assert back.memory().crds == {KIND: "crd-2"}
    found, accepted = gone(known(is_re_enrolled=True), other)
    assert found == [ONE]
    assert accepted.memory().crds == {KIND: "crd-2"}


def test_an_older_state_stays_in_doubt_when_its_number_has_caught_up() -> None:
    older = gone(known(), FINE._replace(version="89"), missing=())[1].memory()
    assert older.older == "89 90"
    memory = replace(older, missing=MEMORY.missing)
    for version in ("90", "100", "100000"):
        found, going = gone(known(memory), FINE._replace(version=version), deleted=[ONE])
        assert found == []
        assert "an older state (resourceVersion 89, 90 before), as from a backup" in going.notes[0]
        assert going.notes[0].endswith(": if that is meant, --re-enrol management")
        memory = going.memory()
        assert memory.older == "89 90"


def test_a_part_of_a_list_tells_of_an_older_state_too() -> None:
    part = FINE._replace(version="89", problem="the list broke off")
    assert gone(known(), part, missing=())[1].memory().older == "89 90"


def test_an_older_state_that_is_meant_counts_from_then_on() -> None:
    once, going = gone(known(replace(MEMORY, older="89 90"), is_re_enrolled=True), OLD)
    assert once == []
    memory = going.memory()
    assert (memory.older, memory.accepted) == ("", "uid-1 90 85")
    assert memory.missing == {ONE: NOW}
    found, going = gone(known(memory), OLD, at=NOW + LEAST)
    assert found == [ONE]
    assert going.memory().accepted == "uid-1 90 85"
    assert going.trailer() == "uid-1 85"


def test_a_second_backup_is_not_the_one_that_was_meant() -> None:
    memory = replace(MEMORY, accepted="uid-1 90 85")
    found, going = gone(known(memory), FINE._replace(version="84"))
    assert found == []
    assert going.memory().older == "84 85"


def test_what_was_meant_is_forgotten_with_the_next_commit() -> None:
    memory = replace(MEMORY, accepted="uid-1 70 65")
    assert gone(known(memory))[1].memory().accepted == ""
    assert gone(known(memory), OLD)[0] == []
    assert gone(known(MEMORY, "", is_re_enrolled=True))[1].memory().accepted == ""


def test_what_is_remembered_of_another_cluster_is_not_believed() -> None:
    found, going = gone(known(is_re_enrolled=True), uid="uid-2")
    assert found == []
    assert going.memory().missing == {ONE: NOW}
    assert going.trailer() == "uid-2 100"


def test_the_trailer_names_the_newest_state_of_complete_lists() -> None:
    assert gone(known())[1].trailer() == "uid-1 100"
    assert gone(known(), FINE._replace(version="50"))[1].trailer() == "uid-1 90"
    assert gone(known(), FINE._replace(version="500", problem="x"))[1].trailer() == "uid-1 90"
    assert gone(known(named=""))[1].trailer() == "uid-1 100"
    again = gone(known(is_re_enrolled=True), FINE._replace(version="50"))[1]
    assert again.trailer() == "uid-1 50"


def many(count: int, **more: Any) -> tuple[list[Any], Going]:
    missing = COPIES[:count]
    memory = replace(MEMORY, missing=dict.fromkeys(missing, NOW - LEAST), **more.pop("memory", {}))
    return gone(known(memory, **more), missing=missing)


def test_thirty_percent_go_and_more_are_held() -> None:
    assert many(6)[0] == COPIES[:6]
    found, going = many(7)
    assert found == []
    assert going.memory().missing == dict.fromkeys(COPIES[:7], NOW - LEAST)
    assert going.held == [
        f"7 of 20 {KIND} are gone from the management cluster at once; their copies stay: if that"
        " is meant, --allow-release 7"
    ]


def test_all_of_a_kind_are_held() -> None:
    memory = replace(MEMORY, missing=dict.fromkeys(COPIES[:2], NOW - LEAST))
    found, going = gone(known(memory), missing=COPIES[:2], copies=COPIES[:2])
    assert found == []
    assert going.held


def test_the_only_one_of_a_kind_goes() -> None:
    assert gone(known(), copies=[ONE])[0] == [ONE]


def test_few_are_not_measured_in_percent() -> None:
    memory = replace(MEMORY, missing=dict.fromkeys(COPIES[:5], NOW - LEAST))
    assert len(gone(known(memory), missing=COPIES[:5], copies=COPIES[:9])[0]) == 5


def test_a_person_names_the_number_that_goes() -> None:
    assert len(many(7, allowed=7)[0]) == 7
    assert many(7, allowed=6)[0] == []


def test_what_went_of_late_counts_as_gone_at_once() -> None:
    late = {"went": {KIND: ((NOW - LEAST + 1, 4), (NOW - LEAST, 90))}}
    found, going = many(4, memory=late)
    assert found == []
    assert "8 of 24" in going.held[0]
    found, going = many(3, memory=late)
    assert len(found) == 3
    assert going.memory().went == {KIND: ((NOW - LEAST + 1, 4),), f"{KIND}/default": ((NOW, 3),)}


def shares(**namespaces: tuple[int, int]) -> tuple[list[Any], list[Any]]:
    """Copies of each namespace, and those of them that are gone: how many of how many."""
    every: list[Any] = []
    gone: list[Any] = []
    for namespace, (going, count) in namespaces.items():
        names = [("cluster.x-k8s.io", "Cluster", namespace, f"c{at:02}") for at in range(count)]
        every += names
        gone += names[:going]
    return every, gone


def went(found: tuple[list[Any], list[Any]], **more: Any) -> tuple[set[str], list[str]]:
    """The namespaces whose copies go, and what is held."""
    copies, missing = found
    memory = replace(MEMORY, missing=dict.fromkeys(missing, 0), **more.pop("memory", {}))
    going = Going(known(memory, **more), NOW, "uid-1")
    return {it[2] for it in going.of(FINE, copies, missing, [])}, going.held


def test_one_namespace_that_loses_much_is_held_alone() -> None:
    names, held = went(shares(evil=(12, 12), team=(1, 19), other=(1, 1)))
    assert names == {"team", "other"}
    assert held == [
        f"12 of 12 {KIND} of namespace evil are gone from the management cluster at once; their"
        " copies stay: if that is meant, --allow-release 12"
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
    late = {"went": {f"{KIND}/evil": ((NOW - 60, 9),)}}
    names, held = went(shares(evil=(2, 3), team=(1, 20)), memory=late)
    assert names == {"team"}
    assert held[0].startswith(f"11 of 12 {KIND} of namespace evil are gone")
    assert went(shares(evil=(0, 3), team=(1, 20)), memory=late) == ({"team"}, [])
    assert went(shares(evil=(0, 0), team=(1, 20)), memory=late) == ({"team"}, [])


def test_a_pool_stays_while_a_record_holds_something_of_it() -> None:
    pools: Any = [("ipam.cluster.x-k8s.io", "GlobalInClusterIPPool", "", name) for name in "abcd"]
    memory = replace(MEMORY, missing=dict.fromkeys(pools[:2], 0))
    going = Going(known(memory, used=[pools[1]]), NOW, "uid-1")
    assert going.of(FINE, pools, pools[:2], [pools[1]]) == [pools[0]]
    assert going.memory().missing == {pools[1]: 0}
    assert going.held == [
        "GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/b: gone from the management cluster, but"
        " records hold addresses of it, so the copy stays until none does; or make the pool anew"
    ]


def test_what_has_no_namespace_is_one_share() -> None:
    names, held = went(shares(**{"": (7, 20)}))
    assert names == set()
    assert held[0].startswith(f"7 of 20 {KIND} are gone")


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
