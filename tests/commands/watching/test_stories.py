"""What people do in clusters while a daemon runs, from the event to the commit."""

from typing import Any

from reconciler.commands.watching.events import Cause
from tests.commands.looking.country import ONE, elastic
from tests.commands.watching.country import Country
from tests.world import CLOCK

SERVICES = f"{ONE} services"
GROWTH = "observed/Demand.gitops-ipam.dev/team-a/one.yaml"


def service(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"type": "LoadBalancer"},
    }


def test_a_service_counts_a_second_after_it_was_seen_though_the_server_s_clock_stands_still() -> (
    None
):
    here = Country(elastic("one"))
    here.time.now = 500.4
    here.start()
    ends: list[float] = []

    def ask() -> None:
        for name in "abc":  # two addresses are there
            here.clusters.hand(ONE).put(service(name))

    def wait() -> None:
        assert here.witness.waited() != {}
        ends.extend(here.rounds(3, until=30))

    here.hear(SERVICES, ask, wait)
    assert here.clusters.clock == CLOCK + 60
    first, second = ends[:2]
    assert first < 0.1, "the Services are seen at once"
    assert 1.0 <= second < 1.1, "and count as soon as pendingAfter is over"
    assert [done.causes for done in here.told[1:3]] == [(Cause.SERVICES,)] * 2
    assert [done.rounds[-1].done.commit is not None for done in here.told[1:3]] == [False, True]
    assert GROWTH in here.branch.files()
    assert here.told[2].applied


def test_a_service_that_gets_its_address_within_the_second_begins_no_commit() -> None:
    here = Country(elastic("one"))
    here.start()

    def ask() -> None:
        for name in "abc":
            here.clusters.hand(ONE).put(service(name))

    def give() -> None:
        here.rounds(1)
        balancer = {"ingress": [{"ip": "10.0.0.9"}]}
        here.clusters.hand(ONE).put({**service("c"), "status": {"loadBalancer": balancer}})

    def wait() -> None:
        assert len(here.witness.waited()[ONE]) == 2
        here.rounds(3, until=30)

    here.hear(SERVICES, ask, give, wait)
    assert GROWTH not in here.branch.files()
