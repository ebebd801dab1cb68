"""All watches of a daemon: begun where a round got in, ended where nothing is left to see.

A watch begins with what a round has used to get into the cluster. So the clusters that are watched
are those that are applied to, by the same kubeconfigs, and a Secret is read by one piece of code.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, RLock
from typing import Any, cast

from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.resources import described
from reconciler.clusters.watched import (
    KUBECONFIG,
    Topic,
    management_topics,
    tenant_of_secret,
    tenant_topics,
)
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.notes import Notes
from reconciler.commands.watching.observer import Observer
from reconciler.commands.watching.watcher import Ears, Watcher
from reconciler.commands.watching.witness import Witness
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Manifest, Resource
from reconciler.ports import (
    ClusterError,
    Clusters,
    NoSuchKindError,
    UnauthorizedError,
    UnreachableError,
    WatchableCluster,
)

Spawn = Callable[[Callable[[], None], str], None]
"""Runs something in a thread of its own, which has a name."""

_IN_ORDER = (NoSuchKindError, UnauthorizedError)
"""Failures of one who does not ask as it should: the cluster is as well as if it had answered."""


@dataclass
class Watches:
    """The watches, by cluster. Any thread may call.

    Attributes:
        clusters: How clusters are reached.
        notes: How rounds got into them.
        chance: Gives a number in [0, 1).
        witness: Keeps what no round can read.
    """

    clusters: Clusters | None
    notes: Notes
    inbox: Inbox
    observer: Observer
    spawn: Spawn
    chance: Callable[[], float]
    witness: Witness = field(default_factory=Witness)
    _running: dict[str, list[Watcher]] = field(default_factory=dict)
    _ways: dict[str, object] = field(default_factory=dict)
    _topics: dict[str, tuple[Topic, ...]] = field(default_factory=dict)
    _down: dict[tuple[str, str], str] = field(default_factory=dict)
    _told: dict[str, bool] = field(default_factory=dict)
    _names: frozenset[str] = frozenset()
    _lock: Any = field(default_factory=RLock)

    def follow(self, applied: Sequence[Applied], found: Evaluation, *, is_whole: bool) -> list[str]:
        """Begin and end watches as a round found the clusters; those that are gone are told.

        Args:
            applied: What became of the clusters.
            found: What was planned: its Settings say which kinds are taken in.
            is_whole: The round was about all that answer: one that is not there is gone.
        """
        kinds = {item.kind for item in found.tree.settings.intake}
        intake = [resource for resource in described() if resource.kind in kinds]
        with self._lock:
            names = frozenset(item.cluster for item in applied)
            self._names |= names
            for item in applied:
                self._found(item, intake)
            gone = sorted(self._names - names - self.down()) if is_whole else []
            for name in gone:
                self._lose(name)
            return gone

    def is_known(self, event: Event) -> bool:
        """An event tells of nothing but what a round wrote, or read."""
        looks = event.cause in (Cause.INTAKE, Cause.SERVICES)
        return bool(event.mark) and self.notes.is_known(event.cluster, event.mark, looks=looks)

    def _found(self, item: Applied, intake: Iterable[Resource]) -> None:
        name, way = item.cluster, self.notes.way(item.cluster)
        is_away = item.state is State.UNREACHABLE
        if name == MANAGEMENT and (item.uid or name in self._running):
            self._begin(name, management_topics(intake), "", is_away=is_away)
        elif way is not None and (item.uid or is_away):
            self._begin(name, tenant_topics(), way, is_away=is_away)
        elif item.state is State.WAITING:
            self._end(name)

    def _lose(self, name: str) -> None:
        self._end(name)
        self._names -= {name}
        self.notes.forget(name)
        self.witness.forget(name)
        if self._told.pop(name, None) is not None:
            self.observer.cluster_gone(name)

    def down(self) -> frozenset[str]:
        """The clusters that do not answer."""
        with self._lock:
            return frozenset(cluster for cluster, _ in self._down)

    def reason(self, cluster: str) -> str:
        """Why a cluster does not answer; empty when it does."""
        with self._lock:
            return next((why for (name, _), why in self._down.items() if name == cluster), "")

    def end(self) -> None:
        """End all of them."""
        with self._lock:
            for name in list(self._running):
                self._end(name)

    def _begin(self, name: str, topics: tuple[Topic, ...], way: object, *, is_away: bool) -> None:
        """Watch a cluster; one that did not answer a round is away until it tells a list."""
        is_same = self._ways.get(name) == way and self._topics.get(name) == topics
        if is_same and not (is_away and name not in self.down()):
            return
        self._end(name)
        if is_away:
            self._down[name, ""] = "it did not answer"
            self._tell(name)
        self._ways[name], self._topics[name] = way, topics
        ears = Ears(
            lambda topic, item, mark: self._news(name, topic, item, mark),
            lambda topic, failure: self._ups(name, topic, failure),
            self.observer,
            self.witness,
            lambda topic: self.notes.ours(name, topic.resource, topic.namespace),
        )
        # Our own cluster is not held for one that lies; a kind that hangs there stops no other.
        turn = nullcontext() if name == MANAGEMENT else Lock()
        connect = partial(self._connect, name)
        made = [
            Watcher(name, topic, connect, ears, self.inbox, self.chance, turn) for topic in topics
        ]
        self._running[name] = made
        for watcher in made:
            self.spawn(watcher.run, f"watch {name} {watcher.topic.title}")

    def _end(self, name: str) -> None:
        for watcher in self._running.pop(name, ()):
            watcher.end()
        self._ways.pop(name, None)
        self._topics.pop(name, None)
        for key in [key for key in self._down if key[0] == name]:
            del self._down[key]

    def _connect(self, name: str) -> WatchableCluster:
        way = self.notes.way(name)
        if self.clusters is None:
            found = None
        elif name == MANAGEMENT:
            found = self.clusters.management()
        else:
            found = None if way is None else self.clusters.connect(name, way[0], is_named=way[1])
        if found is None:
            raise UnreachableError("nobody names a kubeconfig for it any more")
        return cast("WatchableCluster", found)

    def _news(self, name: str, topic: Topic, item: Manifest, mark: str) -> None:
        """Something changed in a cluster."""
        if topic.about != KUBECONFIG:
            self.inbox.put(Event(Cause(topic.about), name, mark))
            return
        if self.notes.is_known(MANAGEMENT, mark):
            return  # a round has read that very Secret
        with self._lock:
            found = tenant_of_secret(item, self._names)
            for cluster in self.down().intersection(found):
                self._end(cluster)  # nobody knows how it is by the new one: a round finds out
        for cluster in found:
            self.inbox.put(Event(Cause.KUBECONFIG, cluster))

    def _ups(self, name: str, topic: Topic, failure: ClusterError | None) -> None:
        """A watch works, or does not."""
        key = (name, topic.title)
        if isinstance(failure, UnauthorizedError):
            # Its kubeconfig may be another one by now: a round reads it.
            self.inbox.put(Event(Cause.KUBECONFIG, name))
        with self._lock:
            if self._running.get(name) is None:
                return  # it was ended meanwhile
            if isinstance(failure, UnreachableError):
                self._down[key] = str(failure)
            else:
                # A refusal is an answer, too. It takes nothing but the news of one kind.
                self._down.pop(key, None)
                if failure is None or isinstance(failure, _IN_ORDER):
                    self._down.pop((name, ""), None)
            self._tell(name)

    def _tell(self, name: str) -> None:
        """Tell whether a cluster answers, when that changed."""
        is_up = name not in self.down()
        before, self._told[name] = self._told.get(name), is_up
        if before != is_up:
            self.observer.cluster_up(name, is_up=is_up)
            if before is False:
                self.inbox.put(Event(Cause.UP, name))
