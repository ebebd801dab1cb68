"""Who of several processes works: a Lease in the management cluster.

It saves work, and keeps nothing apart: the branch does that. So a Lease that two hold for a moment
does no harm. Whether another one is dead is told by our own clock alone, from when we saw its Lease
change: clocks of machines differ.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from reconciler.clusters.desired import MANAGER, owned_labels
from reconciler.clusters.resources import LEASE, NAMESPACE
from reconciler.commands.watching.dirty import DirtySet
from reconciler.model.cluster import HOME
from reconciler.model.instant import format_instant
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import Cluster, ClusterError, NoSuchObjectError, StaleError

NAME = "gitops-ipam"
REF = Ref(LEASE, HOME, NAME)
DURATION = 15
"""Seconds after which others take over from one that is not heard of."""
DEADLINE = 10.0
"""Seconds after which one that cannot renew takes itself for the leader no more."""
RETRY = 2.0
LONGEST = 60
"""Seconds that another one is waited for at most, whatever its Lease says."""
_COUNTED = 2**31 - 1
"""The largest number that a Lease may hold."""
_FAREWELL = 5.0

_log = logging.getLogger(__name__)


@dataclass
class Elector:
    """One process that would lead. One thread runs it; any may ask.

    Attributes:
        connect: Reaches the management cluster, for one try.
        identity: What no other process is called.
        changed: Is called when it leads, or does not any more.
    """

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
        """Try to lead, and go on leading, until the end."""
        is_going = True
        while is_going:
            self.step()
            is_going = self.dirty.pause(RETRY)

    def step(self) -> None:
        """Look at the Lease once: take it, renew it, or leave it to another."""
        try:
            self._try()
            self._failed("")
        except ClusterError as failed:
            self._failed(f"{failed}; {failed.hint}" if failed.hint else str(failed))
            self._holder = self._holder if self.leads() else None
        except Exception:  # noqa: BLE001 - a bug ends no daemon
            _log.exception("a bug while the Lease was looked at")
        # It may have run out since the step before: nobody was told of that.
        before, self._was_leading = self._was_leading, self.leads()
        if before != self._was_leading:
            self.changed()

    def _failed(self, why: str) -> None:
        """Keep why a try failed, empty when it did not; it is told when it is another reason."""
        before, self._failure = self._failure, why
        if why and why != before:
            _log.warning("Lease %s/%s: %s", HOME, NAME, why)
        elif before and not why:
            _log.info("Lease %s/%s: the management cluster answers again", HOME, NAME)

    def failure(self) -> str:
        """Why the last try failed; empty when it did not."""
        return self._failure

    def leads(self) -> bool:
        """This process is the one that works."""
        renewed = self._renewed
        return renewed is not None and self._now() - renewed < DEADLINE

    def leader(self) -> str | None:
        """Who leads instead; empty when this process does, None when nobody knows."""
        return "" if self.leads() else self._holder

    def release(self) -> None:
        """Let others take over at once, and take it no more: a try may be under way in its thread."""
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
            _log.warning("Lease %s/%s is not released, and runs out: %s", HOME, NAME, failed)

    def _try(self) -> None:
        with closing(self._connected()) as cluster:
            cluster.limit(DEADLINE)
            begun = self._now()
            live = cluster.get(REF)
            if self._is_over:  # who ends takes nothing: others would wait for one that is gone
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
                    return  # another one was faster
            self._renewed, self._holder = begun, self.identity

    def _make(self, cluster: Cluster) -> None:
        metadata = {"namespace": HOME, "name": NAME, "labels": owned_labels()}
        manifest = {"apiVersion": LEASE.api_version, "kind": LEASE.kind, "metadata": metadata}
        manifest["spec"] = self._held(manifest, cluster.now())
        try:
            cluster.create(manifest)
        except NoSuchObjectError:
            home = {"name": HOME, "labels": owned_labels()}
            namespace = {"apiVersion": "v1", "kind": NAMESPACE.kind, "metadata": home}
            cluster.apply(namespace, MANAGER)
            cluster.create(manifest)

    def _may_take(self, live: Manifest) -> bool:
        """It is ours, nobody's, or of one that was not heard of for as long as it said."""
        spec = _spec(live)
        holder = str(spec.get("holderIdentity") or "")
        seen = (holder, spec.get("renewTime"), spec.get("acquireTime"))
        if seen != self._seen:
            self._seen, self._since = seen, self._now()
        self._holder = holder
        said = spec.get("leaseDurationSeconds")
        seconds = min(said, LONGEST) if isinstance(said, int) and said > 0 else DURATION
        return holder in ("", self.identity) or self._now() - self._since >= seconds

    def _held(self, live: Manifest, now: int) -> dict[str, Any]:
        """The spec of a Lease that this process holds."""
        spec = _spec(live)
        time = format_instant(now).replace("Z", ".000000Z")
        is_ours = spec.get("holderIdentity") == self.identity
        count = spec.get("leaseTransitions")
        changes = count if isinstance(count, int) and 0 <= count < _COUNTED else 0
        held = {"holderIdentity": self.identity, "leaseDurationSeconds": DURATION}
        held["renewTime"] = time
        if not is_ours:
            held |= {"acquireTime": time, "leaseTransitions": changes + bool(spec)}
        return held

    def _connected(self) -> Cluster:
        cluster = self.connect()
        if cluster is None:
            raise ClusterError("no management cluster is named")
        return cluster

    def _now(self) -> float:
        return self.dirty.time.monotonic()


def _spec(live: Manifest) -> Mapping[str, Any]:
    spec = live.get("spec")
    return spec if isinstance(spec, Mapping) else {}


def _patch(live: Manifest, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A change of the very state that was read."""
    return {"metadata": {"resourceVersion": live["metadata"]["resourceVersion"]}, "spec": spec}
