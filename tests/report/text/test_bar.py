"""The bar of a pool: allocated, held, free."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.model.plan import Usage
from reconciler.model.pool import Tier
from reconciler.report.text.pools import CELLS, bar_parts


def usage(total: int, allocated: int, held: int) -> Usage:
    return Usage(total, allocated, held, total - allocated - held, 0, 0, 0, 0.0, Tier.OK)


@given(st.integers(1, 1 << 128), st.data())
def test_it_has_ten_cells_and_one_at_least_for_each_that_is_not_nothing(
    total: int, data: st.DataObject
) -> None:
    allocated = data.draw(st.integers(0, total))
    held = data.draw(st.integers(0, total - allocated))
    bar = "".join(bar_parts(usage(total, allocated, held), CELLS))
    counts = [bar.count(sign) for sign in "▓▒░"]
    assert (len(bar), sum(counts)) == (CELLS, CELLS)
    assert [number > 0 for number in (allocated, held, total - allocated - held)] == [
        count > 0 for count in counts
    ]
