"""The outlook of pools for people and as JSON."""

from reconciler.history.queries import Level, Outlook, Past, Rate
from reconciler.model.key import Key
from reconciler.report.text.pools import forecast_text
from reconciler.report.text.table import Painter
from tests.world import CLOCK

PLAIN = Painter(is_on=False)
KEY = Key("butler", "butler-system", "edge", "", "NetworkPool")
LEVELS = (Level("warning", 180), Level("full", 256))
MONTH = Rate(30, 8, (92.1, 0.0))
FOUND = Outlook(KEY, 256, 8, LEVELS, (MONTH, Rate(90, None, ())), (8, 4), 29)
PAST = Past(CLOCK, CLOCK - 45 * 86_400, ())


def test_each_span_is_a_row_and_what_cannot_be_told_is_said() -> None:
    assert forecast_text(PAST, [FOUND], PLAIN) == (
        "As of 2026-02-15T10:00:30Z, looking back 45 days.\n"
        "POOL   USED%   SPAN      CHANGE                        WARNING      GATE      FULL\n"
        "edge     3.1   30 days   +8                            92.1 weeks   no gate   reached\n"
        "edge     3.1   90 days   not enough history: 45 days\n"
        "edge: 29 more tenants of the median shape (8 + 4) fit\n"
        "Idle headroom unknown: the repository does not show how many addresses Services use."
        " To include it, pass --apply-result FILE.\n"
    )
    assert forecast_text(PAST, [], PLAIN) == "No pools found.\n"


def test_how_a_pool_filled_is_a_line_of_signs() -> None:
    trend = (None,) * 13 + (0, 128, 256)
    line = "edge: last 90 days ·············▁▄█ 0.0% → 100.0%\n"
    assert line in forecast_text(PAST, [FOUND._replace(trend=trend)], PLAIN)
    assert "last 90 days" not in forecast_text(PAST, [FOUND._replace(trend=(None, 8))], PLAIN)
