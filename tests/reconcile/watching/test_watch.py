"""Watches of clusters in memory: which changes mark a cluster, and how watches end and fail."""

import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.rights import tenant_topics
from reconciler.daemon.dirty import GIT, DirtySet
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import BranchWatch, Informer, Watches
from reconciler.kube.interface import ObjectList, WatchEvent
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import (
    ClusterError,
    NoSuchKindError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import MANAGEMENT, Ref, Resource, owned_labels
from tests.fake_cluster import FakeCluster
from tests.reconcile.watching.times import Moved, Noted
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
    """A connection whose watches last a minute. A test can act at the end of each."""

    time: Moved = field(default_factory=Moved)

    def watch(
        self, resource: Resource, namespace: str = "", *, since: str, **more: Any
    ) -> Iterator[WatchEvent]:
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
    begun: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    opened: list[tuple[str, bytes]] = field(default_factory=list)
    noted: list[dict[str, tuple[str, ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dirty = DirtySet(600.0, self.time)
        self.reached = RoundClusters(self, self.time.monotonic, lambda: 0.5)
        self.watches = Watches(self.reached, self.dirty, self.observer, self._spawn, lambda: 0.5)

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

    def follow(self, *applied: Applied) -> None:
        self.watches.follow(applied, evaluation_of(SMALL), is_full=False)

    def run(self, title: str, *happen: Callable[[], None]) -> None:
        """Run a watch. Call a function in each of its waits, and then end it."""
        work = next(work for name, work in self.begun if name == f"watch {title}")
        self.time.happens = iter((*happen, self.watches.end))
        work()

    def marks(self) -> dict[str, tuple[str, ...]]:
        """Take all marks: reasons by cluster."""
        found = {name: tuple(reasons) for name, reasons in self.dirty._marks.items()}
        self.dirty.clear()
        return found

    def note(self) -> None:
        self.noted.append(self.marks())


@pytest.fixture
def site() -> Site:
    made = Site()
    made.reached.kubeconfigs[WEB] = KUBECONFIG, False
    return made


TENANT = Applied(WEB, ClusterState.APPLIED, uid="web")
HUB = Applied(MANAGEMENT, ClusterState.APPLIED, uid="hub")
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


def test_a_change_marks_the_cluster(site: Site) -> None:
    server = site.servers[WEB]
    server.put(pool("10.0.0.0/30"))
    site.follow(TENANT)
    site.run(POOLS, site.note, lambda: server.put(pool("10.0.0.0/29")), site.note, site.note)
    assert site.noted == [{WEB: ("drift",)}, {WEB: ("drift",)}, {}]


def test_a_status_that_another_controller_writes_is_no_drift(site: Site) -> None:
    server = site.servers[WEB]
    server.put(pool("10.0.0.0/30"))
    site.follow(TENANT)

    def counted() -> None:
        site.marks()
        server.apply({**pool(), "status": {"assignedIPv4": 3}}, "metallb", status=True)

    site.run(POOLS, counted)
    assert site.marks() == {}


def test_an_object_that_was_deleted_while_no_watch_was_open_marks_the_cluster(site: Site) -> None:
    server = site.servers[WEB]
    server.put(pool("10.0.0.0/30"))
    site.follow(TENANT)

    def deleted() -> None:
        site.marks()
        del server.objects[POOL]
        raise StaleError("the server forgot that state")

    site.run(POOLS, deleted, lambda: None)
    assert site.marks() == {WEB: ("drift",)}


def test_services_without_a_load_balancer_do_not_count(site: Site) -> None:
    server = site.servers[WEB]
    server.put(service("ClusterIP"))
    site.follow(TENANT)
    site.run(
        SERVICES,
        site.note,
        lambda: server.put(service("ClusterIP", a="b")),
        site.note,
        lambda: server.put(service()),
        site.note,
        lambda: server.put(service("ClusterIP")),
        site.note,
    )
    assert site.noted == [{WEB: ("services",)}, {}, {WEB: ("services",)}, {WEB: ("services",)}]


FAULTS: dict[str, tuple[ClusterError, str, bool]] = {
    "expired": (StaleError("too old"), "expired", True),
    "unreachable": (UnreachableError("no answer"), "unreachable", False),
    "unauthorized": (UnauthorizedError("401"), "unauthorized", True),
    "no kind": (NoSuchKindError("unknown"), "unknown-kind", True),
}


@pytest.mark.parametrize(("failure", "word", "is_up"), FAULTS.values(), ids=FAULTS)
def test_a_watch_that_breaks_is_repeated(
    site: Site, failure: ClusterError, word: str, is_up: bool
) -> None:
    site.servers[WEB].fault = lambda _verb, _what: failure
    site.follow(TENANT)

    def mend() -> None:
        site.note()
        site.servers[WEB].fault = lambda _verb, _what: None

    site.run(POOLS, mend)
    assert site.observer.restarts[0] == (WEB, word)
    assert site.noted == [{WEB: ("kubeconfig",)} if word == "unauthorized" else {}]
    assert site.observer.ups == ([] if is_up else [(WEB, False), (WEB, True)])
    assert ("up" in site.marks()[WEB]) is not is_up


def test_a_refused_watch_of_secrets_begins_no_rounds(site: Site) -> None:
    site.follow(HUB)
    site.servers[MANAGEMENT].fault = lambda _verb, _what: UnauthorizedError("secrets: forbidden")
    site.run(f"{MANAGEMENT} secrets", site.note, lambda: None)
    assert site.noted == [{}]


def test_a_management_cluster_that_breaks_and_answers_again_is_dirty(site: Site) -> None:
    site.follow(HUB)
    title = f"{MANAGEMENT} secrets"
    site.servers[MANAGEMENT].fault = lambda _verb, _what: UnreachableError("no answer")

    def mend() -> None:
        site.note()
        site.reached._failed(MANAGEMENT, 0.0, "no answer")
        assert site.reached.held()
        site.servers[MANAGEMENT].fault = lambda _verb, _what: None

    site.run(title, mend)
    assert site.noted == [{MANAGEMENT: ("down",)}]
    assert "up" in site.marks()[MANAGEMENT]
    assert site.reached.held() == {}


def test_a_bug_in_a_watch_is_counted_and_ends_nothing(site: Site) -> None:
    def broken(_verb: str, _what: object) -> ClusterError | None:
        raise RuntimeError("broken")

    site.servers[WEB].fault = broken
    site.follow(TENANT)
    site.run(POOLS, lambda: setattr(site.servers[WEB], "fault", lambda _verb, _what: None))
    assert site.observer.bugs == 1
    assert site.marks() == {WEB: ("drift",)}


def test_the_lists_of_a_tenant_s_cluster_are_read_one_after_another(site: Site) -> None:
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
    site.reached.kubeconfigs[WEB] = b"new", False
    site.follow(TENANT)
    for work in old:
        work()  # they were ended
    assert site.opened == []
    site.run(POOLS)
    assert site.opened == [(WEB, b"new")]


def test_a_new_secret_marks_the_clusters_of_its_name_and_ends_their_pause(site: Site) -> None:
    hub = site.servers[MANAGEMENT]
    site.follow(HUB, Applied(WEB, ClusterState.WAITING), Applied("b/web", ClusterState.WAITING))
    site.reached._failed(WEB, 0.0, "no answer")
    metadata = {"namespace": "a", "name": "web-kubeconfig"}

    def came() -> None:
        site.marks()
        hub.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}})
        hub.put({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {}})

    site.run(f"{MANAGEMENT} secrets", came)
    assert site.marks() == {WEB: ("kubeconfig",), "b/web": ("kubeconfig",)}
    assert site.reached.held() == {}


class Item(dict[str, Any]):
    """An object whose references are counted."""


@dataclass
class Weighed(FakeCluster):
    """A cluster that counts the stored parts of its lists, and ends its watch."""

    kept: list[int] = field(default_factory=list)
    turns: list[bool] = field(default_factory=list)
    turn: Any = field(default_factory=threading.Lock)
    said: "list[weakref.ref[Item]]" = field(default_factory=list)
    informer: Informer | None = None

    def list(self, resource: Resource, namespace: str = "", **more: Any) -> ObjectList:
        self.turns.append(self.turn.locked())
        found = super().list(resource, namespace, **more)
        items = [Item(item) for item in found.items]
        self.said += [weakref.ref(item) for item in items]
        return ObjectList(items, found.resource_version)

    def watch(self, resource: Resource, namespace: str = "", **more: Any) -> Any:
        del resource, namespace, more
        self.turns.append(self.turn.locked())
        self.kept.append(sum(1 for item in self.said if item() is not None))
        assert self.informer is not None
        self.informer.end()
        return iter(tuple[WatchEvent, ...]())


def informed(connect: Callable[[], FakeCluster], turn: Any) -> Informer:
    return Informer(
        WEB,
        next(topic for topic in tenant_topics() if topic.resource.kind == "Service"),
        connect,
        lambda *_: None,
        lambda *_: None,
        Noted(),
        DirtySet(600.0, Moved()),
        lambda: 0.5,
        turn,
    )


def test_a_watch_keeps_no_object_of_its_list_and_lists_in_its_turn() -> None:
    cluster = Weighed(WEB)
    cluster.put(service())
    cluster.informer = informed(lambda: cluster, cluster.turn)
    cluster.informer.run()
    assert cluster.kept == [0]
    assert cluster.turns == [True, False]


class Branch:
    """A branch that a test moves."""

    def __init__(self) -> None:
        self.time = Moved()
        self.dirty = DirtySet(600.0, self.time)
        self.at, self.known = "a", "a"
        self.watch = BranchWatch(
            lambda: self.at,
            lambda: self.known,
            15.0,
            self.dirty,
            lambda: 1.0,
            lambda _failure: None,
        )

    def marks(self) -> set[str]:
        found = set(self.dirty._marks)
        self.dirty.clear()
        return found


def test_a_head_that_no_round_has_read_marks_the_branch_once() -> None:
    branch = Branch()
    assert branch.watch.poll() is None
    assert branch.marks() == set()
    branch.at = "b"
    branch.watch.poll()
    assert branch.marks() == {GIT}
    branch.watch.poll()
    assert branch.marks() == set()  # its round is in progress
    branch.known = "b"
    branch.watch.poll()
    branch.at = "a"  # back again
    branch.watch.poll()
    assert branch.marks() == {GIT}
