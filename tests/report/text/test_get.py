import pytest

from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.model.instant import age
from reconciler.report.listing.choosing import Wish, choose
from reconciler.report.listing.items import items, listings
from reconciler.report.text.get import allocations_text, listing_text
from reconciler.report.text.table import Painter
from tests.engine.outcome import Files
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant

PLAIN = Painter(is_on=False)
ALL: frozenset[str] = frozenset()
FILES = reconciled(
    {
        **SMALL,
        "pools/second.yaml": pool("second", "10.41.0.0/24"),
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}", teamRef="{name: red}"),
    }
)


def text_of(what: str, found: Evaluation, names: frozenset[str] = ALL, *, wide: bool) -> str:
    listing = listings()[what]
    assert listing is not None
    chosen = choose(items(found, listing), Wish(tuple(sorted(names)))).items
    return listing_text(listing, chosen, PLAIN, wide=wide)


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_pools_have_the_columns_of_kubectl() -> None:
    assert rows(text_of("pools", evaluation_of(FILES), wide=False)) == [
        ["NAME", "CIDR", "AVAILABLE", "ALLOCATED", "TOTAL"],
        ["edge", "10.40.0.0/24", "248", "8", "256"],
        ["second", "10.41.0.0/24", "256", "0", "256"],
    ]


def test_wide_pools_tell_how_full_they_are() -> None:
    found = rows(text_of("pools", evaluation_of(FILES), frozenset({"edge"}), wide=True))
    assert found == [
        ["NAME", "CIDR", "AVAILABLE", "ALLOCATED", "TOTAL",
         "NAMESPACE", "LARGEST", "FRAG", "USED", "TIER"],
        ["edge", "10.40.0.0/24", "248", "8", "256",
         "butler-system", "248", "0%", "3.1%", "ok"],
    ]  # fmt: skip


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


def test_wide_allocations_tell_team_and_record() -> None:
    assert listed(FILES, wide=True)[1][8:] == [
        "team-a",
        "team-a",
        "8",
        "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"), (119, "119s"), (120, "2m"), (7_199, "119m"), (7_200, "2h"), (86_399, "23h"),
        (86_400, "1d"), (172_800, "2d"), (-5, "0s"),
    ],
)  # fmt: skip
def test_age_is_written_as_kubectl_does(seconds: int, text: str) -> None:
    assert age("2026-02-15T10:00:30Z", CLOCK + seconds) == text


def test_tenants_are_listed_with_what_they_hold() -> None:
    assert rows(text_of("tenants", evaluation_of(FILES), wide=False)) == [
        ["NAMESPACE", "NAME", "TEAM", "NODES", "LOADBALANCER"],
        ["team-a", "one", "team-a", "-", "10.40.0.0-10.40.0.7"],
        ["team-a", "two", "red", "-", "-"],
    ]


def test_pools_of_all_families_are_named_first_then_records() -> None:
    pools = [family.objects.listings[0].name for family in families()]
    assert [*listings()][: len(pools) + 1] == [*pools, "allocations"]
