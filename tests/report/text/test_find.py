"""Text of `find`: rows of free ranges, pools without one, and ranges in retention."""

from reconciler.history.runs import FreeQuery, FreeSpace, ReservedRange, Runs
from reconciler.model.key import Key
from reconciler.report.text.queries import find_text
from reconciler.report.text.table import Painter
from tests.history.pasts import run

PLAIN = Painter(is_on=False)
KEY = Key("butler", "butler-system", "edge", "", "NetworkPool")


NONE = Runs(KEY, 0, (), (), (), None, "")


def describe(*pools: Runs) -> str:
    return find_text(FreeSpace("a" * 40, FreeQuery(8, None), pools), PLAIN)


def test_where_it_does_not_fit_the_largest_runs_stand_and_when_it_will() -> None:
    runs = NONE._replace(
        free=9,
        largest=(run(0, 6), run(9, 10)),
        held=(ReservedRange(run(7, 8), 0), ReservedRange(run(11, 11), None)),
        fits_from=0,
    )
    assert describe(runs) == describe(runs._replace(fits_from=0))
    assert describe(runs._replace(fits_from=86_400)) == (
        "edge: does not fit: 9 free, largest ranges 10.40.0.0-10.40.0.6 (7), 10.40.0.9-10.40.0.10 (2); fits from 1970-01-02T00:00:00Z on\nHELD IN   ADDRESSES             FREE\nedge      10.40.0.7-10.40.0.8   1970-01-01T00:00:00Z\nedge      10.40.0.11            after its record is corrected\n"
    )
    assert describe(NONE) == "edge: does not fit: nothing free\n"
    assert describe() == "No pools found.\n"
