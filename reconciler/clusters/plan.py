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
    """The progress of the work on one cluster.

    Attributes:
        entries: The inventory's objects after the steps so far.
        outcomes: The results, in order.
        now: Objects that changed since the plan was made; None for deleted ones.
        notes: Information for the user about things that did not fail.
        error: The error that MetalLB reports about its configuration.
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
        """Return whether any object was written."""
        return any(outcome.result in WRITTEN for outcome in self.outcomes)

    @property
    def is_anything_ours(self) -> bool:
        """Return whether the inventory contains an object that policies lock."""
        return any(not is_policy(name) for name in self.entries)

    def live(self, ref: Ref, before: Live | None) -> Live | None:
        """Return the current state of an object.

        Args:
            ref: The object.
            before: Its state when the plan was made.
        """
        return self.now.get(ref, before)

    def has_failed(self, ref: Ref | None) -> bool:
        """Return whether an object could not be written."""
        return ref is not None and str(ref) in self.failed

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Record that an object could not be applied, with its drift."""
        self.failed.add(name)
        self.outcomes.append(Outcome(name, Result.FAILED, drift, error))

    def note(self, name: str, entry: Entry | None) -> None:
        """Set the inventory's entry of an object; None removes it."""
        if entry is None:
            self.entries.pop(name, None)
        else:
            self.entries[name] = entry

    def applied(self, step: Apply, uid: str, result: Result) -> None:
        """Record that an object was applied."""
        name = str(step.ref)
        self.entries[name] = noted(step.desired, uid, self.entries.get(name))
        self.outcomes.append(Outcome(name, result, step.decision.drift))

    def deleted(self, ref: Ref) -> None:
        """Record that an object was deleted."""
        self.now[ref] = None
        self.entries.pop(str(ref), None)
        self.outcomes.append(Outcome(str(ref), Result.DELETED))

    def may_try(self, step: Try) -> bool:
        """Return whether the steps still apply."""
        return step.if_anything_is_ours in (None, self.is_anything_ours)


def is_policy(name: str) -> bool:
    """Return whether an object is an admission policy or its binding."""
    return name.startswith(f"{POLICY.group}/")


def foresee(progress: Progress, step: Step) -> None:
    """Update the progress as if a step succeeded."""
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
            pass  # writes nothing


def foreseen(entries: Mapping[str, Entry], steps: Iterable[Step]) -> Progress:
    """Return the progress after some steps, as if they succeeded."""
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
    """Return an object after its new body is applied, as far as known."""
    body = step.desired.body or {}
    before = step.live.manifest if step.live is not None else {}
    is_new = step.live is None or step.decision.action is Action.REPLACE
    metadata = {"uid": "", "resourceVersion": ""} if is_new else before["metadata"]
    kept = {} if is_new else before
    return Live(step.ref, {**kept, **body, "metadata": {**metadata, **body["metadata"]}})


class Stop(Struct, frozen=True):
    """Why the work on a cluster stops after the steps of its plan, with a hint."""

    message: str
    hint: str = ""


class ClusterPlan(Struct, frozen=True):
    """The plan of one cluster.

    Attributes:
        steps: The steps, in order.
        notes: Information for the user about things that did not fail.
        stop: Why the cluster cannot reach the desired state.
        error: The error of MetalLB's configuration if there is nothing to write.
        keeps_inventory: Whether the inventory can be saved.
        pools: Pools of MetalLB that can announce addresses of `ipam`.
        at_most: All addresses that the cluster might announce during the plan.
        remembered: Addresses that the cluster might announce according to the registry.
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
        """Return the addresses of `ipam` that the cluster announces after the work."""
        pools = {ref: progress.live(ref, live) for ref, live in self.pools.items()}
        pools |= {ref: live for ref, live in progress.now.items() if ref.resource == ADDRESS_POOL}
        found: list[IPSet] = []
        for ref, live in pools.items():
            if live is None:
                continue
            try:
                addresses = pool_addresses(live.manifest)
            except ValueError:  # MetalLB continues with the last configuration that it could parse
                addresses = None
            if is_ours(live, progress.entries.get(str(ref))):
                found.append(self.remembered if addresses is None else addresses)
            elif addresses is not None:
                # The addresses are still announced if the label was removed.
                found.append(addresses & self.remembered)
        return IPSet.of(item for addresses in found for item in addresses)


class Draft:
    """A plan under construction, with its progress.

    Attributes:
        progress: The progress as if all steps so far succeeded.
    """

    def __init__(self, entries: Mapping[str, Entry], options: ApplyOptions) -> None:
        self.options = options
        self.progress = Progress(dict(entries))
        self.steps: list[Step] = []
        self.notes: list[str] = []

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The inventory's objects after the steps so far."""
        return self.progress.entries

    def add(self, step: Step) -> None:
        """Add a step."""
        self.steps.append(step)
        foresee(self.progress, step)

    def fail(self, name: str, error: str, drift: Drift | None = None) -> None:
        """Add the failure of an object."""
        self.add(Fail(name, error, drift))

    def note(self, name: str, entry: Entry | None) -> None:
        """Set the inventory's entry of an object if it differs."""
        if self.entries.get(name) != entry:
            self.add(Note(name, entry))

    def bring(self, desired: DesiredObject, live: Live | None, after: Ref | None = None) -> None:
        """Apply an object; `live` is the object as it was read."""
        now = self.progress.live(desired.ref, live)
        entry = self.entries.get(str(desired.ref))
        self.add(applied(desired, now, entry, adopt=self.options.adopt, after=after))

    def prune(self, ref: Ref, live: Live | None) -> None:
        """Delete an object; `live` is the object as it was read."""
        now = self.progress.live(ref, live)
        self.add(pruned(ref, now, self.entries.get(str(ref))))


GRACE_SECONDS = 600


def orphan_notes(
    entries: Mapping[str, Entry], objects: Objects, wanted: Collection[Ref], now: int
) -> Iterator[tuple[str, Entry | None]]:
    """Return changed entries of orphans: new ones, expired ones, and those of other owners.

    Args:
        entries: The entries of the inventory.
        objects: All objects that were read.
        wanted: The desired objects.
        now: The server's clock in seconds since 1970.
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
    """Admission policies in the plan of one cluster.

    Without an option, the policies stay unchanged as long as an object needs them.
    """

    def __init__(self, draft: Draft, snapshot: Snapshot, inventory: Ref | None) -> None:
        """Create it.

        Args:
            draft: The plan.
            snapshot: The live objects.
            inventory: The ConfigMap of the inventory if it exists.
        """
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
        steps = self._brought(live) if self._are_wanted else self._removed(live)
        if self._inventory is not None and any(map(_is_felt, steps)):
            steps.append(AwaitPolicies(self._inventory))
        self._draft.add(Try(_NAME, tuple(steps)))

    def end(self) -> None:
        """Install the policies if the cluster has objects of `ipam`, else remove them."""
        is_needed = self._draft.progress.is_anything_ours
        if is_needed and not self._is_done:
            steps = self._brought({})
        elif self._draft.entries and not is_needed and (live := self._read()) is not None:
            steps = self._removed(live)
        else:
            return
        self._draft.add(Try(_NAME, tuple(steps), if_anything_is_ours=is_needed))

    def _read(self) -> dict[Ref, Live] | None:
        """Return the existing policies, or None with a note if they cannot be read."""
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
        """Note why policies cannot be installed."""
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
            # A binding without its policy could activate a policy of another owner.
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
        # Bindings first: a policy without a binding has no effect.
        order = sorted(there, key=lambda item: item.resource != BINDING)
        return [*found, *(pruned(ref, live.get(ref), entries[str(ref)]) for ref in order)]


def _is_felt(step: Step) -> bool:
    """Wait until the server enforces the new policies."""
    if isinstance(step, Apply):
        return step.decision.action is not Action.KEEP
    return not isinstance(step, Note)
