from reconciler.model.pool import Placement
from reconciler.planning.space import FreeRuns

BEST, LOWEST = Placement.BEST_FIT, Placement.LOWEST


def test_best_fit_takes_the_smallest_run_and_the_lowest_of_equals() -> None:
    runs = FreeRuns([(0, 9), (20, 22), (30, 32)], BEST)
    assert [runs.allocate(3), runs.allocate(3), runs.allocate(3)] == [20, 30, 0]


def test_lowest_takes_the_first_run_that_fits() -> None:
    runs = FreeRuns([(20, 22), (0, 1), (30, 39)], LOWEST)
    assert [runs.allocate(3), runs.allocate(3), runs.allocate(2)] == [20, 30, 0]


def test_what_is_left_of_a_run_stays_free() -> None:
    runs = FreeRuns([(0, 9)], BEST)
    assert [runs.allocate(4), runs.allocate(4), runs.allocate(2), runs.allocate(1)] == [
        0, 4, 8, None,
    ]  # fmt: skip


def test_a_size_that_no_run_has_gets_nothing() -> None:
    assert FreeRuns([(0, 3), (8, 11)], BEST).allocate(5) is None
    assert FreeRuns([(0, 3), (8, 11)], LOWEST).allocate(5) is None
    assert FreeRuns([], BEST).allocate(1) is None


def test_taking_cuts_runs_at_both_ends_and_in_the_middle() -> None:
    runs = FreeRuns([(0, 9), (20, 29)], LOWEST)
    runs.take(8, 21)
    runs.take(4, 5)
    assert [runs.allocate(4), runs.allocate(2), runs.allocate(8)] == [0, 6, 22]


def test_taking_what_is_not_free_changes_nothing() -> None:
    runs = FreeRuns([(0, 3)], BEST)
    runs.take(4, 9)
    assert runs.allocate(4) == 0


def test_giving_back_joins_the_runs_at_both_ends() -> None:
    runs = FreeRuns([(0, 3), (8, 11)], BEST)
    runs.give(4, 7)
    assert runs.allocate(12) == 0
    runs.give(5, 6)
    assert (runs.allocate(3), runs.allocate(2)) == (None, 5)


def test_an_ipv6_subnet_costs_no_more_than_a_small_pool() -> None:
    runs = FreeRuns([(0x20010DB8 << 96, (0x20010DB9 << 96) - 1)], BEST)
    assert runs.allocate(1 << 64) == 0x20010DB8 << 96
    assert runs.allocate(1) == (0x20010DB8 << 96) + (1 << 64)
