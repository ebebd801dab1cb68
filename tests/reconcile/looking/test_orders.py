"""No oscillation: without events there are few commits, for each order of earlier events."""

from collections.abc import Callable
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPSet
from tests import world
from tests.examples import scaled
from tests.reconcile.looking.country import Country, elastic
from tests.world import provider

NAMES = ("ant", "bee")
CLUSTERS = tuple(f"team-a/{name}" for name in NAMES)
GROWTH = ("1", "3")
SETTINGS = world.settings("{retention: 0s, elastic: {maxGrowth: 5}}")
Happens = Callable[[Country], object]


def comes(cluster: str, many: int) -> Happens:
    def happens(here: Country) -> None:
        for at in range(many):
            here.ask(f"n{at}", cluster)

    return happens


def goes(cluster: str) -> Happens:
    def happens(here: Country) -> None:
        for name in here.services(cluster):
            here.leave(name, cluster)

    return happens


def commits(increment: str) -> Happens:
    """Somebody pushes another provider."""
    balancer = f"{{allocationMode: elastic, initialPoolSize: 2, growthIncrement: {increment}}}"

    def happens(here: Country) -> None:
        here.files["providers/default.yaml"] = provider("default", loadBalancer=balancer)
        here.number += 1
        here.clock += 1

    return happens


events = st.one_of(
    st.builds(comes, st.sampled_from(CLUSTERS), st.integers(1, 5)),
    st.builds(goes, st.sampled_from(CLUSTERS)),
    st.builds(commits, st.sampled_from(GROWTH)),
    st.just(lambda here: here.serve()),
)


@settings(max_examples=scaled(50))
@given(
    size=st.sampled_from((27, 28)),
    before=st.lists(st.builds(comes, st.sampled_from(CLUSTERS), st.integers(1, 4)), max_size=2),
    happen=st.lists(events, min_size=1, max_size=3),
)
def test_a_world_that_stands_still_is_as_it_shall_be_after_two_commits_in_any_order_of_events(
    size: int, before: list[Happens], happen: list[Happens]
) -> None:
    first = {**elastic(*NAMES, cidr=f"10.0.0.0/{size}"), "ipam.yaml": SETTINGS}
    for order in permutations(happen):
        here = Country(dict(first))
        for event in (*before, Country.run, *order):
            event(here)
        assert here.settle() <= 2
        assert here.settle() == 0
        held = [it.range for it in here.evaluation().state.records if it.range]
        assert sum(it.size for it in held) == IPSet.of(held).size
        here.now += 4_000  # idle addresses can be released now, with one more change
        assert here.settle() <= 3
        assert here.settle() == 0
