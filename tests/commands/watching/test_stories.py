"""What people do in clusters while a daemon runs, from the event to the commit."""

from typing import Any

import pytest

from reconciler.commands.replay import Replayed
from reconciler.commands.watching.events import Cause
from reconciler.commands.watching.observer import Ending
from reconciler.model.resource import Ref
from reconciler.model.verdict import Verdict
from tests.applying.test_intake import COPY, SETTINGS, fill
from tests.commands.looking.country import ONE, elastic
from tests.commands.watching.country import Country
from tests.fake_cluster import HUB
from tests.families.capi.hub import SHOP, shop
from tests.world import CLOCK, SMALL

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
    assert [done.causes for done in here.told[1:3]] == [(Cause.SERVICES,), (Cause.AGAIN,)]
    assert [done.rounds[-1].done.commit is not None for done in here.told[1:3]] == [False, True]
    assert GROWTH in here.branch.files()
    assert here.told[2].applied


def test_a_commit_that_a_round_makes_is_not_planned_once_more_to_be_believed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, replayed = Country(dict(SMALL)), list[str]()

    def noted(_repository: object, commit: str, *_: object, **__: object) -> Replayed:
        replayed.append(commit)
        return Replayed(Verdict.SAME)

    monkeypatch.setattr("reconciler.commands.replay.replay", noted)
    here.start()
    assert here.told[0].rounds[-1].done.commit is not None
    assert here.work.evaluation() is not None
    assert replayed == []


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


@pytest.fixture
def shopping() -> Country:
    """Two Clusters that were made with kubectl have addresses; finalizers are as Cluster API sets them."""
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
    """Somebody deletes Clusters, and Cluster API lets them go."""
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
    assert [done.ending for done in here.told[-2:]] == [Ending.FAILED, Ending.OK]
    assert COPY not in here.branch.files()
    assert phases(here) == ["Released", "Released"]
    assert phases(here, "more") == ["Allocated", "Allocated"]
    assert here.witness.deleted() == ()


def test_one_that_bore_no_mark_of_a_deletion_is_left_to_two_lists(shopping: Country) -> None:
    here = shopping
    hand = here.clusters.hand(HUB)
    hand.merge(SHOP, {"metadata": {"finalizers": None}}, "manager")
    here.hear(CLUSTERS, lambda: quiet(here), lambda: delete(here), lambda: quiet(here))
    assert Cause.INTAKE in here.told[-1].causes
    assert COPY in here.branch.files()
    assert phases(here) == ["Allocated", "Allocated"]


def test_what_is_held_is_known_to_be_gone_until_git_has_no_copy_of_it(shopping: Country) -> None:
    here = shopping
    gone = lambda: delete(here, SHOP, MORE)  # noqa: E731 - a step among others
    here.hear(CLUSTERS, lambda: quiet(here), gone, lambda: quiet(here))
    (gate,) = here.told[-1].rounds[-1].done.evaluation.gates
    assert gate.code == "intake-held"
    assert COPY in here.branch.files()
    assert len(here.witness.deleted()) == 2


def quiet(here: Country) -> None:
    """All rounds that somebody waits for."""
    here.rounds(10, until=30)
