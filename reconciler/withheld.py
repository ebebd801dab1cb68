"""What a brake holds back, and what is put back so that it can."""

from msgspec.structs import replace

from reconciler.evaluate import Evaluation, braked_anew, is_braked, mended_changes
from reconciler.findings import ordered
from reconciler.model.allocation import Allocation
from reconciler.model.plan import Release
from reconciler.records.by_hand import NOTHING_FREED
from reconciler.records.hands import Paths


def held_releases(evaluation: Evaluation) -> list[Allocation]:
    """The records, as they would be released, that a brake keeps from it; but for known ones."""
    decisions = evaluation.plan.decisions if evaluation.brake is not None else ()
    return [
        item.allocation
        for item in decisions
        if isinstance(item, Release)
        and is_braked(item, evaluation)
        and item.claim not in evaluation.known
    ]


def of_base(evaluation: Evaluation, base: Evaluation) -> Evaluation:
    """The evaluation of a change of which no brake counts what the base's holds back or puts back.

    All that the change itself releases waits for that brake.
    """
    if base.brake is None:
        return evaluation
    known = frozenset(item.claim for item in held_releases(base))
    freed = replace(NOTHING_FREED, marks=evaluation.freed.marks)
    return braked_anew(replace(evaluation, known=known, freed=freed, base_brake=base.brake))


def with_put_back(evaluation: Evaluation, mended: Evaluation, files: Paths) -> Evaluation:
    """The evaluation of a tree in which records are as they were, held back by the same brake.

    Args:
        evaluation: Of the tree as it is, with its brake.
        mended: Of the tree with the files that are put back.
        files: Those files.
    """
    gates = [item for item in mended.gates if item is not mended.brake]
    gates += [evaluation.brake] if evaluation.brake is not None else []
    found = replace(
        mended,
        gates=ordered(gates),
        brake=evaluation.brake,
        put_back=files,
        freed=replace(NOTHING_FREED, marks=evaluation.freed.marks),
        gone=evaluation.gone,
        unproven=evaluation.unproven,
        cut=evaluation.cut,
    )
    return replace(found, changes=mended_changes(found, found.plan))
