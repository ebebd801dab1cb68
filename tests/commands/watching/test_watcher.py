"""What a watch keeps in memory of what a cluster says, and who of a cluster reads a list when."""

import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

from reconciler.clusters.watched import Topic, tenant_topics
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.watcher import Ears, Watcher
from reconciler.commands.watching.witness import Witness
from reconciler.model.resource import Resource
from reconciler.ports import Change, ClusterError, Listing, UnreachableError
from tests.commands.watching.times import Moved, Noted
from tests.fake_cluster import FakeCluster

SERVICES = next(topic for topic in tenant_topics() if topic.resource.kind == "Service")


class Item(dict[str, Any]):
    """An object of which can be told whether anybody still has it."""


@dataclass
class Weighed(FakeCluster):
    """A cluster that sees who keeps what it said, and ends its watch."""

    kept: list[int] = field(default_factory=list)
    turns: list[bool] = field(default_factory=list)
    turn: Any = field(default_factory=threading.Lock)
    said: "list[weakref.ref[Item]]" = field(default_factory=list)
    watcher: Watcher | None = None

    def list(self, resource: Resource, namespace: str = "", **more: Any) -> Listing:
        self.turns.append(self.turn.locked())
        found = super().list(resource, namespace, **more)
        items = [Item(item) for item in found.items]
        self.said += [weakref.ref(item) for item in items]
        return Listing(items, found.resource_version)

    def watch(self, resource: Resource, namespace: str = "", **more: Any) -> Any:
        del resource, namespace, more
        self.turns.append(self.turn.locked())
        self.kept.append(sum(1 for item in self.said if item() is not None))
        assert self.watcher is not None
        self.watcher.end()
        return iter(tuple[Change, ...]())


def test_a_watch_keeps_nothing_of_its_list_and_reads_it_in_its_turn() -> None:
    cluster = Weighed("a/web")
    for name in ("a", "b"):
        metadata = {"name": name, "namespace": "default"}
        spec = {"type": "LoadBalancer"}
        cluster.put({"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec})
    heard: list[str] = []
    ears = Ears(
        lambda _topic, _item, mark: heard.append(mark),
        lambda *_: None,
        Noted(),
        Witness(),
        left=lambda _topic: (),
    )
    watcher = Watcher(
        "a/web", SERVICES, lambda: cluster, ears, Inbox(Moved()), lambda: 0.5, cluster.turn
    )
    cluster.watcher = watcher
    watcher.run()
    assert len(heard) == len(cluster.said) == 2
    assert cluster.kept == [0]
    assert cluster.turns == [True, False]


def test_one_that_was_ended_while_it_waited_for_its_turn_lists_nothing() -> None:
    cluster = Weighed("a/web")
    ears = Ears(lambda *_: None, lambda *_: None, Noted(), Witness(), left=lambda _topic: ())

    class Late:
        """Somebody ends it before its turn comes."""

        def __enter__(self) -> None:
            watcher.end()

        def __exit__(self, *_: object) -> None:
            """Nothing is held."""

    watcher = Watcher("a/web", SERVICES, lambda: cluster, ears, Inbox(Moved()), lambda: 0.5, Late())
    watcher.run()
    assert cluster.log == []


def test_a_failure_that_is_kept_keeps_nothing_of_the_connection_that_failed() -> None:
    """It is kept for as long as the watch does not work again: hours, where a kind is missing."""

    @dataclass(eq=False)
    class Refusing(FakeCluster):
        def list(self, resource: Resource, namespace: str = "", **more: Any) -> Listing:
            del resource, namespace, more
            try:
                raise OSError("reset")
            except OSError as failure:
                raise UnreachableError("not there") from failure

    made: list[weakref.ref[FakeCluster]] = []
    kept: list[ClusterError] = []

    def connect() -> FakeCluster:
        cluster = Refusing("a/web")
        made.append(weakref.ref(cluster))
        return cluster

    def ups(_topic: Topic, failure: ClusterError | None) -> None:
        assert failure is not None
        kept.append(failure)
        watcher.end()

    ears = Ears(lambda *_: None, ups, Noted(), Witness(), left=lambda _topic: ())
    inbox = Inbox(Moved())
    watcher = Watcher("a/web", SERVICES, connect, ears, inbox, lambda: 0.5)
    watcher.run()
    assert [str(it) for it in kept] == ["not there"]
    assert made[0]() is None
