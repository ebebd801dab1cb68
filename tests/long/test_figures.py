"""What the judges of long runs say of figures that are known, and what fails by lot."""

from random import Random

import pytest

from tests.long.figures import Held, grown, leaks, slope
from tests.long.flaky import KINDS, Flaky


def hour(grows: float, threads: float = 26.0) -> list[Held]:
    """An hour whose memory grows by so many KiB a minute, in its second half alone."""
    return [
        Held(minute, 80_000 + grows * max(0, minute - 30), threads + minute % 2, 20.0, 0.0, 9.0)
        for minute in range(61)
    ]


def test_a_slope_is_the_median_of_all_pairs() -> None:
    assert slope([(0, 27), (1, 27), (2, 35), (3, 27), (4, 27)]) == 0.0
    assert slope([(0, 1), (1, 3), (2, 5)]) == pytest.approx(2.0)
    assert slope([(0, 1), (1, 4), (2, 1)]) == pytest.approx(0.0)
    assert (slope([]), slope([(1, 1), (1, 2)])) == (0.0, 0.0)


def test_what_grows_in_the_second_half_is_told_and_what_only_moves_is_not() -> None:
    assert leaks(hour(0)) == []
    busy = [it._replace(descriptors=20 + 9 * (it.minute % 3)) for it in hour(0)]
    assert leaks(busy[:-1]) == []  # what a round opens for a moment is no leak
    (told,) = leaks(hour(100))
    assert told.startswith("rss: +6000.0")
    assert grown(hour(100))["rss"] == pytest.approx(6_000)


def test_of_many_requests_a_share_fails_in_every_way_that_there_is_the_same_for_a_seed() -> None:
    one, two = (Flaky((), lot=Random(1)) for _ in "ab")
    drawn = [one.fault("GET /x") for _ in range(5_000)]
    assert [two.fault("GET /y") for _ in range(5_000)] == drawn
    failed = [it for it in drawn if it is not None]
    assert 30 <= len(failed) <= 70
    assert one.drawn["none"] == 5_000 - len(failed)
    assert set(one.drawn) == {*KINDS, "none"}
