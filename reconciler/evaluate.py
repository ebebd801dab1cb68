"""A tree to its evaluation: findings, state, plan, usage and file changes, by pure functions only.

Check, plan and reconcile call `evaluate` and differ only in what they do with the result.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from reconciler.addresses import IPSet
from reconciler.counting import taken_over
from reconciler.documents.document import Documents, GroupKind
from reconciler.engine import guard, rules
from reconciler.engine.planner import plan as make_plan
from reconciler.families import families, family_of_kind
from reconciler.families._family import Reading
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.gathering import documents_of, held_by, joined, records_of, state_of
from reconciler.model.allocation import Allocation
from reconciler.model.plan import Decision, Expire, Plan, Release
from reconciler.model.state import State
from reconciler.observed import identity_of
from reconciler.records.by_hand import NOTHING_FREED, Freed
from reconciler.records.changes import Change, changes
from reconciler.records.claimed import claimed
from reconciler.records.findings import findings_of
from reconciler.settings import check_targets
from reconciler.tree import Settled, Tree


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that follows from a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: What may not pass although the content is right, by place.
        changes: The files that carry out the plan.
        brake: Why `let_pass` lets no release pass, or None.
        is_freed: Live records were removed by hand, which nobody let pass, or edited so that what
            they held is free; with a brake nothing at all passes.
        allow_release: How many releases a person expects, or None.
        cut: Why it cannot be told what people did to records, or None.
        unproven: What records hold by somebody's hand alone, by path: no cluster gets it.
        gone: Owners of whom a look proved that they are gone: family, kind, namespace, name.
    """

    tree: Tree
    documents: Documents
    reading: Reading
    state: State
    plan: Plan
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    brake: Finding | None = field(default=None)
    is_freed: bool = False
    allow_release: int | None = None
    cut: Finding | None = None
    unproven: Mapping[str, IPSet] = field(default_factory=dict)
    gone: frozenset[tuple[str, str, str, str]] = frozenset()


def evaluate(tree: Tree, allow_release: int | None = None) -> Evaluation:
    """Evaluate a tree.

    Args:
        tree: The tree.
        allow_release: How many releases a person expects, to pass the brake.
    """
    tree = replace(tree, overrides=tree.overrides.afresh())
    documents, doubled = documents_of(tree)
    records = records_of(tree, documents)
    held = held_by(records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = joined(readings)
    records = claimed(records, reading.claims)
    state = state_of(tree, reading, records)
    plan = make_plan(state)
    findings = ordered(
        [
            *tree.findings,
            *tree.last_good.findings,
            *(found for source in tree.sources for found in source.findings),
            *(found for item in tree.records for found in item.findings),
            *doubled,
            *check_targets(documents),
            *_causes(state, reading.findings),
            *rules.check(state, overlap_is_error=tree.settings.overlap_is_error),
            *findings_of(plan, state, tree.settings.records),
            *tree.settled.findings,
            *tree.overrides.findings,
            *_retained(tree),
        ]
    )
    settings, overrides = tree.settings, tree.overrides
    ahead = guard.clock(tree.clock_ahead, tree.clock)
    gates = [*ahead, *guard.refusals(plan), *guard.capacity(state, plan, settings, overrides)]
    evaluation = Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=_whole(plan, tree.settled),
        changes=_changes(plan, state, tree),
        findings=findings,
        gates=ordered(gates),
        allow_release=allow_release,
    )
    return _braked(evaluation, NOTHING_FREED)


def with_freed(evaluation: Evaluation, by_hand: Freed) -> Evaluation:
    """The evaluation with a brake that counts what somebody freed by hand, too."""
    removed, edited, expected = by_hand
    if not (removed or edited or expected):
        return evaluation
    return replace(_braked(evaluation, by_hand), is_freed=bool(removed or edited))


def with_gone(evaluation: Evaluation, removed: Iterable[str]) -> Evaluation:
    """The evaluation of a look, of which no brake counts what objects held that are gone for sure.

    A brake of its own counted them before their copies went (`clusters/going.py`).

    Args:
        evaluation: Of the revision without the copies.
        removed: Paths of the files of the observed folder that the look takes away.
    """
    folder = evaluation.tree.settings.observed
    named = [identity_of(folder, path) for path in removed]
    gone = frozenset(
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in filter(None, named)
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    )
    return _braked(replace(evaluation, gone=gone), NOTHING_FREED) if gone else evaluation


def _braked(evaluation: Evaluation, by_hand: Freed) -> Evaluation:
    """The evaluation with the brake that belongs to its plan, and to what somebody freed."""
    tree, (removed, edited, expected) = evaluation.tree, by_hand
    # A record that was edited and goes is one record.
    releases = [it for it in evaluation.plan.decisions if _is_braked(it, evaluation)]
    released = sum(1 for item in releases if item.claim not in edited)
    going = guard.Going(_live(tree, evaluation.state), released, removed, len(edited), expected)
    brake = guard.brake(going, tree.settings, evaluation.allow_release, tree.overrides)
    gates = [item for item in evaluation.gates if item is not evaluation.brake]
    gates += [brake] if brake else []
    return replace(evaluation, gates=ordered(gates), brake=brake)


def _is_braked(decision: Decision, evaluation: Evaluation) -> bool:
    """A brake counts it, and holds it back: a release, but not of what shrinking gives back.

    Nor of what is gone for sure.
    """
    return (
        isinstance(decision, Release)
        and decision.allocation.path not in evaluation.state.grown
        and decision.claim.owner not in evaluation.gone
    )


def _live(tree: Tree, state: State) -> int:
    return sum(1 for record in state.records if record.is_live) + tree.settled.kept


def let_pass(evaluation: Evaluation) -> Evaluation:
    """The evaluation with what is carried out of its plan: a brake holds all releases back.

    What records held that are gone is not known to be free: then nothing is carried out.
    """
    if evaluation.brake is None:
        return evaluation
    plan, state = evaluation.plan, evaluation.state
    if evaluation.is_freed:
        return replace(evaluation, plan=Plan((), plan.before, plan.before), changes=())
    rest = tuple(item for item in plan.decisions if not _is_braked(item, evaluation))
    plan = Plan(rest, plan.before, plan.after)
    return replace(evaluation, plan=plan, changes=_changes(plan, state, evaluation.tree))


def _changes(plan: Plan, state: State, tree: Tree) -> tuple[Change, ...]:
    """The files that carry out a plan; and what was observed goes where people describe it."""
    written = changes(plan, state, tree.settings.records)
    gone = tuple(Change(path, None) for path in taken_over(tree))
    return tuple(sorted((*written, *gone))) if gone else written


def leaving(evaluation: Evaluation) -> list[Allocation]:
    """Records that hold addresses, and go: their retention has ended."""
    going = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Expire))
    return [record for record in going if record.range is not None]


def released(evaluation: Evaluation) -> list[Allocation]:
    """Records as the plan releases them."""
    decisions = evaluation.plan.decisions
    return [item.allocation for item in decisions if isinstance(item, Release)]


def _causes(state: State, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings without errors that only follow from a file which never could be read.

    Warnings stay: a group that has nothing else is left out of the next plan, and keeps its own.
    """
    for found in findings:
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if not (state.unknown and follows):
            yield found


def _whole(plan: Plan, settled: Settled) -> Plan:
    """The plan with the pools that were left out."""
    if not settled.usage:
        return plan
    before, after = {**plan.before, **settled.usage}, {**plan.after, **settled.usage}
    return Plan(
        plan.decisions,
        {key: before[key] for key in sorted(before)},
        {key: after[key] for key in sorted(after)},
    )


def _retained(tree: Tree) -> Iterator[Finding]:
    """Records whose retention has ended, but whose addresses may still be announced."""
    for path, why in tree.held_back.items():
        message = f"its retention has ended, but its addresses stay held: {why}"
        hint = "when nothing announces them any more: --confirm-withdrawn CLUSTER"
        yield warning("expiry-held", Location(path, 1, 1), message, hint)
