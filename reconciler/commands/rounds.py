"""The rounds of one run: Git and clusters, and once more for addresses that come free at once.

Where nothing shall rest, what one commit releases may go with the next. In between the clusters
withdraw it: an address is withdrawn before it is free (`contract.md` §7).
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from reconciler.clusters.outcome import Applied
from reconciler.commands.reconcile import Reconciled
from reconciler.engine.due import retention_end
from reconciler.evaluate import released


class Round(Struct, frozen=True):
    """What was done in Git, and then in the clusters; None when none was applied to.

    Attributes:
        served: Clusters whose growth came with it, and for how many seconds it was waited for.
    """

    done: Reconciled
    applied: Sequence[Applied] | None
    served: Sequence[tuple[str, float]] = ()


def rounds(
    reconcile: Callable[[], Reconciled],
    apply: Callable[[Reconciled], Sequence[Applied] | None],
    most: int = 2,
    served: Callable[[], Sequence[tuple[str, float]]] = lambda: (),
) -> Iterator[Round]:
    """One round; and a second when the first released what need not rest. Never a third.

    Each is done when it is asked for, so the first can be told before the second fails.

    Args:
        reconcile: Git. It asks the clusters about addresses that would come free.
        apply: The clusters.
        most: 1 where what was released is still announced after the first.
        served: Tells what growth an apply served.
    """
    first = Round(done := reconcile(), apply(done), served())
    yield first
    if most > 1 and is_free_at_once(done):
        again = reconcile()
        if again.commit is not None:
            yield Round(again, apply(again), served())
        elif again.evaluation.tree.held_back:
            yield Round(again, None)  # nothing moved, but somebody has to know what is in the way


def is_free_at_once(done: Reconciled) -> bool:
    """Whether it released something whose retention is over with the very commit that says so."""
    for part in done.parts:
        ends = (retention_end(record, part.carried.state) for record in released(part.carried))
        if any(end is not None and end <= part.head.clock for end in ends):
            return True
    return False
