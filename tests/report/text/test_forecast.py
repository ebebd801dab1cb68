"""The outlook of pools for people and as JSON."""

from reconciler.asking.idle import Headroom, Idle
from reconciler.asking.outlook import MOST_TENANTS, Level, Outlook, Past, Rate
from reconciler.model.key import Key
from reconciler.report.outlook import outlook_document
from reconciler.report.text.forecast import forecast_text
from reconciler.report.text.table import Painter
from tests.world import CLOCK

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
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
        "Idle headroom is not told: nothing in the repository says how many addresses Services use."
        " --apply-result FILE does.\n"
    )
    assert forecast_text(PAST, [], PLAIN) == "No pools found.\n"


def test_how_a_pool_filled_is_a_line_of_signs() -> None:
    trend = (None,) * 13 + (0, 128, 256)
    line = "edge: last 90 days ·············▁▄█ 0.0% → 100.0%\n"
    assert line in forecast_text(PAST, [FOUND._replace(trend=trend)], PLAIN)
    text = forecast_text(PAST, [FOUND._replace(trend=trend)], PLAIN, plain=True)
    assert "last 90 days .............049" in text
    assert "last 90 days" not in forecast_text(PAST, [FOUND._replace(trend=(None, 8))], PLAIN)


def test_what_never_comes_and_what_comes_soon_are_told_apart() -> None:
    levels = (*LEVELS, Level("gate", 200))
    never = FOUND._replace(levels=levels, rates=(Rate(30, -8, (None, 2.0, 5.0)),))
    text = forecast_text(PAST, [never], COLOURED)
    assert "-8" in text
    assert "\x1b[33m2 weeks\x1b[0m" in text
    assert ["never so" in text, "  5 weeks" in text] == [True, True]


def test_of_very_many_it_is_said_that_there_are_at_least_so_many() -> None:
    text = forecast_text(PAST, [FOUND._replace(fits=MOST_TENANTS)], PLAIN)
    assert "edge: at least 10000 more tenants" in text
    none = forecast_text(PAST, [FOUND._replace(shape=())], PLAIN)
    assert "edge: has no tenants to tell a shape from\n" in none


def test_json_says_the_same() -> None:
    told = outlook_document("a" * 40, PAST, [FOUND])
    assert (told["asOf"], told["historyDays"]) == ("2026-02-15T10:00:30Z", 45)
    (item,) = told["items"]
    assert item["rates"][0]["weeks"] == [
        {"level": "warning", "weeks": 92.1},
        {"level": "full", "weeks": 0.0},
    ]
    assert (item["rates"][1]["enoughHistory"], item["moreFit"]) == (False, False)


def test_without_load_balancer_addresses_nothing_is_idle_and_a_work_tree_has_no_name() -> None:
    none = Idle("a" * 40, "", [])
    assert "Idle headroom: no tenant has load-balancer" in forecast_text(PAST, [FOUND], PLAIN, none)
    some = none._replace(items=[Headroom("team-a/one", 8, 4, 1, "why")])
    text = forecast_text(PAST, [FOUND], PLAIN, some)
    assert (
        "by the apply of aaaaaaaaaaaa, another revision than the work tree, which is read:" in text
    )
    assert "team-a/one           8      1      3   4: why\n" in text
