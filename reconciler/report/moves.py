"""Claims that move, with what they held and get, and ranges that go to another owner."""

from typing import NamedTuple

from reconciler.addresses.notation import format_short
from reconciler.digest import giver_of, is_move, is_transfer
from reconciler.evaluate import Evaluation
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Owner
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep


class Move(NamedTuple):
    """One claim that gets another range than it held.

    Attributes:
        stays: The old range is announced until nobody uses it; else it is free at once.
        giver: Whose the old range was, where the new one is for another owner; else None.
    """

    claim: Key
    old: Allocation
    new: Allocation
    stays: bool
    giver: Owner | None = None


class Transfer(NamedTuple):
    """One kept record that is for another owner than it names.

    Attributes:
        giver: The owner that it names.
    """

    decision: Keep
    giver: Owner

    @property
    def words(self) -> str:
        """From whom to whom: `team-a/one → team-a/two`."""
        return change_of_owner(self.giver, self.decision.allocation)


def moves_of(evaluation: Evaluation) -> list[Move]:
    """The claims that move, by claim."""
    return [
        Move(
            decision.claim,
            evaluation.moves[decision.claim],
            decision.allocation,
            isinstance(decision, Grant) and decision.leaves is not None,
            giver_of(decision, evaluation),
        )
        for decision in (evaluation.plan.decisions if evaluation.moves else ())
        if isinstance(decision, Grant | Keep) and is_move(decision, evaluation)
    ]


def transfers_of(evaluation: Evaluation) -> list[Transfer]:
    """The kept records that go to another owner, by claim."""
    return [
        Transfer(decision, giver)
        for decision in (evaluation.plan.decisions if evaluation.state.givers else ())
        if isinstance(decision, Keep) and is_transfer(decision, evaluation)
        if (giver := giver_of(decision, evaluation)) is not None
    ]


def change_of_owner(giver: Owner, record: Allocation) -> str:
    """From whom to whom a record goes: `team-a/one → team-a/two`."""
    return f"{giver.short} → {record.owner.short}"


def range_of(record: Allocation) -> str:
    """What a record holds, in short."""
    return format_short(record.range) if record.range is not None else "nothing"


def room_of(evaluation: Evaluation, pool: Key) -> str:
    """What a pool has once the plan is carried out."""
    usage = evaluation.plan.after.get(pool)
    if usage is None:
        return "not in the repository"
    return f"{usage.percent}% of {usage.total}, {usage.available} free"
