"""Due instants of a tree, computed without a clock."""

import pytest

from reconciler.model.plan import State
from reconciler.planning.limits import clock_behind
from reconciler.planning.retention import due_instants, latest_due
from tests.planning.outcome import without
from tests.world import CLOCK, SMALL, evaluation_of, reconciled, tenant

HOUR, DAY = 3_600, 86_400
BOTH = {**SMALL, "tenants/two.yaml": tenant("two")}


def released() -> dict[str, str | bytes]:
    """One's range was released at `CLOCK`, and two's an hour later."""
    first = reconciled(without(reconciled(BOTH), "tenants/one.yaml"))
    return reconciled(without(first, "tenants/two.yaml"), CLOCK + HOUR)


def state(files: dict[str, str | bytes] | None = None) -> State:
    return evaluation_of(released() if files is None else files).state


def test_each_released_record_falls_due_when_its_retention_ends() -> None:
    assert sorted(due_instants(state())) == [CLOCK + DAY, CLOCK + DAY + HOUR]
    assert list(due_instants(state(reconciled(BOTH)))) == []


def test_what_a_plan_will_have_released_falls_due_too() -> None:
    before, after = state(reconciled(BOTH)), state()
    assert sorted(due_instants(before, after.records)) == [CLOCK + DAY, CLOCK + DAY + HOUR]


@pytest.mark.parametrize(
    ("after", "until", "found"),
    [
        (CLOCK, CLOCK + DAY - 1, None),
        (CLOCK, CLOCK + DAY, CLOCK + DAY),
        (CLOCK, CLOCK + 9 * DAY, CLOCK + DAY + HOUR),
        (CLOCK + DAY, CLOCK + DAY + 60, None),
        (CLOCK + DAY, CLOCK + 9 * DAY, CLOCK + DAY + HOUR),
        (CLOCK + 2 * DAY, CLOCK + 9 * DAY, None),
    ],
)
def test_the_latest_that_has_come_counts(after: int, until: int, found: int | None) -> None:
    assert latest_due(state(), after, until) == found


@pytest.mark.parametrize(("behind", "told"), [(-DAY, False), (60, False), (61, True)])
def test_a_clock_that_is_over_a_minute_behind_is_told(behind: int, *, told: bool) -> None:
    found = [item.code for item in clock_behind(CLOCK, CLOCK - behind)]
    assert found == (["clock-behind"] if told else [])
