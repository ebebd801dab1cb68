"""Claims that move, each with what it held, what it gets, and what its pools have then."""

from typing import NamedTuple

from reconciler.addresses.notation import format_short
from reconciler.digest import is_move
from reconciler.evaluate import Evaluation
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep


class Move(NamedTuple):
    """One claim that gets another range than it held.

    Attributes:
        stays: The old range is announced until nobody uses it; else it is free at once.
    """

    claim: Key
    old: Allocation
    new: Allocation
    stays: bool


def moves_of(evaluation: Evaluation) -> list[Move]:
    """The claims that move, by claim."""
    return [
        Move(
            decision.claim,
            evaluation.moves[decision.claim],
            decision.allocation,
            isinstance(decision, Grant) and decision.leaves is not None,
        )
        for decision in (evaluation.plan.decisions if evaluation.moves else ())
        if isinstance(decision, Grant | Keep) and is_move(decision, evaluation)
    ]


def range_of(record: Allocation) -> str:
    """What a record holds, in short."""
    return format_short(record.range) if record.range is not None else "nothing"


def room_of(evaluation: Evaluation, pool: Key) -> str:
    """What a pool has once the plan is carried out."""
    usage = evaluation.plan.after.get(pool)
    if usage is None:
        return "not in the repository"
    return f"{usage.percent}% of {usage.total}, {usage.available} free"
