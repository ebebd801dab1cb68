"""A quarter of a pool's growth goes in ten minutes, and what is remembered of it."""

import pytest

from reconciler.clusters.elastic.model import Entry
from reconciler.clusters.elastic.shrinking import (
    WINDOW,
    Going,
    Gone,
    noted,
    read_gone,
    read_idle,
    recent,
    shrunk,
    write_gone,
    write_idle,
)
from tests.world import CLOCK

ALL = [Going("a", Entry(at, 1), "edge") for at in range(12, 0, -1)]


@pytest.mark.parametrize(("growth", "goes"), [(12, 3), (8, 2), (7, 1), (3, 1), (1, 1)])
def test_a_quarter_of_the_growth_of_a_pool_goes_and_one_record_at_least(
    growth: int, goes: int
) -> None:
    assert shrunk(ALL, {"edge": growth}, [], CLOCK) == ALL[:goes]


def test_what_went_in_the_last_ten_minutes_counts() -> None:
    def left(age: int, count: int) -> int:
        return len(shrunk(ALL, {"edge": 12}, [Gone("edge", CLOCK - age, count)], CLOCK))

    assert [left(0, 3), left(WINDOW - 1, 3), left(WINDOW, 3)] == [0, 0, 3]
    assert left(0, 4) == 0
    assert left(0, 1) == 2


def test_each_pool_has_a_quarter_of_its_own() -> None:
    other = Going("b", Entry(1, 1), "core")
    assert shrunk([*ALL, other], {"edge": 4, "core": 1}, [], CLOCK) == [ALL[0], other]


def test_an_entry_that_holds_nothing_goes_at_once() -> None:
    empty = Going("a", Entry(1, 1), "")
    assert shrunk([ALL[0], ALL[1], empty], {"edge": 1}, [], CLOCK) == [ALL[0], empty]


def test_a_clock_that_was_set_back_forgets_nothing() -> None:
    later = Gone("edge", CLOCK + 9_999, 3)
    assert shrunk(ALL, {"edge": 12}, [later], CLOCK) == []
    assert recent([later], CLOCK) == [Gone("edge", CLOCK, 3)]


def test_what_goes_is_noted_by_pool_with_what_went_lately() -> None:
    old, new = Gone("edge", CLOCK - WINDOW, 9), Gone("edge", CLOCK - 1, 1)
    going = [ALL[0], ALL[1], Going("b", Entry(1, 1), "core"), Going("b", Entry(2, 1), "")]
    assert noted([old, new], going, CLOCK) == [
        new,
        Gone("core", CLOCK, 1),
        Gone("edge", CLOCK, 2),
    ]


def test_notes_are_read_as_they_were_written_and_what_is_odd_is_left_out() -> None:
    gone = [Gone("butler/NetworkPool/butler-system/edge", CLOCK, 3)]
    assert read_gone(write_gone(gone)) == gone
    assert read_gone("x\nx y 1\nx 1 y\nx 1\n") == []
    idle = {"1@a000008": CLOCK, "4@-": 5}
    assert read_idle(write_idle(idle)) == idle
    assert read_idle(f"x\nx y\nx -1\nx {'9' * 16}\n") == {}
    assert len(read_idle("".join(f"{at}@x 1\n" for at in range(9_999)))) == 2_000
