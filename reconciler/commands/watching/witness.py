"""What watches saw and no round can read: since when Services wait, and what went on purpose.

A server tells times by whole seconds, and the beginning of a wait not at all. Of what is gone it
tells those alone who watched it go.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from reconciler.clusters.watched import INTAKE, SERVICES, Topic, deleted_of, is_waiting
from reconciler.commands.watching.notes import uid_of
from reconciler.model.resource import Manifest
from reconciler.ports import Became, Change

MOST = 1_000
"""Services of one cluster of which is kept since when they wait; others go by its server's clock."""
MOST_DELETED = 10_000
"""Objects of which is kept that they were deleted; of older ones two lists have to tell."""


@dataclass
class Witness:
    """What was seen. Any thread may tell, or ask.

    Attributes:
        monotonic: The clock that a wait is measured by.
    """

    monotonic: Callable[[], float] = time.monotonic
    _since: dict[str, dict[str, float]] = field(default_factory=dict)
    _deleted: dict[str, Manifest] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def listed(self, cluster: str, topic: Topic, items: Collection[Manifest]) -> None:
        """All objects of a topic are there that a list shows, and no others."""
        if topic.about == INTAKE:
            self.settled(map(uid_of, items))
        elif topic.about == SERVICES:
            self._waiting(cluster, items)

    def told(self, cluster: str, topic: Topic, change: Change) -> None:
        """An object of a topic changed."""
        if topic.about == INTAKE:
            self._went(topic, change)
        elif topic.about == SERVICES:
            self._waits(cluster, change)

    def _waiting(self, cluster: str, items: Iterable[Manifest]) -> None:
        waiting = [uid for item in items if is_waiting(item) and (uid := uid_of(item))]
        with self._lock:
            before, now = self._since.pop(cluster, {}), self.monotonic()
            found = {uid: before[uid] for uid in waiting if uid in before}
            for uid in waiting:
                if len(found) >= MOST:
                    break
                found.setdefault(uid, now)
            if found:
                self._since[cluster] = found

    def _waits(self, cluster: str, change: Change) -> None:
        uid = uid_of(change.manifest)
        waits = change.became is not Became.DELETED and is_waiting(change.manifest)
        with self._lock:
            if uid and waits:
                found = self._since.setdefault(cluster, {})
                if len(found) < MOST:
                    found.setdefault(uid, self.monotonic())
            elif cluster in self._since:
                self._since[cluster].pop(uid, None)
                if not self._since[cluster]:
                    del self._since[cluster]

    def waited(self) -> Mapping[str, Mapping[str, float]]:
        """For how many seconds Services wait, by cluster and uid."""
        with self._lock:
            now = self.monotonic()
            return {
                cluster: {uid: now - since for uid, since in found.items()}
                for cluster, found in self._since.items()
            }

    def _went(self, topic: Topic, change: Change) -> None:
        """One that went is kept until its copy is gone from Git, or it is there again."""
        uid, gone = uid_of(change.manifest), None
        if change.became is Became.DELETED:
            gone = deleted_of(change.manifest, topic.resource)
        with self._lock:
            self._deleted.pop(uid, None)
            if gone is not None:
                self._deleted[uid] = gone
            while len(self._deleted) > MOST_DELETED:
                del self._deleted[next(iter(self._deleted))]

    def deleted(self) -> tuple[Manifest, ...]:
        """Objects that went after somebody deleted them, as far as Git may still have a copy."""
        with self._lock:
            return tuple(self._deleted.values())

    def settled(self, uids: Iterable[str]) -> None:
        """Of some objects nobody has to know any more that they went."""
        with self._lock:
            for uid in uids:
                self._deleted.pop(uid, None)

    def forget(self, cluster: str) -> None:
        """A cluster is no concern of ours any more."""
        with self._lock:
            self._since.pop(cluster, None)
