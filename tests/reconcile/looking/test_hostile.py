"""A tenant's cluster that lies costs its own quota at most, and others are served."""

from typing import Any

import pytest

from reconciler.model.errors import ClusterError
from reconciler.model.instant import format_instant
from reconciler.model.objects import CONFIG_MAP, SERVICE, Ref
from tests.reconcile.looking.country import ONE, TWO, Country, country
from tests.world import CLOCK

YEAR = 365 * 24 * 3_600


@pytest.fixture
def here() -> Country:
    """Two tenants of which both need something."""
    found = country("one", "two", cidr="10.0.0.0/24")
    found.ask("c", ONE)
    found.ask("c", TWO)
    return found


def is_served(here: Country) -> bool:
    return bool(here.services(TWO)["c"])


def test_ten_thousand_services_cost_the_cap_of_growth(here: Country) -> None:
    for at in range(10_000):
        here.ask(f"many-{at:05d}", ONE)
    looked = here.run()
    assert sum(count for _, count in here.demand("one") or ()) == 64
    assert looked.figures[ONE].blocked == 10_001 - 64
    assert is_served(here)
    assert here.settle() == 0


def test_a_list_without_an_end_is_the_failure_of_its_cluster_alone(here: Country) -> None:
    here.clusters.faults[ONE] = lambda verb, what: (
        ClusterError("list Service: the list has more than 50000 objects")
        if (verb, what) == ("list", SERVICE)
        else None
    )
    looked = here.run()
    assert (here.demand("one"), list(looked.unasked)) == (None, [ONE])
    assert is_served(here)


@pytest.mark.parametrize("years", [-50, -1, 1, 50])
def test_a_clock_that_is_years_off_grows_nobody_beyond_the_quota(here: Country, years: int) -> None:
    true, opener = here.clusters.clock, here.clusters.opener

    def odd(cluster: str) -> Any:
        made = opener(cluster)
        made.clock = CLOCK + years * YEAR if cluster == ONE else made.clock
        return made

    here.clusters.opener = odd  # type: ignore[method-assign]
    for at in range(100):
        here.ask(f"many-{at:03d}", ONE)
    looked = here.run()
    assert sum(count for _, count in here.demand("one") or ()) in (0, 64)
    assert looked.at == here.now >= true
    assert is_served(here)


def test_who_asks_and_gives_back_in_turn_never_holds_more(here: Country) -> None:
    here.files["ipam.yaml"] = str(here.files["ipam.yaml"]).replace(
        "{retention: 0s}", "{retention: 24h, elastic: {retention: 24h, maxGrowth: 4}}"
    )
    for turn in range(4):
        for at in range(4):
            here.ask(f"t{turn}-{at}", ONE)
        here.run()
        for at in range(4):
            here.leave(f"t{turn}-{at}", ONE)
        here.run()
        here.now += 600
        here.settle()
    held = [
        record.size
        for record in here.evaluation().state.records
        if record.claim.name == "one" and record.role == "growth"
    ]
    assert sum(held) <= 4


def test_what_a_tenant_writes_into_its_notes_frees_nothing_of_others(here: Country) -> None:
    here.run()
    home = Ref(CONFIG_MAP, "metallb-system", "gitops-ipam-inventory")
    live = here.clusters.objects[ONE][home]
    for text in ("1@a000004 1\n" * 5_000, "\x00", format_instant(1), "1@a000004 99999999999999999"):
        live["data"]["idle"] = text
        here.now += 6_000
        here.run()
        assert is_served(here)
        assert (here.demand("one"), here.demand("two")) == ([(1, 1)], [(1, 1)])
