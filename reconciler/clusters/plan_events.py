"""Events in the plan: told beside the status that gives cause for them.

What lately was told is read from the cluster, and only when there is something to tell.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.resources import EVENT, IP_ALLOCATION, pools_by_ref
from reconciler.clusters.snapshot import Live, Objects, Query, Snapshot, Tolerates
from reconciler.clusters.steps import Tell
from reconciler.model.pool import Pool
from reconciler.model.resource import Ref, Resource

# A repository that is applied for the first time would flood the cluster; git log has it all.
_MOST = 50


class EventRecorder:
    """The events in the plan of one cluster: what families have to tell of a change.

    Attributes:
        notes: Events that cannot be made, and why.
    """

    def __init__(self, pools: Sequence[Pool], there: Objects, snapshot: Snapshot) -> None:
        self._pools: Mapping[Ref, Pool] = pools_by_ref(pools)
        self._there = there
        self._snapshot = snapshot
        self._told: Counter[Resource] = Counter()
        self.notes: list[str] = []

    def need(self, desired: Sequence[DesiredObject]) -> None:
        """Have read what was told lately of the objects that there is something to tell of.

        Raises:
            Unanswered: It has to be read.
        """
        told = {_events(item.ref): None for item in desired if self._first(item) is not None}
        self._snapshot.need(*told)

    def tell(self, desired: DesiredObject) -> Tell | None:
        """The event that a change of an object gives cause for, if it does."""
        if desired.ref.resource == IP_ALLOCATION:
            return self._of_allocation(desired)
        tell = self._first(desired)
        if tell is None or self._is_enough(desired.ref):
            return None
        answer = self._snapshot.of(_events(desired.ref))
        if answer.problem or answer.is_unknown:
            self.notes.append(f"an event was not made: {answer.problem}")
            return None
        recent = tuple(live.manifest for live in answer.objects.values())
        return self._counted(Tell(desired, tell.before, tell.pool, tell.there, recent))

    def _of_allocation(self, desired: DesiredObject) -> Tell | None:
        if desired.body is None or self._is_enough(desired.ref):
            return None
        return self._counted(Tell(desired, self._there.get(desired.ref), there=self._there))

    def _counted(self, tell: Tell) -> Tell | None:
        if not self._is_told(tell):
            return None
        self._told[tell.desired.ref.resource] += 1
        return tell

    def _is_enough(self, ref: Ref) -> bool:
        """Of a kind that holds addresses so much was told that the rest is left to `git log`."""
        return self._told[ref.resource] >= _MOST and ref not in self._pools

    def _first(self, desired: DesiredObject) -> Tell | None:
        """What there is to tell of an object that is no record, if nobody told it before."""
        before, pool = self._there.get(desired.ref), self._pools.get(desired.ref)
        is_nowhere = desired.body is None and before is None
        if is_nowhere or desired.ref.resource == IP_ALLOCATION:
            return None
        tell = Tell(desired, before, pool, self._there)
        return tell if self._is_told(tell) else None

    def _is_told(self, tell: Tell) -> bool:
        """There is an event to make, whatever the uid of the object."""
        now = tell.before or Live(tell.desired.ref, tell.desired.body or {})
        return tell.event(now, self._snapshot.now) is not None


def _events(ref: Ref) -> Query:
    """What was told of objects of a kind in a namespace; without one, in the default one."""
    selector = f"involvedObject.kind={ref.resource.kind}"
    place = ref.namespace or "default"
    return Query(EVENT, place, fields=selector, tolerates=Tolerates.REFUSAL)
