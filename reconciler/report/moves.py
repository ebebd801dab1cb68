"""Moves and causes in plans."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from reconciler.addresses import format_short
from reconciler.model.claim import Allocation, Owner
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Grant, Keep
from reconciler.planning.digest import giver_of, is_move, is_transfer
from reconciler.planning.evaluate import Evaluation


class RangeMove(NamedTuple):
    """Claim that gets another range than it held.

    Attributes:
        stays: Whether the old range is announced until it is unused. Otherwise it is free at once.
        giver: The owner of the old range if the new one is for another owner, or None.
    """

    claim: Key
    old: Allocation
    new: Allocation
    stays: bool
    giver: Owner | None = None


class Transfer(NamedTuple):
    """Kept record whose owner changes.

    Attributes:
        giver: The owner that the record names.
    """

    decision: Keep
    giver: Owner

    @property
    def words(self) -> str:
        """The old and the new owner: `team-a/one → team-a/two`."""
        return change_of_owner(self.giver, self.decision.allocation)


def moves_of(evaluation: Evaluation) -> list[RangeMove]:
    """Return the claims that move, by claim."""
    return [
        RangeMove(
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
    """Return the kept records that go to another owner, by claim."""
    return [
        Transfer(decision, giver)
        for decision in (evaluation.plan.decisions if evaluation.state.givers else ())
        if isinstance(decision, Keep) and is_transfer(decision, evaluation)
        if (giver := giver_of(decision, evaluation)) is not None
    ]


def change_of_owner(giver: Owner, record: Allocation) -> str:
    """Return the old and the new owner of a record: `team-a/one → team-a/two`."""
    return f"{giver.short} → {record.owner.short}"


def range_of(record: Allocation) -> str:
    """Return the range of a record in short form."""
    return format_short(record.range) if record.range is not None else "nothing"


def room_of(evaluation: Evaluation, pool: Key) -> str:
    """Return the usage of a pool after the plan."""
    usage = evaluation.plan.after.get(pool)
    if usage is None:
        return "not in the repository"
    return f"{usage.percent}% of {usage.total}, {usage.available} free"


def elsewhere(causes: Sequence[Cause]) -> list[Cause]:
    """Return decisions that the change causes outside of the claim's own document."""
    return [it for it in causes if it.is_caused and it.reason]


def not_caused(causes: Sequence[Cause]) -> list[Cause]:
    """Return decisions that the change does not cause."""
    return [it for it in causes if not it.is_caused]


def sentence_of(cause: Cause) -> str:
    """Return the reason for a decision in a sentence."""
    words = [f"{cause.claim._replace(slot='').short} ({cause.claim.slot}): "]
    if cause.place is not None:
        words.append(f"{place_of(cause)}: ")
    return "".join([*words, cause.reason])


def place_of(cause: Cause) -> str:
    """Return file, line, and commit, or empty for a decision that the change does not cause."""
    if cause.place is None:
        return ""
    commit = f" ({cause.short})" if cause.commit else ""
    return f"{cause.place.path}:{cause.place.line}{commit}"


def blocks(causes: Sequence[Cause]) -> Iterator[tuple[str, list[Cause]]]:
    """Yield causes outside of the claims' own documents, with their title."""
    for title, found in (
        ("Caused elsewhere in this change", elsewhere(causes)),
        ("Not caused by this change", not_caused(causes)),
    ):
        if found:
            yield title, found


def causes_listed(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """Return all causes as data, in the order of the plan."""
    return [
        {
            "claim": str(it.claim),
            "path": it.place.path if it.place is not None else None,
            "line": it.place.line if it.place is not None else None,
            "commit": it.commit or None,
            "caused": it.is_caused,
            "reason": it.reason,
        }
        for it in causes
    ]
