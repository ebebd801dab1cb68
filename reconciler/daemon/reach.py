"""Clusters as rounds reach them: a cluster that does not answer must not delay the others."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, cast

from reconciler.daemon.dirty import MAX_PAUSE, Backoff
from reconciler.kube.interface import Cluster, Clusters
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import MANAGEMENT

TIMEOUT = 10.0
"""Seconds that a tenant's cluster may take in a round that is not a full one."""
MAX_LIMITED = 16
"""Clusters in a round with that limit. In larger rounds, clusters also wait for this process."""
SLOW = 1.0
"""Seconds after which a cluster that does not answer has delayed the round."""
FORGIVEN = 2 * MAX_PAUSE
"""Seconds without a failure after which a cluster is retried with the shortest pause again."""


class _Failure(NamedTuple):
    at: float
    until: float
    backoff: Backoff
    why: str


@dataclass
class RoundClusters:
    """Clusters as rounds reach them: a cluster that did not answer is not asked until its pause ends."""

    clusters: Clusters
    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    kubeconfigs: dict[str, tuple[bytes, bool]] = field(default_factory=dict)
    _failures: dict[str, _Failure] = field(default_factory=dict)
    _limited: int = 0
    _lock: Any = field(default_factory=Lock)

    def management(self) -> Cluster | None:
        """Return the management cluster. Raises UnreachableError during its pause."""
        self._check(MANAGEMENT)
        found = self.clusters.management()
        return None if found is None else self._reported(MANAGEMENT, found)

    def named(self, cluster: str) -> bytes | None:
        """Return the kubeconfig that the user named for a cluster."""
        return self.clusters.named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """Return a cluster by its kubeconfig. Raises UnreachableError during its pause."""
        before = self.kubeconfigs.get(cluster, (kubeconfig, is_named))
        if before != (kubeconfig, is_named):
            self.release(cluster)
        self.kubeconfigs[cluster] = kubeconfig, is_named
        self._check(cluster)
        made = self.clusters.connect(cluster, kubeconfig, is_named=is_named)
        with self._lock:
            self._limited -= 1
            is_limited = self._limited >= 0
        if is_limited:
            made.limit(TIMEOUT)
        return self._reported(cluster, made)

    def begin(self, dirty: frozenset[str] | None) -> None:
        """Begin a round. In a full round each cluster may take the time of `--timeout`."""
        is_small = dirty is not None and len(dirty) <= MAX_LIMITED
        # A cluster is reached once for its demand, and once to apply. A commit may change many.
        self._limited = 2 * MAX_LIMITED if is_small else 0

    def held(self) -> dict[str, float]:
        """Return the clusters that are not asked, each with the end of its pause."""
        now = self.monotonic()
        with self._lock:
            return {name: it.until for name, it in self._failures.items() if it.until > now}

    def release(self, cluster: str) -> None:
        """End the pause of a cluster."""
        with self._lock:
            self._failures.pop(cluster, None)

    def forget(self, cluster: str) -> None:
        """Forget a cluster that is gone."""
        self.release(cluster)
        self.kubeconfigs.pop(cluster, None)

    def _check(self, cluster: str) -> None:
        with self._lock:
            failure = self._failures.get(cluster)
            if failure is not None and failure.until > self.monotonic():
                raise UnreachableError(failure.why)

    def _reported(self, name: str, cluster: Cluster) -> Cluster:
        failed = partial(self._failed, name, self.monotonic())
        return cast("Cluster", _ReportingCluster(cluster, failed))

    def _failed(self, name: str, begun: float, why: str) -> None:
        """Begin a pause: longer the longer the cluster delayed the round."""
        now = self.monotonic()
        with self._lock:
            before = self._failures.get(name)
            if before is not None and before.until > now:
                return
            is_again = before is not None and now - before.at < FORGIVEN
            backoff = before.backoff if before and is_again else Backoff(self.chance)
            is_slow = now - begun >= SLOW and name != MANAGEMENT
            pause = backoff.pause(3 * (now - begun) if is_slow else 1.0)
            # Clusters that fail together are retried together: each retry delays one round.
            near = [it.until for it in self._failures.values() if it.until > now + pause / 2]
            until = min((it for it in near if it < now + 1.5 * pause), default=now + pause)
            self._failures[name] = _Failure(now, until, backoff, why)


class _ReportingCluster:
    def __init__(self, cluster: Cluster, failed: Callable[[str], None]) -> None:
        self._cluster, self._failed = cluster, failed

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._cluster, name)

        def reported(*args: Any, **options: Any) -> Any:
            try:
                return call(*args, **options)
            except UnreachableError as failed:
                self._failed(str(failed))
                raise

        return reported
