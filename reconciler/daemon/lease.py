"""Leader election by Lease; expiry is timed by this process's clock, since its last change."""

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from reconciler.daemon.dirty import DirtySet
from reconciler.kube.interface import Cluster
from reconciler.model.errors import ClusterError, NoSuchObjectError, StaleError
from reconciler.model.instant import format_instant
from reconciler.model.objects import HOME, LEASE, MANAGER, NAMESPACE, Manifest, Ref, owned_labels

NAME = "gitops-ipam"
REF = Ref(LEASE, HOME, NAME)
DURATION = 15
"""Seconds without a renewal after which another process takes over."""
DEADLINE = 10.0
"""Seconds without a renewal after which this process stops leading."""
RETRY = 2.0
LONGEST = 60
"""Longest duration of a Lease that is respected, in seconds."""
_FAREWELL = 5.0

_log = logging.getLogger(__name__)


@dataclass
class Elector:
    """A candidate with a unique name, run by one thread. `changed` is called if leading changes."""

    connect: Callable[[], Cluster | None]
    identity: str
    dirty: DirtySet
    changed: Callable[[], None]
    _renewed: float | None = None
    _seen: tuple[object, ...] = ()
    _since: float = 0.0
    _holder: str | None = None
    _is_over: bool = False
    _was_leading: bool = False
    _failure: str = ""

    def run(self) -> None:
        """Acquire and renew the Lease until the end."""
        self.step()
        while self.dirty.pause(RETRY):
            self.step()

    def step(self) -> None:
        """Acquire or renew the Lease once, or leave it to another process."""
        try:
            self._try()
            self._failed("")
        except ClusterError as failed:
            self._failed(f"{failed}; {failed.hint}" if failed.hint else str(failed))
            self._holder = self._holder if self.leads() else None
        except Exception:  # noqa: BLE001 - a bug ends no daemon
            _log.exception("internal error while reading the Lease")
        # The Lease may have expired since the last step.
        before, self._was_leading = self._was_leading, self.leads()
        if before != self._was_leading:
            self.changed()

    def _failed(self, why: str) -> None:
        before, self._failure = self._failure, why
        if why and why != before:
            _log.warning("Lease %s/%s: %s", HOME, NAME, why)
        elif before and not why:
            _log.info("Lease %s/%s: the management cluster answers again", HOME, NAME)

    def failure(self) -> str:
        """Return the failure of the last attempt; empty if it succeeded."""
        return self._failure

    def leads(self) -> bool:
        """Return whether this process leads."""
        renewed = self._renewed
        return renewed is not None and self._now() - renewed < DEADLINE

    def leader(self) -> str | None:
        """Return the name of another leader; empty if this process leads; None if unknown."""
        return "" if self.leads() else self._holder

    def release(self) -> None:
        """Release the Lease for good, even while an attempt is in progress in the thread."""
        self._is_over = True
        if self._renewed is None:
            return
        self._renewed = None
        try:
            with closing(self._connected()) as cluster:
                cluster.limit(_FAREWELL)
                live = cluster.get(REF)
                if live is not None and _spec(live).get("holderIdentity") == self.identity:
                    gone = {"holderIdentity": "", "leaseDurationSeconds": 1}
                    cluster.merge(REF, _patch(live, gone), MANAGER)
        except ClusterError as failed:
            _log.warning("cannot release Lease %s/%s, which now expires: %s", HOME, NAME, failed)

    def _try(self) -> None:
        with closing(self._connected()) as cluster:
            cluster.limit(DEADLINE)
            begun = self._now()
            live = cluster.get(REF)
            if self._is_over:  # a process that ends must not acquire the Lease
                self._renewed = None
                return
            if live is None:
                self._make(cluster)
            elif not self._may_take(live):
                self._renewed = None
                return
            else:
                try:
                    cluster.merge(REF, _patch(live, self._held(live, cluster.now())), MANAGER)
                except StaleError:
                    return  # another process was faster
            self._renewed, self._holder = begun, self.identity

    def _make(self, cluster: Cluster) -> None:
        manifest = {
            "apiVersion": LEASE.api_version,
            "kind": LEASE.kind,
            "metadata": {"namespace": HOME, "name": NAME, "labels": owned_labels()},
            "spec": self._held({}, cluster.now()),
        }
        try:
            cluster.create(manifest)
        except NoSuchObjectError:
            home = {"name": HOME, "labels": owned_labels()}
            namespace = {"apiVersion": "v1", "kind": NAMESPACE.kind, "metadata": home}
            cluster.apply(namespace, MANAGER)
            cluster.create(manifest)

    def _may_take(self, live: Manifest) -> bool:
        spec = _spec(live)
        holder = str(spec.get("holderIdentity") or "")
        seen = (holder, spec.get("renewTime"), spec.get("acquireTime"))
        if seen != self._seen:
            self._seen, self._since = seen, self._now()
        self._holder = holder
        seconds = min(spec.get("leaseDurationSeconds") or DURATION, LONGEST)
        return holder in ("", self.identity) or self._now() - self._since >= seconds

    def _held(self, live: Manifest, now: int) -> dict[str, Any]:
        spec = _spec(live)
        time = format_instant(now).replace("Z", ".000000Z")
        held = {"holderIdentity": self.identity, "leaseDurationSeconds": DURATION}
        held["renewTime"] = time
        if spec.get("holderIdentity") != self.identity:
            changes = spec.get("leaseTransitions") or 0
            held |= {"acquireTime": time, "leaseTransitions": changes + bool(spec)}
        return held

    def _connected(self) -> Cluster:
        cluster = self.connect()
        if cluster is None:
            raise ClusterError("no management cluster given")
        return cluster

    def _now(self) -> float:
        return self.dirty.time.monotonic()


def _spec(live: Manifest) -> Mapping[str, Any]:
    return live.get("spec") or {}


def _patch(live: Manifest, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}, "spec": spec}
