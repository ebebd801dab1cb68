"""Edits of records since an earlier revision, as findings and moves of an evaluation."""

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from reconciler.evaluate import Evaluation, with_freed
from reconciler.findings import ordered
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.records.by_hand import Records, freed, losing, told, unproven


def with_record_changes(name: str, records: Records, evaluation: Evaluation) -> Evaluation:
    """Return an evaluation with the edits of records since a revision of that name."""
    after = ranges_after(records, evaluation)
    evaluation = with_moves(records, evaluation)
    allows = allowing(evaluation)
    changes = told(records, name, after, allows)
    if evaluation.tree.records:  # without any, reconcile stops
        evaluation = with_freed(evaluation, freed(records, allows))
    return replace(
        evaluation,
        findings=ordered([*evaluation.findings, *changes]),
        unproven=unproven(records, allows),
    )


def with_moves(records: Records, evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with the moves that edits of records cause."""
    old = {it.claim: it for _, _, lost in losing(records) for it in reversed(lost)}
    found = {
        decision.claim: old[decision.claim]
        for decision in (evaluation.plan.decisions if old else ())
        if isinstance(decision, Grant | Keep)
        and decision.claim in old
        and decision.allocation.range != old[decision.claim].range
    }
    return replace(evaluation, moves={**found, **evaluation.moves}) if found else evaluation


def allowing(evaluation: Evaluation) -> Callable[[str], bool]:
    """Return whether an Override permits an edit of a record."""
    return partial(evaluation.tree.overrides.allow, OverrideKind.RECORD)


def ranges_after(records: Records, evaluation: Evaluation) -> dict[Key, Allocation]:
    """Return the allocation of each claim once the plan is committed."""
    now = records.now.values()
    stated = (item.recalled.allocation for item in now if item is not None)
    return {item.claim: item for item in stated if item is not None} | {
        decision.claim: decision.allocation
        for decision in evaluation.plan.decisions
        if isinstance(decision, Keep | Grant | Refuse) and decision.allocation is not None
    }
