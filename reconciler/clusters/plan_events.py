"""Events on NetworkPools in the plan: told beside the status that gives cause for them.

What lately was told is read from the cluster, and only when some tier was crossed.
"""

from collections.abc import Mapping, Sequence

from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.resources import EVENT, IP_ALLOCATION, NETWORK_POOL
from reconciler.clusters.snapshot import Live, Objects, Query, Snapshot, Tolerates
from reconciler.clusters.steps import Tell
from reconciler.model.pool import Pool, Thresholds
from reconciler.model.resource import Manifest, Ref

# A repository that is applied for the first time would flood the cluster; git log has it all.
_MOST_ALLOCATIONS = 50


class EventRecorder:
    """The events in the plan of one cluster.

    Of the pools that were there before this run alone is told who got what.

    Attributes:
        notes: Events that cannot be made, and why.
    """

    def __init__(self, pools: Sequence[Pool], there: Objects, snapshot: Snapshot) -> None:
        self._pools: Mapping[Ref, Thresholds] = {
            Ref(NETWORK_POOL, pool.key.namespace, pool.key.name): pool.thresholds for pool in pools
        }
        self._there = there
        self._snapshot = snapshot
        self._left = _MOST_ALLOCATIONS
        self.notes: list[str] = []

    def need(self, desired: Sequence[DesiredObject]) -> None:
        """Have read what was told lately of the pools that cross a tier.

        Raises:
            Unanswered: It has to be read.
        """
        crossing = {
            item.ref.namespace: None
            for item in desired
            if item.ref in self._pools and self._told(item, self._thresholds(item))
        }
        self._snapshot.need(*map(_events, crossing))

    def tell(self, desired: DesiredObject) -> Tell | None:
        """The event that a change of an object gives cause for, if it does."""
        if desired.body is None:
            return None
        if desired.ref in self._pools:
            return self._of_pool(desired)
        if desired.ref.resource == IP_ALLOCATION and self._left > 0:
            return self._of_allocation(desired)
        return None

    def _thresholds(self, desired: DesiredObject) -> Tell:
        return Tell(desired, self._there.get(desired.ref), self._pools[desired.ref])

    def _of_pool(self, desired: DesiredObject) -> Tell | None:
        tell = self._thresholds(desired)
        if not self._told(desired, tell):
            return None
        answer = self._snapshot.of(_events(desired.ref.namespace))
        if answer.problem or answer.is_unknown:
            self.notes.append(f"an event was not made: {answer.problem}")
            return None
        recent = tuple(live.manifest for live in answer.objects.values())
        tell = Tell(desired, tell.before, tell.thresholds, recent)
        return tell if self._told(desired, tell) else None

    def _of_allocation(self, desired: DesiredObject) -> Tell | None:
        pool = self._pool_of(desired.body or {}, desired.ref.namespace)
        if pool is None:
            return None
        tell = Tell(desired, self._there.get(desired.ref), pool=pool.manifest)
        if not self._told(desired, tell):
            return None
        self._left -= 1
        return tell

    def _pool_of(self, body: Manifest, namespace: str) -> Live | None:
        return self._there.get(Ref(NETWORK_POOL, namespace, body["spec"]["poolRef"]["name"]))

    def _told(self, desired: DesiredObject, tell: Tell) -> bool:
        """There is an event to make, whatever the uid of the object."""
        now = tell.before or Live(desired.ref, desired.body or {})
        return tell.event(now, self._snapshot.now) is not None


def _events(namespace: str) -> Query:
    selector = f"involvedObject.kind={NETWORK_POOL.kind}"
    return Query(EVENT, namespace, fields=selector, tolerates=Tolerates.REFUSAL)
