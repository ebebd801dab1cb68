"""Plans of clusters: steps, the progress that they lead to, orphans, and admission policies."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec
from msgspec import Struct

from reconciler.addresses import IPSet
from reconciler.clusters.decision import Action, Drift, is_ours, noted
from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.inventory import Entry, orphan
from reconciler.clusters.metallb import pool_addresses
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import WRITTEN, Outcome, Result
from reconciler.clusters.policies import OWNED, policies
from reconciler.clusters.resources import ADDRESS_POOL, BINDING, POLICY, WHO_AM_I, parse_ref
from reconciler.clusters.snapshot import Live, Objects, Query, Snapshot, Tolerates
from reconciler.clusters.steps import (
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
    pruned,
    refusal,
)
from reconciler.model.resource import Ref


@dataclass(slots=True)
class Progress:
    """How far the work on one cluster is.

    Attributes:
        entries: The inventory's objects as they are becoming.
        outcomes: What was done, in order.
        now: Objects that are not as the plan saw them, as they are by now; None for gone.
        notes: What a person should know although nothing failed.
        error: What MetalLB says is wrong with its configuration.
        failed: The names of objects that could not be written.
    """

    entries: dict[str, Entry]
    outcomes: list[Outcome] = field(default_factory=list)
    now: dict[Ref, Live | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    error: str = ""
    failed: set[str] = field(default_factory=set)

    @property
    def is_changed(self) -> bool:
        """Something was written."""
        return any(outcome.result in WRITTEN for outcome in self.outcomes)

    @property
    def is_anything_ours(self) -> bool:
        """The inventory names something that policies lock."""
        return any(not is_policy(name) for name in self.entries)

    def live(self, ref: Ref, before: Live | None) -> Live | None:
        """An object as it is by now.

        Args:
            ref: The object.
            before: What it was, as the plan saw it.
        """
        return self.now.get(ref, before)

    def has_failed(self, ref: Ref | None) -> bool:
        """The object could not be written."""
        return ref is not None and str(ref) in self.failed

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Say that an object is not as it shall be, and what somebody changed of it."""
        self.failed.add(name)
        self.outcomes.append(Outcome(name, Result.FAILED, drift, error))

    def note(self, name: str, entry: Entry | None) -> None:
        """Say in the inventory what an object is; None to forget it."""
        if entry is None:
            self.entries.pop(name, None)
        else:
            self.entries[name] = entry

    def applied(self, step: Apply, uid: str, result: Result) -> None:
        """An object is as it shall be."""
        name = str(step.ref)
        self.entries[name] = noted(step.desired, uid, self.entries.get(name))
        self.outcomes.append(Outcome(name, result, step.decision.drift))

    def deleted(self, ref: Ref) -> None:
        """An object of ours is gone."""
        self.now[ref] = None
        self.entries.pop(str(ref), None)
        self.outcomes.append(Outcome(str(ref), Result.DELETED))

    def may_try(self, step: Try) -> bool:
        """The steps are still called for."""
        return step.if_anything_is_ours in (None, self.is_anything_ours)


def is_policy(name: str) -> bool:
    """An object of the inventory is an admission policy, or binds one."""
    return name.startswith(f"{POLICY.group}/")


def foresee(progress: Progress, step: Step) -> None:
    """What a step does when nothing comes between."""
    match step:
        case Apply() | Patch():
            _foresee(progress, step)
        case Delete():
            progress.deleted(step.ref)
        case Note():
            progress.note(step.name, step.entry)
        case Fail():
            progress.fail(step.name, step.error, step.drift)
        case MakeNamespace():
            progress.outcomes.append(Outcome(str(step.ref), Result.CREATED))
        case Try():
            for inner in step.steps if progress.may_try(step) else ():
                foresee(progress, inner)
        case _:
            pass  # it writes nothing


def foreseen(entries: Mapping[str, Entry], steps: Iterable[Step]) -> Progress:
    """What some steps do when nothing comes between."""
    progress = Progress(dict(entries))
    for step in steps:
        foresee(progress, step)
    return progress


_RESULTS = {Action.CREATE: Result.CREATED, Action.KEEP: Result.UNCHANGED}


def _foresee(progress: Progress, step: Apply | Patch) -> None:
    if isinstance(step, Patch):
        if not any(progress.has_failed(ref) for ref in step.rests_on):
            progress.outcomes.append(Outcome(str(step.ref), Result.CONFIGURED))
        return
    action = step.decision.action
    if action is Action.SKIP or (step.unless_failed and progress.has_failed(step.unless_failed)):
        return
    if action is Action.REFUSE:
        progress.fail(str(step.ref), refusal(step))
        return
    result = _RESULTS.get(action, Result.CONFIGURED)
    if result is not Result.UNCHANGED:
        progress.now[step.ref] = _written(step)
    elif step.status is not None:
        result = Result.CONFIGURED
    uid = step.live.uid if step.live is not None and action is not Action.REPLACE else ""
    progress.applied(step, uid, result)


def _written(step: Apply) -> Live:
    """An object with its new body, as far as that can be told."""
    body = step.desired.body or {}
    before = step.live.manifest if step.live is not None else {}
    is_new = step.live is None or step.decision.action is Action.REPLACE
    metadata = {"uid": "", "resourceVersion": ""} if is_new else before["metadata"]
    kept = {} if is_new else before
    return Live(step.ref, {**kept, **body, "metadata": {**metadata, **body["metadata"]}})


class Stop(Struct, frozen=True):
    """Why the work on a cluster ends after the steps of its plan, and what a person can do."""

    message: str
    hint: str = ""


class ClusterPlan(Struct, frozen=True):
    """What is done in a cluster.

    Attributes:
        steps: In the order in which they are taken.
        notes: What a person should know although nothing failed.
        stop: Why the cluster as a whole cannot be brought to what it shall be.
        error: What MetalLB says is wrong with its configuration, when nothing is to be written.
        keeps_inventory: There is a place for its inventory.
        pools: MetalLB's pools of which some addresses may be announced by us.
        at_most: All that it may announce, however far the plan is carried out.
        remembered: What it may announce by what is remembered.
    """

    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    stop: Stop | None = None
    error: str = ""
    keeps_inventory: bool = True
    pools: Mapping[Ref, Live] = msgspec.field(default_factory=dict)
    at_most: IPSet = msgspec.field(default_factory=IPSet)
    remembered: IPSet = msgspec.field(default_factory=IPSet)

    def announced(self, progress: Progress) -> IPSet:
        """The addresses that the cluster announces by us, after the work."""
        pools = {ref: progress.live(ref, live) for ref, live in self.pools.items()}
        pools |= {ref: live for ref, live in progress.now.items() if ref.resource == ADDRESS_POOL}
        found: list[IPSet] = []
        for ref, live in pools.items():
            if live is None:
                continue
            try:
                addresses = pool_addresses(live.manifest)
            except ValueError:  # MetalLB goes on with what it could read before
                addresses = None
            if is_ours(live, progress.entries.get(str(ref))):
                found.append(self.remembered if addresses is None else addresses)
            elif addresses is not None:
                # What was announced by us still is, also when somebody took our label off.
                found.append(addresses & self.remembered)
        return IPSet.of(item for addresses in found for item in addresses)


class Draft:
    """A plan while it is made, with what its steps lead to.

    Attributes:
        progress: As if all steps so far were taken.
    """

    def __init__(self, entries: Mapping[str, Entry], options: ApplyOptions) -> None:
        self.options = options
        self.progress = Progress(dict(entries))
        self.steps: list[Step] = []
        self.notes: list[str] = []

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The inventory's objects as they are becoming."""
        return self.progress.entries

    def add(self, step: Step) -> None:
        """Take one more step."""
        self.steps.append(step)
        foresee(self.progress, step)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Say that an object cannot be as it shall be."""
        self.add(Fail(name, error, drift))

    def note(self, name: str, entry: Entry | None) -> None:
        """Say in the inventory what an object is, where it says something else."""
        if self.entries.get(name) != entry:
            self.add(Note(name, entry))

    def bring(self, desired: DesiredObject, live: Live | None, after: Ref | None = None) -> None:
        """Bring an object to what it shall be; `live` is what it was when it was read."""
        now = self.progress.live(desired.ref, live)
        entry = self.entries.get(str(desired.ref))
        self.add(applied(desired, now, entry, adopt=self.options.adopt, after=after))

    def prune(self, ref: Ref, live: Live | None) -> None:
        """Take away an object that nothing asks for; `live` is what it was when it was read."""
        now = self.progress.live(ref, live)
        self.add(pruned(ref, now, self.entries.get(str(ref))))


GRACE_SECONDS = 600


def orphan_notes(
    entries: Mapping[str, Entry], objects: Objects, wanted: Collection[Ref], now: int
) -> Iterator[tuple[str, Entry | None]]:
    """What the inventory shall say of orphans: new ones, those whose grace is over, those of others.

    Args:
        entries: What it says.
        objects: All objects that were read.
        wanted: What shall be there: none of them is an orphan.
        now: Seconds since 1970 by the server's clock.
    """
    for ref, live in objects.items():
        name = str(ref)
        entry = entries.get(name)
        uid = live.uid
        if ref in wanted or (entry is not None and entry.uid == uid and not entry.orphan_since):
            continue
        if not is_ours(live, None):
            yield name, None
        elif entry is None or entry.uid != uid:
            yield name, orphan(uid, now)
        elif entry.orphan_since is not None and now - entry.orphan_since >= GRACE_SECONDS:
            yield name, Entry(uid, "-")


_NAME = str(Ref(POLICY, "", OWNED))
_LISTS = (
    Query(POLICY, tolerates=Tolerates.REFUSAL),
    Query(BINDING, tolerates=Tolerates.REFUSAL),
)
_WRITER = Query(WHO_AM_I, tolerates=Tolerates.REFUSAL)


class Lock:
    """The policies in the plan of one cluster.

    Without a word on policies they stay as they are, as long as there is something to lock.
    """

    def __init__(self, draft: Draft, snapshot: Snapshot, inventory: Ref | None) -> None:
        """Build it.

        Args:
            draft: The plan.
            snapshot: What was read.
            inventory: The ConfigMap of the inventory, when it is there.
        """
        self._draft = draft
        self._snapshot = snapshot
        self._inventory = inventory
        self._are_wanted = draft.options.policies
        self._is_done = self._are_wanted is None

    def begin(self) -> None:
        """Renew or remove the policies that are there, before anything else is written."""
        if self._are_wanted is None:
            return
        live = self._read()
        if live is None or (self._are_wanted and not live):
            return
        self._is_done = True
        steps = self._brought(live) if self._are_wanted else self._removed(live)
        if self._inventory is not None and any(map(_is_felt, steps)):
            steps.append(AwaitPolicies(self._inventory))
        self._draft.add(Try(_NAME, tuple(steps)))

    def end(self) -> None:
        """Install the policies where something of ours is; leave none where nothing is."""
        is_needed = self._draft.progress.is_anything_ours
        if is_needed and not self._is_done:
            steps = self._brought({})
        elif self._draft.entries and not is_needed and (live := self._read()) is not None:
            steps = self._removed(live)
        else:
            return
        self._draft.add(Try(_NAME, tuple(steps), if_anything_is_ours=is_needed))

    def _read(self) -> dict[Ref, Live] | None:
        """The policies that are there; None when they cannot be told, which is said."""
        found: dict[Ref, Live] = {}
        for query in _LISTS:
            answer = self._snapshot.of(query)
            if answer.is_unknown or answer.problem:
                self._is_done = True
                self._excuse(answer.problem)
                return None
            found |= answer.objects
        wanted = [desired_object(manifest).ref for manifest in policies("")]
        return {ref: found[ref] for ref in wanted if ref in found}

    def _excuse(self, problem: str) -> None:
        """Say why there are no policies to be had."""
        if problem:
            self._draft.fail(_NAME, problem)
            return
        for name in [name for name in self._draft.entries if is_policy(name)]:
            self._draft.note(name, None)
        if self._are_wanted:
            self._draft.notes.append("no admission policies: they need Kubernetes 1.31 or newer")

    def _brought(self, live: dict[Ref, Live]) -> list[Step]:
        answer = self._snapshot.of(_WRITER)
        if answer.is_unknown:
            self._excuse("")
            return []
        said = next(iter(answer.objects.values()), None)
        writer = "" if said is None else (said.status.get("userInfo") or {}).get("username") or ""
        if not writer:
            return [Fail(_NAME, answer.problem or "the server does not say who it takes us for")]
        found: list[Step] = []
        policy: DesiredObject | None = None
        for manifest in policies(writer, self._draft.options.break_glass):
            item = desired_object(manifest)
            if item.ref.resource == POLICY:
                policy = item
            # Without its policy it would put somebody else's policy in force.
            after = policy.ref if policy is not None and item.ref != policy.ref else None
            entry = self._draft.entries.get(str(item.ref))
            adopt = self._draft.options.adopt
            found.append(applied(item, live.get(item.ref), entry, adopt=adopt, after=after))
        return found

    def _removed(self, live: dict[Ref, Live]) -> list[Step]:
        found: list[Step] = []
        entries = dict(self._draft.entries)
        for ref, item in live.items():
            name = str(ref)
            if name not in entries and is_ours(item, None):
                entries[name] = Entry(item.uid, "-")
                found.append(Note(name, entries[name]))
        there = [parse_ref(name) for name in sorted(entries) if is_policy(name)]
        # Bindings first: a policy without one does nothing.
        order = sorted(there, key=lambda item: item.resource != BINDING)
        return [*found, *(pruned(ref, live.get(ref), entries[str(ref)]) for ref in order)]


def _is_felt(step: Step) -> bool:
    """The server takes a while to go by it."""
    if isinstance(step, Apply):
        return step.decision.action is not Action.KEEP
    return not isinstance(step, Note)
