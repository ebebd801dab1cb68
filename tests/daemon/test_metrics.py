"""The registry shows current values, and removes values of deleted subjects."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from reconciler.daemon.metrics import textfile
from reconciler.model.metric import Metric, MetricKind, Sample
from tests.meters import Shown

GAUGE = Metric("pond_frogs", MetricKind.GAUGE, "Frogs", ("pond",))
COUNTER = Metric("pond_leaps_total", MetricKind.COUNTER, "Leaps", ("pond", "frog"))
PLAIN = Metric("pond_days_total", MetricKind.COUNTER, "Days")
HISTOGRAM = Metric(
    "pond_leap_seconds", MetricKind.HISTOGRAM, "Time of a leap", ("pond",), (1.0, 2.0)
)
ALL = (GAUGE, COUNTER, PLAIN, HISTOGRAM)


def test_gauges_of_a_part_that_are_not_told_again_are_gone() -> None:
    shown = Shown(ALL)
    shown.registry.show("a", [Sample(GAUGE, ("north",), 3), Sample(GAUGE, ("south",), 4)])
    shown.registry.show("b", [Sample(GAUGE, ("west",), 5)])
    shown.registry.show("a", [Sample(GAUGE, ("north",), 2)])
    assert shown.of("pond_frogs") == {("north",): 2.0, ("west",): 5.0}


def test_a_part_may_be_asked_whenever_it_is_read() -> None:
    shown, frogs = Shown(ALL), [7.0]
    shown.registry.ask("a", lambda: [Sample(GAUGE, ("north",), frogs[0])])
    assert shown.value("pond_frogs", pond="north") == 7
    frogs[0] = 8
    assert shown.value("pond_frogs", pond="north") == 8


def test_series_of_who_is_gone_are_forgotten_and_no_others() -> None:
    shown = Shown(ALL)
    labels = [("north", "ann"), ("north", "bob"), ("south", "ann")]
    shown.registry.move(Sample(COUNTER, item, 1) for item in labels)
    shown.registry.forget(COUNTER, "north")
    assert shown.of("pond_leaps_total") == {("ann", "south"): 1.0}
    shown.registry.forget(COUNTER, "nowhere")


@pytest.mark.parametrize("name", ['"quoted"', "back\\slash", "line\nbreak", 'a"} 1\nfake 2', "ø"])
def test_a_hostile_name_stays_the_value_of_its_label(name: str) -> None:
    shown = Shown(ALL)
    shown.registry.show("a", [Sample(GAUGE, (name,), 1)])
    assert shown.of("pond_frogs") == {(name,): 1.0}
    assert shown.value("fake") is None


def test_no_series_is_there_beside_those_of_the_catalogue_and_of_the_process() -> None:
    shown = Shown(ALL)
    shown.registry.move([Sample(COUNTER, ("north", "ann"), 1)])
    names = {name for name, _ in shown.all() if not name.startswith("process_")}
    assert names == {"pond_days_total", "pond_leaps_total"}


def test_a_textfile_holds_gauges_alone() -> None:
    text = textfile(ALL, {"a": [Sample(GAUGE, ("north",), 3)]}).decode()
    names = [family.name for family in text_string_to_metric_families(text)]
    assert names == ["pond_frogs"]
    assert 'pond_frogs{pond="north"} 3.0' in text
