"""Watches of Git and of clusters: each one only marks a cluster as dirty."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from threading import Lock, RLock
from typing import Any, cast

from reconciler.apply import rights
from reconciler.apply.pools import USUAL
from reconciler.daemon.dirty import GIT, Backoff, DirtySet, format_pause
from reconciler.daemon.observer import Observer
from reconciler.daemon.reach import RoundClusters
from reconciler.families.clusters import balancers
from reconciler.kube.interface import Became, WatchableCluster, WatchEvent
from reconciler.kube.resources import described_resources
from reconciler.model import errors
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.objects import MANAGEMENT
from reconciler.planning.evaluate import Evaluation

STEADY = 30.0
"""Seconds after which a watch that fails is retried with the shortest pause."""
MAX_DELETED = 10_000
"""Deleted objects that are remembered."""

Spawn = Callable[[Callable[[], None], str], None]
"""Runs a function in a named thread."""
Kubeconfig = tuple[bytes, bool]
"""A kubeconfig, and whether the user named its file."""

_REASONS: Mapping[type[errors.ClusterError], str] = {
    errors.StaleError: "expired",
    errors.UnreachableError: "unreachable",
    errors.UnauthorizedError: "unauthorized",
    errors.NoSuchKindError: "unknown-kind",
}
_log = logging.getLogger(__name__)


@dataclass
class BranchWatch:
    """Polls the branch. `known` is the commit of the last round."""

    head: Callable[[], str]
    known: Callable[[], str]
    every: float
    dirty: DirtySet
    chance: Callable[[], float]
    polled: Callable[[Exception | None], None]
    _last: str = ""

    def run(self) -> None:
        """Poll until the end."""
        backoff = Backoff(self.chance)
        is_going = True
        while is_going:
            failure = self.poll()
            self.polled(failure)
            pause = self.every
            if failure is None:
                backoff.failures = 0
            else:
                pause = max(pause, backoff.pause())
            is_going = self.dirty.pause(pause)

    def poll(self) -> Exception | None:
        """Mark the branch dirty if no round has read its head; return the failure, if any."""
        try:
            head = self.head()
        except (errors.ReconcilerError, OSError) as failed:
            _log.warning("%s", failed)
            return failed
        except Exception as bug:  # noqa: BLE001 - a bug must not end the daemon
            _log.error("internal error: %r", bug, exc_info=bug)
            return bug
        known = self.known()
        if known and head not in (known, self._last):
            self.dirty.mark(GIT, "git")
        self._last = head
        return None


@dataclass
class Informer:
    """Lists and watches one topic of one cluster. `turn` is held during a list, to limit memory."""

    cluster: str
    topic: rights.Topic
    connect: Callable[[], WatchableCluster]
    changed: Callable[[rights.Topic, WatchEvent], None]
    synced: Callable[
        [rights.Topic, errors.ClusterError | None], None
    ]  # after a list, or after a failure
    observer: Observer
    dirty: DirtySet
    chance: Callable[[], float]
    turn: AbstractContextManager[object] = field(default_factory=threading.Lock)
    is_ended: bool = False
    _is_new: bool = True
    _known: dict[str, str] = field(default_factory=dict)
    _open: WatchableCluster | None = None

    def run(self) -> None:
        """Watch until the end."""
        backoff = Backoff(self.chance)
        while not self._is_over():
            begun = self.dirty.time.monotonic()
            failure = self._once()
            if self._is_over():
                return
            if self.dirty.time.monotonic() - begun >= STEADY:
                backoff.failures = 0
            pause = backoff.pause()
            self._report(failure, pause)
            del failure
            self.dirty.pause(pause, self._is_over)

    def end(self) -> None:
        """Close the connection and end the thread."""
        self.is_ended = True
        if (cluster := self._open) is not None:
            cluster.close()
        self.dirty.wake()

    def _is_over(self) -> bool:
        return self.is_ended or self.dirty.is_stopping

    def _once(self) -> Exception:
        try:
            with closing(self.connect()) as cluster:
                self._open = cluster
                self._follow(cluster)
        except errors.ReconcilerError as failed:
            # The traceback holds the connection and the list in memory.
            failed.__cause__ = failed.__context__ = None
            return failed.with_traceback(None)
        except Exception as bug:  # noqa: BLE001 - a bug must not end the daemon
            return bug
        finally:
            self._open = None
        return errors.UnreachableError(f"watch {self.topic.title} ends immediately")

    def _follow(self, cluster: WatchableCluster) -> None:
        topic = self.topic
        since = self._listed(cluster)
        self.synced(topic, None)
        while not self._is_over():
            begun = self.dirty.time.monotonic()
            for change in cluster.watch(
                topic.resource, topic.namespace, since=since, labels=topic.labels, heads=topic.heads
            ):
                since = _metadata(change.manifest, "resourceVersion") or since
                if change.became is not Became.BOOKMARK:
                    self._seen(change)
            if self.dirty.time.monotonic() - begun < 1.0:
                return

    def _listed(self, cluster: WatchableCluster) -> str:
        topic = self.topic
        ask = cluster.heads if topic.heads else cluster.list
        with self.turn:
            if self._is_over():
                raise errors.UnreachableError(f"watch {topic.title} ended")
            listing = ask(topic.resource, topic.namespace, labels=topic.labels)
            before, self._known = self._known, {}
            for item in listing.items:
                uid, state = _metadata(item, "uid"), topic.look(item)
                if state:
                    self._known[uid] = state
                if before.pop(uid, "") != state:
                    self.changed(topic, WatchEvent(Became.MODIFIED, item))
            # The first list may lack an object that the round before it has read.
            if before or self._is_new:
                self.changed(topic, WatchEvent(Became.MODIFIED, {}))
            self._is_new = False
            return listing.resource_version

    def _seen(self, change: WatchEvent) -> None:
        uid = _metadata(change.manifest, "uid")
        is_gone = change.became is Became.DELETED
        state = "" if is_gone else self.topic.look(change.manifest)
        if state == self._known.get(uid, ""):
            return
        self._known.pop(uid, None)
        if state:
            self._known[uid] = state
        self.changed(self.topic, change)

    def _report(self, failure: Exception, pause: float) -> None:
        title, again = self.topic.title, f"next try in {format_pause(pause)}"
        extra = {"cluster": self.cluster, "watch": title}
        if not isinstance(failure, errors.ClusterError):
            self.observer.bug_met()
            _log.error("internal error: %s; %s", failure, again, extra=extra, exc_info=failure)
            failure = errors.ClusterError(f"internal error: {type(failure).__name__}")
        elif not isinstance(failure, errors.StaleError | errors.NoSuchKindError):
            hint = f"; {failure.hint}" if failure.hint else ""
            _log.warning("%s%s; %s", failure, hint, again, extra=extra)
        if not isinstance(failure, errors.StaleError):
            self.synced(self.topic, failure)
        why = next((word for kind, word in _REASONS.items() if isinstance(failure, kind)), "failed")
        self.observer.watch_restarted(self.cluster, why)


@dataclass
class Watches:
    """All watches of clusters. Any thread may call. `deleted`: uids that a watch reported."""

    reached: RoundClusters | None
    dirty: DirtySet
    observer: Observer
    spawn: Spawn
    chance: Callable[[], float]
    deleted: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_DELETED))
    _running: dict[str, list[Informer]] = field(default_factory=dict)
    _begun: dict[str, tuple[Kubeconfig | None, tuple[rights.Topic, ...]]] = field(
        default_factory=dict
    )
    _failing: dict[str, set[str]] = field(default_factory=dict)
    _names: frozenset[str] = frozenset()
    _lock: Any = field(default_factory=RLock)

    def follow(self, applied: Sequence[Applied], found: Evaluation, *, is_full: bool) -> list[str]:
        """Begin and end watches after a round; return the clusters that are gone after a full one."""
        kinds = {item.kind for item in found.tree.settings.intake}
        hub = rights.management_topics(it for it in described_resources() if it.kind in kinds)
        ways = self.reached.kubeconfigs if self.reached is not None else {}
        stated = balancers(found.documents)
        with self._lock:
            names = frozenset(item.cluster for item in applied)
            self._names |= names
            for item in applied:
                name, way = item.cluster, ways.get(item.cluster)
                if item.uid and name == MANAGEMENT:
                    self._begin(name, None, hub)
                elif item.uid and way is not None:
                    self._begin(name, way, rights.tenant_topics(stated.get(name, USUAL)))
                elif item.state is ClusterState.WAITING:
                    self._end(name)
            gone = sorted(self._names - names) if is_full else []
            for name in gone:
                self._end(name)
                self.observer.cluster_gone(name)
            self._names -= frozenset(gone)
            return gone

    def end(self) -> None:
        """End all watches."""
        with self._lock:
            for name in list(self._running):
                self._end(name)

    def deleted_uids(self) -> frozenset[str]:
        """Return the uids of objects of intake kinds that were deleted."""
        with self._lock:
            return frozenset(self.deleted)

    def _begin(self, name: str, way: Kubeconfig | None, topics: tuple[rights.Topic, ...]) -> None:
        if self._begun.get(name) == (way, topics):
            return
        self._end(name)
        self._begun[name] = way, topics
        # A kind that hangs in the management cluster must not block other kinds.
        turn = nullcontext() if name == MANAGEMENT else Lock()
        made = [
            Informer(
                name,
                topic,
                partial(self._connect, name, way),
                partial(self._changed, name),
                partial(self._synced, name),
                self.observer,
                self.dirty,
                self.chance,
                turn,
            )
            for topic in topics
        ]
        self._running[name] = made
        for informer in made:
            self.spawn(informer.run, f"watch {name} {informer.topic.title}")

    def _end(self, name: str) -> None:
        for informer in self._running.pop(name, ()):
            informer.end()
        self._begun.pop(name, None)
        self._failing.pop(name, None)

    def _connect(self, name: str, way: Kubeconfig | None) -> WatchableCluster:
        found, clusters = None, self.reached.clusters if self.reached is not None else None
        if clusters is not None and way is not None:
            found = clusters.connect(name, way[0], is_named=way[1])
        elif clusters is not None:
            found = clusters.management()
        if found is None:
            raise errors.UnreachableError("the kubeconfig is no longer available")
        return cast("WatchableCluster", found)

    def _changed(self, name: str, topic: rights.Topic, change: WatchEvent) -> None:
        if topic.about == rights.KUBECONFIG:
            with self._lock:
                found = rights.tenant_of_secret(change.manifest, self._names)
            for cluster in found:
                self._release(cluster)
                self.dirty.mark(cluster, topic.about)
            return
        if topic.about == rights.INTAKE:
            with self._lock:
                if change.became is Became.DELETED:
                    self.deleted.append(_metadata(change.manifest, "uid"))
        self.dirty.mark(name, topic.about)

    def _synced(self, name: str, topic: rights.Topic, failure: errors.ClusterError | None) -> None:
        with self._lock:
            if name not in self._running:
                return
            failing = self._failing.setdefault(name, set())
            was_up = not failing
            if isinstance(failure, errors.UnreachableError):
                failing.add(topic.title)
            else:  # a refusal is an answer
                failing.discard(topic.title)
            is_up = not failing
        if was_up != is_up:
            self.observer.cluster_up(name, is_up=is_up)
        # Reading Secrets by name needs no right to list them.
        if isinstance(failure, errors.UnauthorizedError) and topic.about != rights.KUBECONFIG:
            self.dirty.mark(name, rights.KUBECONFIG)
        elif was_up != is_up and (is_up or name == MANAGEMENT):
            # A tenant's cluster may answer its watches and not the rounds, so its pause stays.
            if name == MANAGEMENT and is_up:
                self._release(name)
            self.dirty.mark(name, "up" if is_up else "down")

    def _release(self, name: str) -> None:
        if self.reached is not None:
            self.reached.release(name)


def _metadata(manifest: Mapping[str, Any], key: str) -> str:
    return str((manifest.get("metadata") or {}).get(key) or "")
