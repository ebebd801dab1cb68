"""Watches on clusters in memory: what is news, what is an echo, who answers, who is gone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.clusters.desired import owned_labels
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.resources import ADDRESS_POOL, NAMESPACE, SECRET, SERVICE
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.notes import Notes, NotingClusters
from reconciler.commands.watching.watches import Watches
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Ref, Resource
from reconciler.ports import (
    Change,
    ClusterError,
    NoSuchKindError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)
from tests.commands.watching.times import Moved, Noted
from tests.fake_cluster import FakeCluster
from tests.world import SMALL, evaluation_of

HERE = "metallb-system"
WEB = "a/web"
POOL = Ref(ADDRESS_POOL, HERE, "default-pool")
KUBECONFIG = b"kubeconfig"


def pool(*addresses: str, name: str = "default-pool") -> dict[str, Any]:
    metadata = {"name": name, "namespace": HERE, "labels": owned_labels()}
    spec = {"addresses": list(addresses)}
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": metadata,
        "spec": spec,
    }


def service(kind: str = "LoadBalancer", **annotations: str) -> dict[str, Any]:
    metadata = {"name": "web", "namespace": "default", "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"type": kind}}


@dataclass
class Heard(FakeCluster):
    """A connection whose watches last a minute, at the end of which something may happen."""

    time: Moved = field(default_factory=Moved)

    def watch(
        self, resource: Resource, namespace: str = "", *, since: str, **more: Any
    ) -> Iterator[Change]:
        yield from super().watch(resource, namespace, since=since, **more)
        self.time.pass_by(60)


@dataclass
class Site:
    """A management cluster and a tenant's. Threads run when a test says so, one after the other."""

    servers: dict[str, FakeCluster] = field(
        default_factory=lambda: {MANAGEMENT: FakeCluster(), WEB: FakeCluster(WEB)}
    )
    time: Moved = field(default_factory=Moved)
    observer: Noted = field(default_factory=Noted)
    notes: Notes = field(default_factory=Notes)
    begun: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    opened: list[tuple[str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inbox = Inbox(self.time)
        self.watches = Watches(
            self, self.notes, self.inbox, self.observer, self._spawn, lambda: 0.5
        )

    def management(self) -> FakeCluster:
        return self._open(MANAGEMENT)

    def named(self, cluster: str) -> bytes | None:
        del cluster
        return None

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> FakeCluster:
        del is_named
        self.opened.append((cluster, kubeconfig))
        return self._open(cluster)

    def _open(self, name: str) -> FakeCluster:
        server = self.servers[name]
        shared: dict[str, Any] = {
            "objects": server.objects,
            "changes": server.changes,
            "fault": server.fault,
        }
        shared |= {"forgotten": server.forgotten, "lock": server.lock, "time": self.time}
        return Heard(name, **shared)

    def _spawn(self, work: Callable[[], None], name: str) -> None:
        self.begun.append((name, work))

    def follow(self, *applied: Applied, is_whole: bool = False) -> list[str]:
        return self.watches.follow(applied, evaluation(), is_whole=is_whole)

    def run(self, title: str, *happen: Callable[[], None]) -> list[Event]:
        """Run a watch: each time that it waits something happens, then it ends."""
        work = next(work for name, work in self.begun if name == f"watch {title}")
        self.time.happens = iter((*happen, self.inbox.stop))
        work()
        self.inbox = self.watches.inbox = Inbox(self.time, dict(self.inbox.drain()))
        return list(self.inbox.drain())


def evaluation() -> Evaluation:
    return evaluation_of(SMALL)


@pytest.fixture
def site() -> Site:
    made = Site()
    made.notes.found_way(WEB, KUBECONFIG, is_named=False)
    return made


TENANT = Applied(WEB, State.APPLIED, uid="web")
HUB = Applied(MANAGEMENT, State.APPLIED, uid="hub")
POOLS = f"{WEB} ipaddresspools.metallb.io"
SERVICES = f"{WEB} services"


def test_a_cluster_that_a_round_got_into_is_watched_by_the_same_kubeconfig(site: Site) -> None:
    site.follow(HUB, TENANT)
    names = [name for name, _ in site.begun]
    assert f"watch {POOLS}" in names
    assert f"watch {SERVICES}" in names
    assert f"watch {MANAGEMENT} secrets" in names
    site.follow(HUB, TENANT)
    assert len(site.begun) == len(names)  # they run already
    site.run(POOLS)
    assert site.opened == [(WEB, KUBECONFIG)]
    assert site.observer.ups == [(WEB, True)]


def test_one_that_was_not_recognised_is_not_watched(site: Site) -> None:
    site.follow(Applied(WEB, State.REFUSED, error="another cluster"))
    assert site.begun == []


def test_what_changes_is_news_and_what_a_round_wrote_is_known(site: Site) -> None:
    server = site.servers[WEB]
    clusters = NotingClusters(site, site.notes)
    ours = clusters.connect(WEB, KUBECONFIG)
    server.put(pool("10.0.0.0/30"))
    ours.list(ADDRESS_POOL, HERE)
    site.follow(TENANT)

    def edited() -> None:
        server.put(pool("10.0.0.0/29"))

    def mended() -> None:
        ours.apply(pool("10.0.0.0/30"), "kubectl", force=True)

    found = site.run(POOLS, edited, mended)
    assert {event.cause for event in found} == {Cause.DRIFT}
    assert [site.watches.is_known(event) for event in found] == [True, False, True]


def test_a_status_that_others_write_is_no_drift(site: Site) -> None:
    server = site.servers[WEB]
    server.put(pool("10.0.0.0/30"))
    site.follow(TENANT)

    def counted() -> None:
        server.apply({**pool(), "status": {"assignedIPv4": 3}}, "metallb", status=True)

    assert len(site.run(POOLS, counted)) == 1  # that it is there


def test_an_object_that_vanished_while_nobody_watched_is_news(site: Site) -> None:
    server = site.servers[WEB]
    server.put(pool("10.0.0.0/30"))
    site.follow(TENANT)

    def deleted() -> None:
        del server.objects[POOL]
        raise StaleError("the server forgot that state")

    found = site.run(POOLS, deleted, lambda: None)
    assert found[-1].mark.startswith("-")
    assert not site.watches.is_known(found[-1])


def test_an_object_that_went_after_the_round_and_before_the_first_list_is_news(site: Site) -> None:
    server = site.servers[WEB]
    ours = NotingClusters(site, site.notes).connect(WEB, KUBECONFIG)
    ours.list(ADDRESS_POOL, HERE)
    uids = [
        ours.apply(pool(f"10.0.0.{at}/32", name=f"p{at}"), "us")["metadata"]["uid"]
        for at in (1, 2, 3)
    ]
    ours.delete(POOL._replace(name="p1"), uids[0])
    site.follow(TENANT)
    del server.objects[POOL._replace(name="p2")]  # somebody was quick
    found = site.run(POOLS, lambda: None)
    (news,) = [event for event in found if not site.watches.is_known(event)]
    assert (news.cause, news.mark) == (Cause.DRIFT, f"-{uids[1]}")


def test_an_object_of_a_round_before_is_not_missed_in_the_cluster_that_has_its_name_now(
    site: Site,
) -> None:
    ours = NotingClusters(site, site.notes).connect(WEB, KUBECONFIG)
    ours.apply(pool("10.0.0.1/32"), "us")
    site.follow(HUB, TENANT)
    site.follow(HUB, is_whole=True)
    del site.servers[WEB].objects[POOL]
    site.begun.clear()
    site.notes.found_way(WEB, KUBECONFIG, is_named=False)
    site.follow(TENANT)
    assert site.run(POOLS, lambda: None) == []


def test_services_that_want_no_address_are_nobody_s_concern(site: Site) -> None:
    server = site.servers[WEB]
    server.put(service("ClusterIP"))
    site.follow(TENANT)
    found = site.run(
        SERVICES,
        lambda: server.put(service("ClusterIP", a="b")),
        lambda: server.put(service()),
        lambda: server.put(service(**{"metallb.io/address-pool": "x"})),
        lambda: server.put(service("ClusterIP")),
    )
    assert [(event.cause, event.cluster) for event in found] == [(Cause.SERVICES, WEB)] * 3


FAULTS: dict[str, tuple[ClusterError, str, bool]] = {
    "expired": (StaleError("too old"), "expired", True),
    "unreachable": (UnreachableError("no answer"), "unreachable", False),
    "unauthorized": (UnauthorizedError("401"), "unauthorized", True),
    "no kind": (NoSuchKindError("unknown"), "unknown-kind", True),
    "refused": (ClusterError("the conversion webhook is unavailable"), "failed", True),
}


@pytest.mark.parametrize(("failure", "word", "is_up"), FAULTS.values(), ids=FAULTS)
def test_a_watch_that_breaks_off_begins_anew(
    site: Site, failure: ClusterError, word: str, is_up: bool
) -> None:
    site.servers[WEB].fault = lambda _verb, _what: failure
    site.follow(TENANT)

    def mend() -> None:
        assert (WEB not in site.watches.down()) is is_up
        site.servers[WEB].fault = lambda _verb, _what: None

    found = site.run(POOLS, mend)
    assert site.observer.restarts[0] == (WEB, "ipaddresspools.metallb.io", word)
    assert site.watches.down() == frozenset()
    assert (Event(Cause.UP, WEB) in found) is not is_up
    assert (Event(Cause.KUBECONFIG, WEB) in found) is (word == "unauthorized")


def test_who_refuses_a_kind_is_away_still_when_a_round_missed_it(site: Site) -> None:
    site.follow(HUB, TENANT)
    site.run(POOLS)
    site.begun.clear()
    site.servers[WEB].fault = lambda _verb, _what: ClusterError("odd")
    site.follow(HUB, Applied(WEB, State.UNREACHABLE, error="no answer"))

    def mend() -> None:
        assert site.watches.down() == {WEB}  # nothing was ever listed since
        site.servers[WEB].fault = lambda _verb, _what: None

    assert Event(Cause.UP, WEB) in site.run(POOLS, mend)
    assert site.watches.down() == frozenset()


def test_a_bug_in_a_watch_is_told_and_ends_nothing(site: Site) -> None:
    def broken(_verb: str, _what: object) -> ClusterError | None:
        raise RuntimeError("broken")

    site.servers[WEB].fault = broken
    site.follow(TENANT)
    site.run(POOLS, lambda: setattr(site.servers[WEB], "fault", lambda _verb, _what: None))
    assert site.observer.bugs == ["watch ipaddresspools.metallb.io"]
    assert site.observer.ups[-1] == (WEB, True)


def test_one_that_did_not_answer_a_round_is_away_until_it_tells_a_list(site: Site) -> None:
    site.follow(HUB, TENANT)
    site.run(POOLS)
    running = len(site.begun)
    site.follow(HUB, Applied(WEB, State.UNREACHABLE, error="no answer"))
    assert site.watches.down() == {WEB}
    assert site.watches.reason(WEB)
    assert len(site.begun) > running
    site.begun[:running] = []
    assert Event(Cause.UP, WEB) in site.run(POOLS)
    assert site.watches.down() == frozenset()
    assert site.observer.ups == [(WEB, True), (WEB, False), (WEB, True)]


def test_the_lists_of_a_tenant_s_cluster_are_read_one_after_another(site: Site) -> None:
    """Each may be as heavy as a tenant may be; our own cluster is none that lies."""
    site.follow(HUB, TENANT)
    turns = {name: [it.turn for it in made] for name, made in site.watches._running.items()}
    assert len(turns[WEB]) > 1
    assert len({id(turn) for turn in turns[WEB]}) == 1
    for turn in turns[MANAGEMENT]:
        with turn, turn:
            pass


def test_another_kubeconfig_begins_other_watches(site: Site) -> None:
    site.follow(TENANT)
    old = [work for _, work in site.begun]
    site.begun.clear()
    site.notes.found_way(WEB, b"new", is_named=False)
    site.follow(TENANT)
    for work in old:
        work()  # they were ended
    assert site.opened == []
    site.run(POOLS)
    assert site.opened == [(WEB, b"new")]


def test_a_cluster_that_is_gone_is_not_watched_any_more(site: Site) -> None:
    site.follow(HUB, TENANT)
    site.run(POOLS)
    assert site.follow(HUB, is_whole=False) == []
    assert site.follow(HUB, is_whole=True) == [WEB]
    assert site.observer.gone == [WEB]
    assert site.notes.way(WEB) is None


def test_a_secret_that_comes_is_a_kubeconfig_of_the_clusters_of_its_name(site: Site) -> None:
    hub = site.servers[MANAGEMENT]
    site.follow(HUB, Applied(WEB, State.WAITING), Applied("b/web", State.WAITING))
    metadata = {"namespace": "a", "name": "web-kubeconfig"}

    def came() -> None:
        hub.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})
        hub.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {}})

    found = site.run(f"{MANAGEMENT} secrets", came)
    assert sorted(event.cluster for event in found) == [WEB, "b/web"]
    assert hub.objects[Ref(SECRET, "a", "web-kubeconfig")]
    assert Ref(NAMESPACE, "", "a") in hub.objects


def test_one_that_is_away_is_reached_by_a_new_kubeconfig_as_soon_as_there_is_one(
    site: Site,
) -> None:
    hub = site.servers[MANAGEMENT]
    site.follow(HUB, Applied(WEB, State.UNREACHABLE, error="no answer"))
    assert site.watches.down() == {WEB}

    def came() -> None:
        hub.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})
        metadata = {"namespace": "a", "name": "web-kubeconfig"}
        hub.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {}})

    found = site.run(f"{MANAGEMENT} secrets", came)
    assert [(event.cause, event.cluster) for event in found] == [(Cause.KUBECONFIG, WEB)]
    assert site.watches.down() == frozenset(), "a round asks it"
    site.notes.found_way(WEB, b"new", is_named=False)
    site.begun.clear()
    site.follow(TENANT)
    site.run(POOLS)
    assert site.opened == [(WEB, b"new")]
    assert site.observer.ups[-1] == (WEB, True)


def test_news_of_services_in_the_management_cluster_are_of_dependants() -> None:
    from reconciler.clusters.watched import DEPENDANTS, management_topics

    topics = {topic.resource: topic for topic in management_topics()}
    assert topics[SERVICE].about == DEPENDANTS
    assert topics[SERVICE].heads
