import pytest

from reconciler.model.instant import age
from reconciler.report.listing import items
from reconciler.report.text.queries import allocations_text
from reconciler.report.text.table import Painter
from tests.planning.outcome import Files
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant

PLAIN = Painter(is_on=False)
FILES = reconciled(
    {
        **SMALL,
        "pools/second.yaml": pool("second", "10.41.0.0/24"),
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}", teamRef="{name: red}"),
    }
)


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def listed(files: Files, *, wide: bool) -> list[list[str]]:
    found = items(evaluation_of(files), None)
    return rows(allocations_text(found, CLOCK + 7 * 86_400, PLAIN, wide=wide))


def test_allocations_have_the_columns_of_the_seed() -> None:
    assert listed(FILES, wide=False) == [
        ["NAME", "POOL", "CLUSTER", "TYPE", "PHASE", "START", "END", "AGE"],
        ["team-a-one-lb", "edge", "one", "loadbalancer", "Allocated",
         "10.40.0.0", "10.40.0.7", "7d"],
        ["team-a-two-lb", "edge", "two", "loadbalancer", "Failed", "7d"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (7_199, "119m"), (7_200, "2h"), (86_399, "23h"),
        (86_400, "1d"), (172_800, "2d"), (-5, "0s"),
    ],
)  # fmt: skip
def test_age_is_written_as_kubectl_does(seconds: int, text: str) -> None:
    assert age("2026-02-15T10:00:30Z", CLOCK + seconds) == text
