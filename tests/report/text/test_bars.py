"""Pools as bars: parts, thresholds, figures, and earlier usage."""

from hypothesis import given
from hypothesis import strategies as st

from reconciler.history.queries import TREND
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Thresholds, Tier
from reconciler.planning.space import percentage
from reconciler.report.text.pools import CELLS, PoolBar, bar_parts, bars_text, tick
from reconciler.report.text.table import Painter

PLAIN = Painter(is_on=False)
USUAL = Thresholds()


def barred(
    total: int,
    allocated: int,
    held: int = 0,
    *,
    name: str = "edge",
    thresholds: Thresholds = USUAL,
    before: int | None = None,
) -> PoolBar:
    used = allocated + held
    percent = float(percentage(used, total)) if total else 0.0
    tier = thresholds.tier(used, total)
    usage = Usage(total, allocated, held, total - used, 0, 0, 0, percent, tier)
    trend = (*(before for _ in TREND[1:]), used)
    return PoolBar(Key("butler", "", name, "", "NetworkPool"), usage, thresholds, trend)


EXAMPLE = (
    barred(240, 100, 20, name="vlan40-pool", before=0),
    barred(64, 60, thresholds=Thresholds(50, 80, 90), name="vip-pool", before=60),
)


def test_no_line_is_wider_than_the_terminal_whatever_a_pool_is_called() -> None:
    long = barred(1 << 64, (1 << 64) - 1, 1, name="a" * 90, before=1 << 64)
    for width in range(44, 130):
        text = bars_text([long, *EXAMPLE], PLAIN, width)
        assert max(map(len, text.splitlines())) <= width
    assert bars_text([long], PLAIN, 1) == bars_text([long], PLAIN, 44)


def test_hostile_names_are_text() -> None:
    text = bars_text([barred(8, 1, name="\x1b[2J\u202eevil")], PLAIN, 80)
    assert "\x1b" not in text
    assert "\u202e" not in text


@given(st.integers(20, 300), st.integers(1, 1 << 128), st.data())
def test_the_bar_is_over_a_mark_exactly_when_its_threshold_is_reached(
    cells: int, total: int, data: st.DataObject
) -> None:
    allocated = data.draw(st.integers(0, total))
    held = data.draw(st.integers(0, total - allocated))
    usage = Usage(total, allocated, held, total - allocated - held, 0, 0, 0, 0.0, Tier.OK)
    parts = bar_parts(usage, cells, USUAL.levels)
    assert sum(map(len, parts)) == cells
    assert len("".join(bar_parts(usage, CELLS))) == CELLS
    used = allocated + held
    assert [bool(part) for part in parts] == [allocated > 0, held > 0, used < total]
    for level in USUAL.levels:
        is_over = len(parts[0] + parts[1]) > tick(level, cells)
        assert is_over == (100 * used >= level * total)
