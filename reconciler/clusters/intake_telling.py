"""Who is told that an object is refused: its owner by an Event, once, and only so many at a time.

Whoever makes thousands of wrong objects gets no thousand requests: the others stand in the result.
"""

from collections import Counter
from collections.abc import Mapping

from reconciler.clusters.intake_memory import hash_of
from reconciler.documents.document import Identity
from reconciler.families._events import event_name, event_on, reference
from reconciler.families._intake import Intake
from reconciler.model.resource import Manifest

REJECTED = "IPAMRejected"

OF_A_NAMESPACE = 20
"""Owners in a namespace who are told, as long as their objects are refused."""

IN_ALL = 200


class Telling:
    """What is told at one look.

    Attributes:
        events: Events to make.
        told: Objects that are refused, and the hash of the reason that their owner was told.
    """

    def __init__(self, before: Mapping[Identity, str], at: int) -> None:
        self._before = before
        self._at = at
        self._taken = Counter(namespace for _, _, namespace, _ in before)
        self._left = 0
        self.events: list[Manifest] = []
        self.told: dict[Identity, str] = {}

    def refused(self, intake: Intake, identity: Identity, manifest: Manifest, reason: str) -> None:
        """Tell the owner of an object that is refused; once for each reason."""
        known, said = self._before.get(identity), hash_of(reason)
        if known is None and not self._has_room(identity[2]):
            self._left += 1
            return
        self.told[identity] = said
        if known != said:
            about = reference(intake.resource, manifest)
            name = event_name(about, REJECTED, reason)
            words = ("Warning", REJECTED, reason)
            self.events.append(event_on(about, name, words, self._at, {}))

    def notes(self) -> list[str]:
        """How many are not told, if any."""
        if not self._left:
            return []
        most = f"{OF_A_NAMESPACE} of a namespace and {IN_ALL} in all are told at a time"
        return [f"{self._left} more objects are refused without an Event: {most}"]

    def _has_room(self, namespace: str) -> bool:
        if self._taken[namespace] >= OF_A_NAMESPACE or self._taken.total() >= IN_ALL:
            return False
        self._taken[namespace] += 1
        return True
