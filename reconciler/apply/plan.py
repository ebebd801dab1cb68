"""Plans of clusters, their progress, and their outcome."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from reconciler.addresses import IPSet
from reconciler.apply.inventory import InventoryEntry, orphan
from reconciler.apply.policies import OWNED, policies
from reconciler.apply.pools import USUAL
from reconciler.apply.snapshot import Live, LiveObjects, Query, Snapshot, Tolerates
from reconciler.apply.steps import (
    Action,
    Apply,
    AwaitPolicies,
    Delete,
    Fail,
    MakeNamespace,
    Note,
    Patch,
    Step,
    Try,
    applied,
    is_ours,
    noted,
    pruned,
    refusal,
)
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.resources import DesiredObject, desired_object, parse_ref, reading
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import DEFAULT, ClusterBalancer
from reconciler.model.applied import Drift, ObjectOutcome, ObjectResult
from reconciler.model.errors import ClusterError
from reconciler.model.objects import BINDING, POLICY, WHO_AM_I, Ref


@dataclass(slots=True)
class Progress:
    """The work on one cluster so far. Objects `now` changed since the plan; None is deleted."""

    entries: dict[str, InventoryEntry]
    outcomes: list[ObjectOutcome] = field(default_factory=list)
    now: dict[Ref, Live | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    error: str = ""
    failed: set[str] = field(default_factory=set)

    @property
    def is_anything_ours(self) -> bool:
        """Return whether the inventory contains an object that policies lock."""
        return any(not is_policy(name) for name in self.entries)

    def has_failed(self, *refs: Ref | None) -> bool:
        """Return whether one of the objects could not be written."""
        return any(str(ref) in self.failed for ref in refs)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Record that an object could not be applied, with its drift."""
        self.failed.add(name)
        self.outcomes.append(ObjectOutcome(name, ObjectResult.FAILED, drift, error))

    def note(self, name: str, entry: InventoryEntry | None) -> None:
        """Set the inventory's entry of an object; None removes it."""
        self.entries.pop(name, None)
        if entry is not None:
            self.entries[name] = entry

    def applied(self, step: Apply, uid: str, result: ObjectResult) -> None:
        """Record that an object was applied."""
        name = str(step.ref)
        self.entries[name] = noted(step.desired, uid, self.entries.get(name))
        self.outcomes.append(ObjectOutcome(name, result, step.decision.drift))

    def deleted(self, ref: Ref) -> None:
        """Record that an object was deleted."""
        self.now[ref] = None
        self.entries.pop(str(ref), None)
        self.outcomes.append(ObjectOutcome(str(ref), ObjectResult.DELETED))

    def steps_of(self, step: Try) -> Sequence[Step]:
        """Return the inner steps if they still apply."""
        is_so = step.if_anything_is_ours in (None, self.is_anything_ours)
        return step.steps if is_so else ()


def is_policy(name: str) -> bool:
    """Return whether an object is an admission policy or its binding."""
    return name.startswith(f"{POLICY.group}/")


def foresee(progress: Progress, step: Step) -> None:
    """Update the progress as if a step succeeded."""
    match step:
        case Apply():
            _foresee_apply(progress, step)
        case Patch() if not progress.has_failed(*step.rests_on):
            progress.outcomes.append(ObjectOutcome(str(step.ref), ObjectResult.CONFIGURED))
        case Delete():
            progress.deleted(step.live.ref)
        case Note():
            progress.note(step.name, step.entry)
        case Fail():
            progress.fail(step.name, step.error, step.drift)
        case MakeNamespace():
            progress.outcomes.append(ObjectOutcome(str(step.ref), ObjectResult.CREATED))
        case Try():
            foresee_all(progress, progress.steps_of(step))


def foresee_all(progress: Progress, steps: Iterable[Step]) -> Progress:
    """Update and return the progress as if all steps succeeded."""
    for step in steps:
        foresee(progress, step)
    return progress


_RESULTS = {Action.CREATE: ObjectResult.CREATED, Action.KEEP: ObjectResult.UNCHANGED}


def _foresee_apply(progress: Progress, step: Apply) -> None:
    action = step.decision.action
    if action is Action.SKIP or progress.has_failed(step.unless_failed):
        return
    if action is Action.REFUSE:
        progress.fail(str(step.ref), refusal(step))
        return
    result = _RESULTS.get(action, ObjectResult.CONFIGURED)
    live = None if action is Action.REPLACE else step.live
    if result is not ObjectResult.UNCHANGED:  # the object after the write, as far as known
        body = step.desired.body or {}
        before = {"metadata": {"uid": "", "resourceVersion": ""}} if live is None else live.manifest
        metadata = {**before["metadata"], **body["metadata"]}
        progress.now[step.ref] = Live(step.ref, {**before, **body, "metadata": metadata})
    elif step.status is not None:
        result = ObjectResult.CONFIGURED
    progress.applied(step, "" if live is None else live.uid, result)


class ClusterPlan(Struct, frozen=True):
    """The plan of one cluster. `at_most` are all addresses that it might announce in the plan."""

    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    stop: ClusterError | None = None
    error: str = ""
    keeps_inventory: bool = True
    writers: int = 1  # consecutive objects of one kind that can be written at once
    pools: LiveObjects = msgspec.field(default_factory=dict)
    at_most: IPSet = msgspec.field(default_factory=IPSet)
    remembered: IPSet = msgspec.field(default_factory=IPSet)
    controller: str = DEFAULT

    def announced(self, progress: Progress) -> IPSet:
        """Return the addresses of `ipam` that the cluster announces after the work."""
        pools: dict[Ref, Live | None] = {**self.pools}
        balancer = controller(self.controller)
        pools |= {it: live for it, live in progress.now.items() if it.resource == balancer.pool}
        found: list[IPSet] = []
        for ref, live in pools.items():
            if live is None:
                continue
            is_own = is_ours(live, progress.entries.get(str(ref)))
            try:
                addresses = balancer.addresses(live.manifest)
            except ValueError:  # the controller continues with its last readable configuration
                addresses = self.remembered if is_own else IPSet()
            # The addresses are still announced if the label was removed.
            found.append(addresses if is_own else addresses & self.remembered)
        return IPSet.of(item for addresses in found for item in addresses)


class Draft:
    """A plan under construction, with its progress as if all steps so far succeeded."""

    def __init__(self, entries: Mapping[str, InventoryEntry], options: ApplyOptions) -> None:
        self.options = options
        self.entries = dict(entries)
        self.progress = Progress(self.entries)
        self.steps: list[Step] = []
        self.notes: list[str] = []

    def add(self, step: Step) -> None:
        """Add a step."""
        self.steps.append(step)
        foresee(self.progress, step)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Add the failure of an object."""
        self.add(Fail(name, error, drift))

    def note(self, name: str, entry: InventoryEntry | None) -> None:
        """Set the inventory's entry of an object if it differs."""
        if self.entries.get(name) != entry:
            self.add(Note(name, entry))

    def apply(self, desired: DesiredObject, live: Live | None, after: Ref | None = None) -> None:
        """Apply an object; `live` is the object as it was read."""
        now = self.progress.now.get(desired.ref, live)
        entry = self.entries.get(str(desired.ref))
        try:
            with reading(desired.ref.resource.kind, desired.ref.name):
                step: Step = applied(desired, now, entry, adopt=self.options.adopt, after=after)
        except ClusterError as wrong:
            step = Fail(str(desired.ref), str(wrong))
        self.add(step)

    def prune(self, ref: Ref, live: Live | None) -> None:
        """Delete an object; `live` is the object as it was read."""
        now = self.progress.now.get(ref, live)
        self.add(pruned(ref, now, self.entries.get(str(ref))))


GRACE_SECONDS = 600


def orphan_notes(
    entries: Mapping[str, InventoryEntry], objects: LiveObjects, wanted: Collection[Ref], now: int
) -> Iterator[tuple[str, InventoryEntry | None]]:
    """Return changed entries of orphans: new, expired, and foreign ones."""
    for ref, live in objects.items():
        name, uid = str(ref), live.uid
        entry = entries.get(name)
        if ref in wanted or (entry is not None and entry.uid == uid and not entry.orphan_since):
            continue
        if not is_ours(live, None):
            yield name, None
        elif entry is None or entry.uid != uid:
            yield name, orphan(uid, now)
        elif entry.orphan_since is not None and now - entry.orphan_since >= GRACE_SECONDS:
            yield name, InventoryEntry(uid, "-")


_NAME = str(Ref(POLICY, "", OWNED))


class Lock:
    """Admission policies; without an option, unchanged as long as an object needs them."""

    def __init__(
        self,
        draft: Draft,
        snapshot: Snapshot,
        inventory: Ref | None,
        balancing: ClusterBalancer = USUAL,
    ) -> None:
        self._balancing = balancing
        self._draft = draft
        self._snapshot = snapshot
        self._inventory = inventory
        self._are_wanted = draft.options.policies
        self._is_done = self._are_wanted is None

    def begin(self) -> None:
        """Update or remove existing policies before any other write."""
        if self._are_wanted is None:
            return
        live = self._read()
        if live is None or (self._are_wanted and not live):
            return
        self._is_done = True
        steps = self._installing(live) if self._are_wanted else self._removing(live)
        is_kept = all(
            isinstance(it, Note) or (isinstance(it, Apply) and it.decision.action is Action.KEEP)
            for it in steps
        )
        if self._inventory is not None and not is_kept:
            steps.append(AwaitPolicies(self._inventory))
        self._draft.add(Try(_NAME, tuple(steps)))

    def end(self) -> None:
        """Install the policies if the cluster has objects of `ipam`, else remove them."""
        is_needed = self._draft.progress.is_anything_ours
        if is_needed and not self._is_done:
            steps = self._installing({})
        elif self._draft.entries and not is_needed and (live := self._read()) is not None:
            steps = self._removing(live)
        else:
            return
        self._draft.add(Try(_NAME, tuple(steps), if_anything_is_ours=is_needed))

    def _read(self) -> dict[Ref, Live] | None:
        found: dict[Ref, Live] = {}
        for resource in (POLICY, BINDING):
            answer = self._snapshot.of(Query(resource, tolerates=Tolerates.REFUSAL))
            if answer.is_unknown or answer.problem:
                self._is_done = True
                self._excuse(answer.problem)
                return None
            found |= answer.objects
        wanted = [desired_object(manifest).ref for manifest in policies("", (), self._balancing)]
        return {ref: found[ref] for ref in wanted if ref in found}

    def _excuse(self, problem: str) -> None:
        if problem:
            self._draft.fail(_NAME, problem)
            return
        for name in filter(is_policy, list(self._draft.entries)):
            self._draft.note(name, None)
        if self._are_wanted:
            self._draft.notes.append("admission policies need Kubernetes 1.31 or newer")

    def _installing(self, live: LiveObjects) -> list[Step]:
        answer = self._snapshot.of(Query(WHO_AM_I, tolerates=Tolerates.REFUSAL))
        if answer.is_unknown:
            self._excuse("")
            return []
        review = next(iter(answer.objects.values()), None)
        user = None if review is None else review.status.get("userInfo")
        writer = (user or {}).get("username")
        if not writer:
            return [
                Fail(
                    _NAME,
                    answer.problem or "the server does not report the user of these credentials",
                )
            ]
        found: list[Step] = []
        for item in map(
            desired_object, policies(writer, self._draft.options.break_glass, self._balancing)
        ):
            # A binding without its policy could activate a policy of another owner.
            after = Ref(POLICY, "", item.ref.name) if item.ref.resource == BINDING else None
            entry, adopt = self._draft.entries.get(str(item.ref)), self._draft.options.adopt
            found.append(applied(item, live.get(item.ref), entry, adopt=adopt, after=after))
        return found

    def _removing(self, live: LiveObjects) -> list[Step]:
        own = {str(ref): it for ref, it in live.items() if is_ours(it, None)}
        more = {name: InventoryEntry(it.uid, "-") for name, it in own.items()}
        entries = {**more, **self._draft.entries}
        notes = [Note(name, it) for name, it in more.items() if entries[name] is it]
        there = [parse_ref(name) for name in sorted(entries) if is_policy(name)]
        # Bindings first: a policy without a binding has no effect.
        order = sorted(there, key=lambda item: item.resource != BINDING)
        return [*notes, *(pruned(ref, live.get(ref), entries[str(ref)]) for ref in order)]
