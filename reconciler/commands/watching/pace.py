"""Who was too slow in a round rests: nobody else waits for it again and again.

What its watch says is no matter. A cluster may list and watch well, and hang on what a round asks.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from msgspec import Struct

from reconciler.commands.applying.relay import Relay
from reconciler.commands.watching.backoff import LONGEST
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, Clusters, Listing, UnreachableError

HURRY = 10.0
"""Seconds that a tenant's cluster may take in a round that is about few of them."""
CROWD = 16
"""Clusters that are asked at once and are few: where there are more, each waits for us, too."""
SLOW = 1.0
"""Seconds after which a cluster that does not answer has kept others waiting."""
TIMES = 3.0
"""How many times as long as it kept others waiting a cluster rests, and twice that the next time."""
LEAST = 1.0
"""Seconds that any rests that did not answer."""
FORGIVEN = 2 * LONGEST
"""Seconds without a failure after which the next one is the first again: one answer in between,
and one that plays dead would begin anew each time."""
_DOUBLINGS = 20


@dataclass(slots=True)
class _Rest:
    """Of one cluster: until when it rests, why, when it last failed, and how often it was slow."""

    until: float
    why: str
    at: float
    slow: int


@dataclass
class Pace:
    """Which clusters rest, and how long one may take. Any thread may use it.

    Attributes:
        monotonic: Seconds, from anywhere.
        chance: Gives a number in [0, 1).
        timeout: Seconds that a cluster may take in a round over everything.
    """

    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    timeout: float = 60.0
    _hurries: bool = False
    _rests: dict[str, _Rest] = field(default_factory=dict)
    _open: set[object] = field(default_factory=set)
    _lock: Any = field(default_factory=Lock)

    def begin(self, *, is_whole: bool) -> None:
        """A round begins: over everything, or for what some events touch."""
        self._hurries = not is_whole

    def resting(self) -> dict[str, float]:
        """The clusters that rest, each with when that ends."""
        now = self.monotonic()
        with self._lock:
            return {name: it.until for name, it in self._rests.items() if it.until > now}

    def forget(self, cluster: str) -> None:
        """A cluster is no concern of ours any more."""
        with self._lock:
            self._rests.pop(cluster, None)

    def failed(self, cluster: str, seconds: float, why: str) -> None:
        """A cluster did not answer a round, which waited for so many seconds."""
        now = self.monotonic()
        with self._lock:
            before = self._rests.get(cluster)
            if before is not None and before.until > now:
                return  # another connection of the same round
            is_first = before is None or now - before.at >= FORGIVEN
            slow = 0 if is_first or before is None else before.slow
            most = LEAST
            if seconds >= SLOW:
                most = min(LONGEST, TIMES * seconds * 2.0 ** min(slow, _DOUBLINGS))
                slow += 1
            until = now + most * (1.0 + self.chance()) / 2.0
            self._rests[cluster] = _Rest(until, why, now, slow)

    def check(self, cluster: str) -> None:
        """Refuse to ask one that rests.

        Raises:
            UnreachableError: It does; with what befell it.
        """
        now = self.monotonic()
        with self._lock:
            rest = self._rests.get(cluster)
            if rest is not None and rest.until > now:
                raise UnreachableError(rest.why, "it is asked again after a rest")

    def opened(self, connection: object) -> float | None:
        """One more cluster is asked: how many seconds it may take; None for what it has anyway."""
        with self._lock:
            self._open.add(connection)
            is_few = len(self._open) <= CROWD
        return min(HURRY, self.timeout) if self._hurries and is_few else None

    def closed(self, connection: object) -> None:
        """It is asked no more."""
        with self._lock:
            self._open.discard(connection)


class PacedClusters(Struct, frozen=True):
    """Clusters, of which none may keep the others waiting again and again.

    The management cluster may: nothing is done without it.
    """

    clusters: Clusters
    pace: Pace

    def management(self) -> Cluster | None:
        """The management cluster."""
        return self.clusters.management()

    def named(self, cluster: str) -> bytes | None:
        """As that of the clusters."""
        return self.clusters.named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """A cluster by its kubeconfig, unless it rests."""
        self.pace.check(cluster)
        made = self.clusters.connect(cluster, kubeconfig, is_named=is_named)
        token = object()
        seconds = self.pace.opened(token)
        if seconds is not None:
            made.limit(seconds)
        return _PacedCluster(made, cluster, self.pace, token, self.pace.monotonic())


class _PacedCluster(Relay, frozen=True):
    """A cluster whose failures to answer are timed, from when it was first asked."""

    name: str
    pace: Pace
    token: object
    begun: float

    def version(self) -> str:
        with self._timed():
            return super().version()

    def get(self, ref: Ref) -> Manifest | None:
        with self._timed():
            return super().get(ref)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Listing:
        with self._timed():
            return super().list(resource, namespace, labels=labels, fields=fields)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        with self._timed():
            return super().apply(manifest, manager, force=force, status=status)

    def create(self, manifest: Manifest) -> Manifest:
        with self._timed():
            return super().create(manifest)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        with self._timed():
            return super().merge(ref, patch, manager)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        with self._timed():
            super().delete(ref, uid, version)

    def close(self) -> None:
        self.pace.closed(self.token)
        super().close()

    @contextmanager
    def _timed(self) -> Iterator[None]:
        try:
            yield
        except UnreachableError as failed:
            self.pace.failed(self.name, self.pace.monotonic() - self.begun, str(failed))
            raise
