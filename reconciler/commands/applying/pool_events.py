"""Events on pools, made beside their status; what lately was told is read from the cluster.

An event that cannot be made fails nothing: the conditions say what is.
"""

from collections.abc import Callable, Iterator, Mapping

from reconciler.clusters.intent import Intent
from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.commands.applying.ledger import Ledger
from reconciler.families import families
from reconciler.families._objects import Happening
from reconciler.model.builtin import EVENT
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import ClusterError, StaleError, UnreachableError

# A repository that is applied for the first time would flood the cluster; git log has it all.
_MOST_ALLOCATIONS = 50


class Announcer:
    """Makes the events of one run."""

    def __init__(
        self, ledger: Ledger, pools: Mapping[Ref, Pool], there: Mapping[Ref, Manifest]
    ) -> None:
        """Begin.

        Args:
            ledger: The cluster.
            pools: All pools, for their thresholds.
            there: All objects that were there before.
        """
        self._ledger = ledger
        self._pools = pools
        self._there = there
        self._known: dict[tuple[Resource, str], list[Manifest]] = {}
        self._hooks = [hook for family in families() if (hook := family.objects.event) is not None]
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
        is_record = intent.ref.resource == IP_ALLOCATION
        if is_record and self._left <= 0:
            return
        happening = Happening(
            ref=intent.ref,
            is_record=is_record,
            wanted={**intent.body, "metadata": now["metadata"], "status": intent.status},
            before=before,
            pools=self._pools,
            there=self._there,
            told=self._events,
            now=self._ledger.cluster.now(),
        )
        made = sum(self._make(hook, happening) for hook in self._hooks)
        self._left -= made if is_record else 0

    def _events(self, resource: Resource, namespace: str) -> Iterator[Manifest]:
        """Events on objects of a kind; asked for only when somebody looks at them."""
        if (resource, namespace) not in self._known:
            kind = f"involvedObject.kind={resource.kind}"
            found = self._ledger.cluster.list(EVENT, namespace, fields=kind)
            self._known[resource, namespace] = list(found)
        yield from self._known[resource, namespace]

    def _make(self, tells: Callable[[Happening], Manifest | None], happening: Happening) -> bool:
        """Make the event that there is cause for; whether there is one."""
        try:
            event = tells(happening)
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
