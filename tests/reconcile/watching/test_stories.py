"""Changes in clusters while a daemon runs, from the event to the commit."""

from typing import Any

import pytest

from reconciler.daemon.observer import RoundResult
from reconciler.model.instant import format_instant
from reconciler.model.objects import Ref
from tests.apply.execution.test_intake import COPY, SETTINGS, fill
from tests.fake_cluster import HUB
from tests.families.capi.hub import SHOP, shop
from tests.reconcile.looking.country import ONE, elastic
from tests.reconcile.watching.country import Country

SERVICES = f"{ONE} services"
MORE = SHOP._replace(name="more")
CLUSTERS = f"{HUB} clusters.cluster.x-k8s.io"
GROWTH = "observed/Demand.gitops-ipam.dev/team-a/one.yaml"


def service(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"type": "LoadBalancer"},
    }


def test_a_service_grows_its_tenant_when_pending_after_is_over() -> None:
    here = Country(elastic("one"))
    here.time.now = 500.4
    here.start()

    def ask() -> None:
        for name in "abc":  # two addresses are there
            here.clusters.hand(ONE).put(made_now(here, name))

    def wait() -> None:
        here.rounds(1)
        assert [done.rounds[-1].done.commit for done in here.told[1:]] == [None]
        here.clusters.clock += 1
        here.rounds(1, until=30)

    here.hear(SERVICES, ask, wait)
    assert [done.reasons for done in here.told[1:3]] == [("services",), ("growth",)]
    assert here.told[2].rounds[-1].done.commit is not None
    assert GROWTH in here.branch.files()
    assert here.told[2].applied


def made_now(here: Country, name: str) -> dict[str, Any]:
    made = service(name)
    at = format_instant(here.clusters.clock)
    return {**made, "metadata": {**made["metadata"], "creationTimestamp": at}}


def test_a_service_that_gets_its_address_within_the_second_begins_no_commit() -> None:
    here = Country(elastic("one"))
    here.start()

    def ask() -> None:
        for name in "abc":
            here.clusters.hand(ONE).put(made_now(here, name))

    def give() -> None:
        here.rounds(1)
        balancer = {"ingress": [{"ip": "10.0.0.9"}]}
        for name in "abc":
            given = {**made_now(here, name), "status": {"loadBalancer": balancer}}
            here.clusters.hand(ONE).put(given)

    def wait() -> None:
        here.clusters.clock += 1
        here.rounds(3, until=30)

    here.hear(SERVICES, ask, give, wait)
    assert GROWTH not in here.branch.files()


@pytest.fixture
def shopping() -> Country:
    """Two Clusters created with kubectl, with addresses, and with finalizers of Cluster API."""
    here = Country({"ipam.yaml": SETTINGS})
    hand = here.clusters.hand(HUB)
    fill(hand)
    more = shop()
    hand.put({**more, "metadata": {**more["metadata"], "name": "more"}})
    for ref in (SHOP, MORE):
        hand.merge(ref, {"metadata": {"finalizers": ["cluster.cluster.x-k8s.io"]}}, "manager")
    here.start()
    assert phases(here, "shop") == phases(here, "more") == ["Allocated"] * 2
    return here


def phases(here: Country, name: str = "shop") -> list[str]:
    """The phases of the records of a Cluster."""
    files = here.branch.files().items()
    texts = [text.decode() for path, text in files if f"/{name}." in path]
    return [text.partition("phase: ")[2].split()[0] for text in texts if "phase: " in text]


def delete(here: Country, *refs: Ref) -> None:
    """Delete Clusters, and remove their finalizers like Cluster API."""
    hand = here.clusters.hand(HUB)
    for ref in refs or (SHOP,):
        hand.delete(ref, str(hand.objects[ref]["metadata"]["uid"]))
        if ref in hand.objects:
            hand.merge(ref, {"metadata": {"finalizers": None}}, "manager")


def test_a_cluster_that_is_seen_to_go_is_released_in_the_next_round_that_succeeds(
    shopping: Country,
) -> None:
    here = shopping

    def go() -> None:
        here.branch.failing = 1
        delete(here)

    here.hear(CLUSTERS, lambda: quiet(here), go, lambda: quiet(here))
    assert [done.ending for done in here.told[-2:]] == [RoundResult.FAILED, RoundResult.OK]
    assert COPY not in here.branch.files()
    assert phases(here) == ["Released", "Released"]
    assert phases(here, "more") == ["Allocated", "Allocated"]


def test_an_object_without_a_finalizer_is_released_when_its_watch_reports_the_deletion(
    shopping: Country,
) -> None:
    here = shopping
    hand = here.clusters.hand(HUB)
    hand.merge(SHOP, {"metadata": {"finalizers": None}}, "manager")
    here.hear(CLUSTERS, lambda: quiet(here), lambda: delete(here), lambda: quiet(here))
    assert COPY not in here.branch.files()
    assert phases(here) == ["Released", "Released"]


def test_what_is_held_is_known_to_be_gone_until_git_has_no_copy_of_it(shopping: Country) -> None:
    here = shopping
    gone = lambda: delete(here, SHOP, MORE)  # noqa: E731 - a step among others
    here.hear(CLUSTERS, lambda: quiet(here), gone, lambda: quiet(here))
    (gate,) = here.told[-1].rounds[-1].done.evaluation.gates
    assert gate.code == "intake-held"
    assert COPY in here.branch.files()
    assert len(here.watches.deleted) == 2


def quiet(here: Country) -> None:
    """Run all due rounds."""
    here.rounds(10, until=30)
