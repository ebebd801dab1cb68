"""How far the work on a cluster is: what was done, what the inventory says, what objects are now.

`foresee` tells what each step of a plan does when nothing comes between. It makes the plan of what
comes after, and it is all that a dry run tells.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from reconciler.clusters.decision import Action, noted
from reconciler.clusters.difference import Drift
from reconciler.clusters.inventory import Entry
from reconciler.clusters.outcome import WRITTEN, Outcome, Result
from reconciler.clusters.resources import POLICY
from reconciler.clusters.snapshot import Live
from reconciler.clusters.steps import (
    Apply,
    Delete,
    Fail,
    MakeNamespace,
    Note,
    Patch,
    Step,
    Try,
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
