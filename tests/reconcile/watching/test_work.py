"""Rounds: observed tenants, skipped clusters, and stored state."""

import logging
from itertools import pairwise

import pytest

from reconciler.daemon.dirty import ALL, GIT
from reconciler.daemon.log import RoundLog
from reconciler.daemon.observer import RoundResult
from reconciler.daemon.reach import FORGIVEN, MAX_LIMITED, TIMEOUT, RoundClusters
from reconciler.loadbalancers.metallb.kinds import CONFIGURATION_STATE
from reconciler.model.errors import ClusterError, UnauthorizedError, UnreachableError
from reconciler.model.objects import EVENT, NAMESPACE, Ref
from reconciler.reconcile.reconcile import Round
from tests.apply.execution.test_intake import COPY, SETTINGS, fill
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import FakeClusters
from tests.families.capi.hub import SHOP, shop
from tests.reconcile.looking.country import ELASTIC, ONE, TWO, elastic
from tests.reconcile.watching.country import Country
from tests.reconcile.watching.times import Moved
from tests.reconcile.watching.town import Town
from tests.world import provider

BLOCKED = "IPAMGrowthBlocked"
TIGHT = "{maxLoadBalancerIPs: 2}"
STATE = Ref(CONFIGURATION_STATE, "metallb-system", "controller")
HOME = Ref(NAMESPACE, "", "kube-system")
REFUSED = UnauthorizedError(
    "read Namespace/kube-system: the server does not accept the credentials", "put a new token in"
)


def events(town: Town) -> int:
    there = town.daemon.clusters.objects[HUB].items()
    return sum(ref.resource == EVENT and item["reason"] == BLOCKED for ref, item in there)


def asks(town: Town, *names: str, cluster: str = ONE) -> list[Round]:
    """Create Services, whose watch marks the cluster."""
    for name in names:
        town.tenants.ask(name, cluster)
    return town.round(cluster)


def provided(mode: str = ELASTIC, quota: str = "{maxLoadBalancerIPs: 4}") -> dict[str, str]:
    more = {"loadBalancer": mode, "quotaPerTenant": quota}
    return {"providers/default.yaml": provider("default", "[{name: edge}]", **more)}


def served(town: Town, cluster: str = ONE) -> bool:
    return all(town.tenants.services(cluster).values())


def codes(rounds: list[Round]) -> list[str]:
    return [it.code for it in rounds[-1].done.evaluation.findings]


def silence(town: Town, *names: str) -> None:
    for name in names:
        town.daemon.clusters.faults[name] = lambda _verb, _what: UnreachableError("no answer")
        town.daemon.reached._failed(name, -5000.0, "no answer")


def test_tenants_that_lack_addresses_get_them_with_the_commit_that_raises_the_quota() -> None:
    town = Town(quotaPerTenant=TIGHT)
    asks(town, "c")
    assert not served(town)
    assert town.daemon.work.short == {ONE}
    town.commit(provided())
    town.round(GIT)
    assert served(town)
    assert town.daemon.work.short == set()


def test_addresses_that_one_tenant_releases_go_to_another_that_waits() -> None:
    town = Town("one", "two", cidr="10.0.0.0/30")
    asks(town, "c")
    assert not served(town)
    for name in "ab":
        town.tenants.leave(name, TWO)
    town.commit({"tenants/two.yaml": None})
    town.round(GIT)
    town.round(GIT)
    assert served(town)


def test_only_dirty_clusters_and_tenants_that_a_commit_changes_are_looked_at() -> None:
    town = Town("one", "two")
    asks(town, "c")
    assert served(town)
    assert (town.asked(ONE) > 0, town.asked(TWO)) == (True, 0)
    town.commit({"README.md": "words"})
    town.round(GIT)
    assert (town.asked(ONE), town.asked(TWO)) == (0, 0)
    town.round(TWO)
    assert (town.looks(ONE), town.looks(TWO) > 0) == (0, True)


def test_a_round_that_finds_nothing_to_do_writes_nothing() -> None:
    town = Town("one", "two", quotaPerTenant=TIGHT)
    asks(town, "c")
    town.round(ONE)
    head, before = town.daemon.branch.head, dict(town.daemon.clusters.objects)
    versions = {
        name: {ref: it["metadata"].get("resourceVersion") for ref, it in found.items()}
        for name, found in before.items()
    }
    for names in ((ONE,), (HUB,), (TWO,), (ALL,)):
        town.round(*names)
    assert town.daemon.branch.head == head
    assert versions == {
        name: {ref: it["metadata"].get("resourceVersion") for ref, it in found.items()}
        for name, found in town.daemon.clusters.objects.items()
    }


def test_a_tenant_whose_metallb_is_broken_is_retried_with_growing_pauses() -> None:
    town = Town()
    kind = {"apiVersion": CONFIGURATION_STATE.api_version, "kind": CONFIGURATION_STATE.kind}
    metadata = {"name": STATE.name, "namespace": STATE.namespace}
    status = {"result": "Invalid", "errorSummary": "pools overlap"}
    town.daemon.clusters.hand(ONE).put({**kind, "metadata": metadata, "status": status})
    town.tenants.ask("c", ONE)
    town.daemon.dirty.mark(ONE, "services")
    ends = town.daemon.rounds(12, until=2000)
    pauses = [later - sooner for sooner, later in pairwise(ends)]
    assert max(pauses) == pytest.approx(225.0, abs=1)
    del town.daemon.clusters.objects[ONE][STATE]
    town.daemon.rounds(1, until=700)
    town.tenants.serve()
    assert served(town)


def test_blocked_growth_is_a_warning_once_and_its_end_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    town = Town(quotaPerTenant="{maxLoadBalancerIPs: 2}")
    here, log = town.daemon, RoundLog()
    here.daemon.report = lambda done: log._log_growth(done)
    caplog.set_level(logging.INFO, "reconciler.daemon.log")
    for asks, leaves in (("c", ""), ("", ""), ("d", ""), ("", "cd"), ("", "")):
        for name in asks:
            town.tenants.ask(name, ONE)
        for name in leaves:
            town.tenants.leave(name)
        here.dirty.mark(ONE, "services")
        here.rounds(1)
    claim = "butler/TenantCluster/team-a/one/loadbalancer-1"
    told = [
        (it.levelname, it.__dict__["cluster"], it.__dict__.get("claim")) for it in caplog.records
    ]
    assert told == [("WARNING", ONE, claim), ("WARNING", ONE, claim), ("INFO", ONE, None)]


def test_a_cluster_that_did_not_answer_is_asked_by_no_round() -> None:
    town = Town("one", "two")
    silence(town, ONE)
    town.tenants.ask("c", ONE)
    town.tenants.ask("c", TWO)
    (found, *_) = town.round(ALL)
    assert town.asked(ONE) == 0
    assert all(town.tenants.services(TWO).values())
    assert not any(item.cluster == ONE for item in found.applied or ())


def test_addresses_that_a_silent_cluster_may_announce_are_held_without_asking_it() -> None:
    town = Town("one", "two")
    silence(town, ONE)
    town.commit({"tenants/one.yaml": None})
    for _ in range(3):
        town.pass_by(60)
        found = town.round(GIT)
        assert town.asked(ONE) == 0
    evaluation = found[-1].done.evaluation
    held = [item.message for item in evaluation.findings if item.code == "expiry-held"]
    assert any(f"cannot reach {ONE}" in message for message in held)
    text = b"".join(data for path, data in town.daemon.branch.files().items() if "one" in path)
    assert b"phase: Released" in text


def test_the_daemon_is_not_ready_while_the_management_cluster_does_not_answer() -> None:
    here = Town().daemon
    here.clusters.faults[HUB] = lambda _verb, _what: UnreachableError("connection refused")
    here.dirty.mark(HUB, "down")
    here.rounds(1)
    assert [done.ending for done in here.told[-1:]] == [RoundResult.PARTIAL]
    assert [line.partition(":")[0] for line in here.daemon.health.ready().lines] == ["management"]
    del here.clusters.faults[HUB]
    here.rounds(1)
    assert [done.ending for done in here.told[-1:]] == [RoundResult.OK]
    assert here.daemon.health.ready().is_well


def test_a_missing_object_is_looked_for_after_ten_minutes_whatever_the_resync() -> None:
    here = Country({"ipam.yaml": SETTINGS})
    hand = here.clusters.hand(HUB)
    fill(hand)
    more = shop()
    hand.put({**more, "metadata": {**more["metadata"], "name": "more"}})
    here.start()
    assert COPY in here.branch.files()
    here.rounds(3, until=30)
    here.dirty.resync = 7200.0
    here.dirty.clear()
    hand.delete(SHOP, str(hand.objects[SHOP]["metadata"]["uid"]))
    here.dirty.mark(GIT, "due")  # a round without an apply also stores it
    assert here.rounds(1)
    assert not here.told[-1].applied
    assert COPY in here.branch.files()
    here.clusters.clock += 600
    (ended,) = here.rounds(1, until=3600)
    assert 600 <= ended <= 601
    assert here.told[-1].reasons == ("intake",)
    assert COPY not in here.branch.files()


def hang(here: Country, *names: str) -> None:
    """Have clusters hang on the first request of a round, for as long as it waits."""

    def fault(name: str) -> ClusterError | None:
        here.time.pass_by(here.clusters.last(name).seconds)
        return UnreachableError("read namespace kube-system: the cluster's seconds are over")

    for name in names:
        here.clusters.faults[name] = lambda _verb, what, name=name: (  # type: ignore[misc]
            fault(name) if what == HOME else None
        )


def urge(here: Country, seconds: float) -> list[float]:
    """Mark a cluster continuously for some seconds. Return the duration of each round."""
    end, before = here.time.now + seconds, len(here.told)
    while here.time.now < end:
        for reason in ("up", "services", "drift"):
            here.dirty.mark(ONE, reason)
        here.daemon.turn()
    return [done.seconds for done in here.told[before:]]


def test_a_cluster_that_answers_its_watches_and_hangs_in_rounds_delays_no_other_again_and_again() -> (
    None
):
    here = Country(elastic("one", "two"))
    here.start()
    hang(here, ONE)
    took = urge(here, 590)
    assert max(took) <= TIMEOUT
    assert len([seconds for seconds in took if seconds]) > 1
    assert sum(took) < 60


@pytest.fixture
def time() -> Moved:
    return Moved()


@pytest.fixture
def reached(time: Moved) -> RoundClusters:
    return RoundClusters(FakeClusters(), time.monotonic, lambda: 1.0)


def pause(reached: RoundClusters, time: Moved, name: str = ONE, took: float = 10.0) -> float:
    reached._failed(name, time.now - took, "no answer")
    reached._failed(name, time.now - took, "no answer")  # another connection of the same round
    return reached.held()[name] - time.now


def test_pauses_grow_and_begin_anew_after_a_long_time_without_a_failure(
    time: Moved, reached: RoundClusters
) -> None:
    pauses = []
    for _ in range(5):
        pauses.append(pause(reached, time))
        time.now += pauses[-1] + 1
    assert pauses == [30, 60, 120, 240, 300]
    time.now += FORGIVEN
    assert pause(reached, time) == 30


def test_a_cluster_that_did_not_answer_is_refused_with_its_failure(
    time: Moved, reached: RoundClusters
) -> None:
    made = reached.connect(ONE, b"")
    opened: FakeCluster = made._cluster  # type: ignore[attr-defined]
    opened.fault = lambda _verb, _what: UnreachableError("no route")
    with pytest.raises(UnreachableError, match="no route"):
        made.get(HOME)
    with pytest.raises(UnreachableError, match="no route"):
        reached.connect(ONE, b"")
    reached.connect(ONE, b"another kubeconfig")
    time.now += 1
    reached.connect(ONE, b"")


def test_clusters_of_a_large_round_have_the_time_of_the_option(reached: RoundClusters) -> None:
    def seconds() -> float:
        made: FakeCluster = reached.connect(ONE, b"")._cluster  # type: ignore[attr-defined]
        return made.seconds

    whole = seconds()
    reached.begin(frozenset({ONE}))
    assert seconds() == TIMEOUT < whole
    for large in (None, frozenset(str(number) for number in range(MAX_LIMITED + 1))):
        reached.begin(large)
        assert seconds() == whole
    reached.begin(frozenset())  # a commit can change many clusters
    for _ in range(2 * MAX_LIMITED):
        seconds()
    assert seconds() == whole
