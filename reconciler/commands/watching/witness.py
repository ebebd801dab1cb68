"""What watches saw and no round can read: since when Services wait for an address.

A server tells times by whole seconds, and the beginning of a wait not at all.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from reconciler.clusters.watched import SERVICES, Topic, is_waiting
from reconciler.commands.watching.notes import uid_of
from reconciler.model.resource import Manifest
from reconciler.ports import Became, Change

MOST = 1_000
"""Services of one cluster of which is kept since when they wait; others go by its server's clock."""


@dataclass
class Witness:
    """What was seen. Any thread may tell, or ask.

    Attributes:
        monotonic: The clock that a wait is measured by.
    """

    monotonic: Callable[[], float] = time.monotonic
    _since: dict[str, dict[str, float]] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def listed(self, cluster: str, topic: Topic, items: Iterable[Manifest]) -> None:
        """All objects of a topic are there that a list shows, and no others."""
        if topic.about != SERVICES:
            return
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

    def told(self, cluster: str, topic: Topic, change: Change) -> None:
        """An object of a topic changed."""
        uid = uid_of(change.manifest)
        if topic.about != SERVICES or not uid:
            return
        is_there = change.became is not Became.DELETED
        with self._lock:
            if is_there and is_waiting(change.manifest):
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

    def forget(self, cluster: str) -> None:
        """A cluster is no concern of ours any more."""
        with self._lock:
            self._since.pop(cluster, None)
