"""The objects of the management cluster in the order in which they are written, with their events."""

from collections.abc import Collection, Sequence

from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.fitting import Fits
from reconciler.clusters.plan import Draft
from reconciler.clusters.plan_events import EventRecorder
from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.clusters.snapshot import Objects
from reconciler.clusters.steps import Tell
from reconciler.model.resource import Resource


class Bringing:
    """Puts the steps that bring objects to what they shall be into a plan.

    First what families make, then what is written into objects of others: somebody waits for that.
    Nobody waits for events, nor for the copies of records, nor for owners. An event of what is new
    comes as soon as it keeps nobody waiting: the next run finds nothing new there, and tells nothing.
    """

    def __init__(
        self, draft: Draft, recorder: EventRecorder, live: Objects, unknown: Collection[Resource]
    ) -> None:
        """Build it.

        Args:
            draft: The plan.
            recorder: Tells which events there are.
            live: All objects as they were read.
            unknown: Kinds that the cluster does not know.
        """
        self._draft = draft
        self._recorder = recorder
        self._live = live
        self._unknown = unknown
        self._new: list[Tell] = []

    def all(self, desired: Sequence[DesiredObject]) -> None:
        """Bring some objects.

        Raises:
            Unanswered: More has to be read.
        """
        fits = Fits(desired, self._live)
        brought = fits.whole(self._draft)
        self._recorder.need(brought)
        for item in (it for it in brought if it.ref.resource != IP_ALLOCATION):
            self._one(item)
        fits.patch(self._draft)
        self._tell()
        for item in (it for it in brought if it.ref.resource == IP_ALLOCATION):
            self._one(item)
        self._tell()
        fits.own(self._draft)
        self._draft.notes += self._recorder.notes

    def _tell(self) -> None:
        for tell in self._new:
            self._draft.add(tell)
        self._new.clear()

    def _one(self, item: DesiredObject) -> None:
        if item.ref.resource in self._unknown:
            if item.body is not None:
                self._draft.fail(str(item.ref), f"no kind {item.ref.resource.kind} there")
            return
        before = self._live.get(item.ref)
        entry = self._draft.entries.get(str(item.ref))
        is_written = before is not None and (item.body is None or is_ours(before, entry))
        tell = self._recorder.tell(item)
        if tell is not None and is_written:
            self._draft.add(tell)
        elif tell is not None:
            self._new.append(tell)
        self._draft.bring(item, before, next(iter(item.rests_on), None))
