"""One watch: list, then watch from there, and again whenever it breaks off, for as long as it lasts."""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, field
from typing import Any

from msgspec import Struct

from reconciler.clusters.watched import Topic
from reconciler.commands.watching.backoff import Backoff, spelled
from reconciler.commands.watching.failures import alone
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.notes import gone_mark, mark_of, uid_of
from reconciler.commands.watching.observer import Observer
from reconciler.commands.watching.witness import Witness
from reconciler.model.resource import Manifest
from reconciler.ports import (
    Became,
    Change,
    ClusterError,
    NoSuchKindError,
    ReconcilerError,
    StaleError,
    UnauthorizedError,
    UnreachableError,
    WatchableCluster,
)

STEADY = 30.0
"""Seconds that a watch has to last for its next failure to be the first again."""
MOST = 100_000
"""Objects that are remembered of a watch; what more there are is news whenever it is told."""

_LEFT = "left"  # how an object looked that nobody watched: as none does
_log = logging.getLogger(__name__)


class Ears(Struct, frozen=True):
    """Whom a watch tells what.

    Attributes:
        news: An object that counts is new, another than it was, or gone; with its mark.
        ups: The watch works, or does not; with the failure.
        observer: Is told when it begins anew.
        witness: Keeps what no round can read; it knows it before there are news.
        left: The uids of our own objects of a topic that the last round left there.
    """

    news: Callable[[Topic, Manifest, str], None]
    ups: Callable[[Topic, ClusterError | None], None]
    observer: Observer
    witness: Witness
    left: Callable[[Topic], Iterable[str]]


@dataclass
class Watcher:
    """A watch of one topic in one cluster. One thread runs it; any may end it.

    Attributes:
        cluster: The cluster's name.
        connect: Reaches it. Each time that it breaks off it is reached anew.
        inbox: Passes the time, and tells when all shall end.
        chance: Gives a number in [0, 1).
        turn: Is held while a list is read: those of a cluster are in memory one after another.
    """

    cluster: str
    topic: Topic
    connect: Callable[[], WatchableCluster]
    ears: Ears
    inbox: Inbox
    chance: Callable[[], float]
    turn: AbstractContextManager[object] = field(default_factory=threading.Lock)
    is_ended: bool = False
    _known: dict[str, str] | None = None
    _open: Any = None
    _extra: dict[str, Any] = field(default_factory=dict)

    def run(self) -> None:
        """Watch until the end."""
        backoff = Backoff(self.chance)
        self._extra = {"cluster": self.cluster, "watch": self.topic.title}
        while not self._is_over():
            begun = self.inbox.time.monotonic()
            failure = self._once()
            if self._is_over():
                return
            if self.inbox.time.monotonic() - begun >= STEADY:
                backoff.reset()
            pause = backoff.pause()
            self._tell(failure, pause)
            del failure  # of a bug the way was told by now
            self.inbox.pause(pause, self._is_over)

    def end(self) -> None:
        """End it, from another thread: its connection is closed, and it is not begun anew."""
        self.is_ended = True
        if (cluster := self._open) is not None:
            cluster.close()
        self.inbox.wake()

    def _is_over(self) -> bool:
        return self.is_ended or self.inbox.is_stopping

    def _once(self) -> Exception:
        """One connection, from its list to its failure."""
        try:
            with closing(self.connect()) as cluster:
                self._open = cluster
                self._follow(cluster)
        except ReconcilerError as failed:
            return alone(failed)
        except Exception as bug:  # noqa: BLE001 - a bug ends no daemon
            return bug
        finally:
            self._open = None
        return UnreachableError(f"watch {self.topic.title}: it ends as soon as it begins")

    def _follow(self, cluster: WatchableCluster) -> None:
        """List and watch; a watch that a server ends in order goes on from there."""
        topic = self.topic
        since = self._listed(cluster)
        self.ears.ups(topic, None)
        while not self._is_over():
            begun = self.inbox.time.monotonic()
            for change in cluster.watch(
                topic.resource,
                topic.namespace,
                since=since,
                labels=topic.labels,
                heads=topic.heads,
            ):
                since = mark_of(change.manifest) or since
                if change.became is not Became.BOOKMARK:
                    self._changed(change)
            if self.inbox.time.monotonic() - begun < 1.0:
                return

    def _listed(self, cluster: WatchableCluster) -> str:
        """List; returns from where to watch. Of the objects nothing is kept but how they look."""
        topic = self.topic
        ask = cluster.heads if topic.heads else cluster.list
        with self.turn:
            if self._is_over():
                raise UnreachableError(f"watch {topic.title}: it was ended")
            listing = ask(topic.resource, topic.namespace, labels=topic.labels)
            self._relisted(listing.items)
            return listing.resource_version

    def _relisted(self, items: Sequence[Manifest]) -> None:
        """What a list tells: what is other than before, and what is gone."""
        self.ears.witness.listed(self.cluster, self.topic, items)
        before, self._known = self._known, {}
        if before is None:
            before = dict.fromkeys(self.ears.left(self.topic), _LEFT)
        for item in items:
            uid = uid_of(item)
            looks = self.topic.look(item)
            if looks and len(self._known) < MOST:
                self._known[uid] = looks
            if looks != before.pop(uid, ""):
                self.ears.news(self.topic, item, mark_of(item))
        for uid in before:
            self.ears.news(self.topic, {}, gone_mark(uid))

    def _changed(self, change: Change) -> None:
        """What a watch tells."""
        self.ears.witness.told(self.cluster, self.topic, change)
        item, is_gone = change.manifest, change.became is Became.DELETED
        known = self._known if self._known is not None else {}
        uid = uid_of(item)
        looks = "" if is_gone else self.topic.look(item)
        if looks == known.get(uid, "") and len(known) < MOST:
            return
        if looks and len(known) < MOST:
            known[uid] = looks
        else:
            known.pop(uid, None)
        self.ears.news(self.topic, item, gone_mark(uid) if is_gone else mark_of(item))

    def _tell(self, failure: Exception, pause: float) -> None:
        title, again = self.topic.title, f"next try in {spelled(pause)}"
        if not isinstance(failure, ClusterError):
            self.ears.observer.bug_met(f"watch {title}")
            _log.error("a bug: %s; %s", failure, again, extra=self._extra, exc_info=failure)
            failure = ClusterError(f"a bug: {type(failure).__name__}")
        elif not isinstance(failure, StaleError | NoSuchKindError):
            hint = f"; {failure.hint}" if failure.hint else ""
            _log.warning("%s%s; %s", failure, hint, again, extra=self._extra)
        if not isinstance(failure, StaleError):
            self.ears.ups(self.topic, failure)
        why = next((word for kind, word in _WORDS.items() if isinstance(failure, kind)), "failed")
        self.ears.observer.watch_restarted(self.cluster, title, why)


_WORDS: Mapping[type[ClusterError], str] = {
    StaleError: "expired",
    UnreachableError: "unreachable",
    UnauthorizedError: "unauthorized",
    NoSuchKindError: "unknown-kind",
}
