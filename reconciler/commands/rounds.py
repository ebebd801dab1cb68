"""The rounds of one run: Git and clusters, and once more for addresses that come free at once.

Where nothing shall rest, what one commit releases may go with the next. In between the clusters
withdraw it: an address is withdrawn before it is free (`contract.md` §7).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from reconciler.clusters.outcome import Applied
from reconciler.commands.reconcile import Reconciled
from reconciler.engine.due import retention_end
from reconciler.model.plan import Expire, Release

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Round:
    """What was done in Git, and then in the clusters; None when none was applied to."""

    done: Reconciled
    applied: Sequence[Applied] | None


def rounds(
    reconcile: Callable[[], Reconciled],
    apply: Callable[[Reconciled], Sequence[Applied] | None],
    most: int = 2,
) -> Iterator[Round]:
    """One round; and a second when the first released what need not rest. Never a third.

    Each is done when it is asked for, so the first can be told before the second fails.

    Args:
        reconcile: Git. It asks the clusters about addresses that would come free.
        apply: The clusters.
        most: 1 where what was released is still announced after the first.
    """
    first = Round(done := reconcile(), apply(done))
    yield first
    if most > 1 and is_free_at_once(done):
        again = reconcile()
        if again.commit is not None:
            yield Round(again, apply(again))
        elif again.evaluation.tree.retained:
            yield Round(again, None)  # nothing moved, but somebody has to know what is in the way


def is_free_at_once(done: Reconciled) -> bool:
    """Whether it released something whose retention is over already.

    Its retention has ended with the very commit that says so; or long ago, where it goes by the
    date of a commit that was made long ago.
    """
    until = max(done.head.clock, done.time)
    gone = {it.allocation.claim for it in _decisions(done, Expire)}
    for part in done.parts:
        released = (it for it in part.carried.plan.decisions if isinstance(it, Release))
        for item in released:
            end = retention_end(item.allocation, part.carried.state)
            if end is not None and end <= until and item.claim not in gone:
                return True
    return False


def _decisions(done: Reconciled, sort: type[T]) -> Iterator[T]:
    for part in done.parts:
        yield from (it for it in part.carried.plan.decisions if isinstance(it, sort))
