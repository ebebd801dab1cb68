"""Events on NetworkPools, made beside their status; what lately was told is read from the cluster.

An event that cannot be made fails nothing: the conditions say what is.
"""

from collections.abc import Callable, Iterator, Mapping

from reconciler.clusters.events import allocation_event, capacity_event
from reconciler.clusters.intent import Intent
from reconciler.clusters.resources import EVENT, IP_ALLOCATION, NETWORK_POOL
from reconciler.commands.applying.ledger import Ledger
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import ClusterError, StaleError, UnreachableError

# A repository that is applied for the first time would flood the cluster; git log has it all.
_MOST_ALLOCATIONS = 50


class Announcer:
    """Makes the events of one run."""

    def __init__(
        self, ledger: Ledger, pools: Mapping[Ref, Pool], there: Mapping[Ref, Manifest]
    ) -> None:
        """Of the pools that were there before this run alone is told who got what.

        Args:
            ledger: The cluster.
            pools: All pools, for their thresholds.
            there: All objects that were there before.
        """
        self._ledger = ledger
        self._pools = pools
        self._there = there
        self._known: dict[str, list[Manifest]] = {}
        self._left = _MOST_ALLOCATIONS
        self.notes: list[str] = []

    def tell(self, intent: Intent, before: Manifest | None, now: Manifest | None) -> None:
        """What a change of an object gives cause to tell.

        Args:
            intent: What the object shall be.
            before: What it was, or None.
            now: What it is, as far as it was applied; None when it is not known.
        """
        if self._ledger.wish.dry_run or now is None or intent.body is None:
            return
        wanted = {**intent.body, "metadata": now["metadata"], "status": intent.status}
        if intent.ref.resource == NETWORK_POOL and intent.ref in self._pools:
            thresholds = self._pools[intent.ref].thresholds
            recent = self._events(intent.ref.namespace)
            at = self._ledger.cluster.now()
            self._make(lambda: capacity_event(wanted, before, thresholds, recent, at))
        elif intent.ref.resource == IP_ALLOCATION and self._left > 0:
            pool = self._live_pool(wanted)
            if pool is None:
                return
            at = self._ledger.cluster.now()
            self._left -= self._make(lambda: allocation_event(wanted, before, pool, at))

    def _live_pool(self, record: Manifest) -> Manifest | None:
        namespace = record["metadata"]["namespace"]
        name = record["spec"]["poolRef"]["name"]
        return self._there.get(Ref(NETWORK_POOL, namespace, name))

    def _events(self, namespace: str) -> Iterator[Manifest]:
        """Events of a namespace; asked for only when some tier was crossed."""
        if namespace not in self._known:
            kind = f"involvedObject.kind={NETWORK_POOL.kind}"
            found = self._ledger.cluster.list(EVENT, namespace, fields=kind)
            self._known[namespace] = list(found)
        yield from self._known[namespace]

    def _make(self, tells: Callable[[], Manifest | None]) -> bool:
        """Make the event that there is cause for; whether there is one."""
        try:
            event = tells()
            if event is not None:
                self._ledger.cluster.create(event)
        except StaleError:
            return True  # a run that was cut off made it
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.notes.append(f"an event was not made: {failed}")
            return True
        return event is not None
