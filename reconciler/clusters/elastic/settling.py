"""What a tenant asks for in the end, once it is known what it gets, and what is told of it."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from reconciler.clusters.elastic.fitting import Fitted
from reconciler.clusters.elastic.model import Figures, Outcome, Word
from reconciler.families._demand import LAST, MOST, Entry
from reconciler.model.allocation import Allocation
from reconciler.model.growth import BLOCKED


class Settled(NamedTuple):
    """What becomes of a tenant.

    Attributes:
        entries: What it asks for from now on.
        words: What is told of it.
    """

    entries: tuple[Entry, ...]
    figures: Figures
    words: tuple[Word, ...]


def settled(outcome: Outcome, got: Fitted, stays: Collection[int] = ()) -> Settled:
    """What becomes of a tenant.

    Args:
        outcome: What follows from what its cluster shows.
        got: What it gets of what it wishes for.
        stays: Numbers of entries whose records nobody may touch now.
    """
    refused = {entry.index for entry in outcome.back} - {entry.index for entry in got.back}
    going = {entry.index for entry in outcome.going if entry.index not in stays}
    kept = [it for it in outcome.entries if it.index not in refused | going]
    room = max(0, MOST - len(kept))
    new = tuple(entry for entry in got.new if entry.index <= LAST)[:room]
    lacks = max(0, outcome.needed - sum(entry.count for entry in new))
    blocked = outcome.figures.blocked + lacks
    words = list(outcome.words)
    if blocked:
        told = [outcome.why] if outcome.why else []
        if len(new) < len(got.new):
            told.append(
                f"its Demand has room for {MOST} entries up to number {LAST}; delete Services"
            )
        elif lacks and got.refusal is not None:
            told.append(f"{got.refusal.message}; {got.refusal.hint}")
        words.insert(0, Word(BLOCKED, _blocked(blocked, outcome.names, ". Besides, ".join(told))))
    return Settled(
        tuple(sorted([*kept, *new])), outcome.figures._replace(blocked=blocked), tuple(words)
    )


def _blocked(count: int, names: str, why: str) -> str:
    what = "1 more address is" if count == 1 else f"{count} more addresses are"
    return f"{what} needed for {names}: {why}"


def document_of(
    before: tuple[Entry, ...] | None,
    after: tuple[Entry, ...],
    stated: tuple[Entry, ...],
    records: Iterable[Allocation],
) -> tuple[Entry, ...] | None:
    """The entries of the document that shall stand; None for no document.

    One that is empty says that nothing is needed. It goes when no growth is left to give back.

    Args:
        before: The entries of the document that stands; None when there is none.
        after: What the tenant asks for from now on.
        stated: What it counts as asking for without a document.
        records: Its growth, in any phase.
    """
    if after == (stated if before is None else tuple(sorted(before))):
        is_over = before is not None and not after and not any(True for _ in records)
        return None if is_over else before
    return after
