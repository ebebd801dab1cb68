"""Which dates reconcile gives its commits, and by which clock their plans were made."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.message import Said
from reconciler.engine.guard import clock_behind
from reconciler.evaluate import Evaluation
from reconciler.findings import ordered
from reconciler.ports import Revision


class When(Struct, frozen=True):
    """The clock of a commit's plan.

    Attributes:
        is_due: It has to be an instant at which something fell due.
        has_look: What was looked at is in the commit, and the plan is made from that.
    """

    clock: int
    is_due: bool = False
    has_look: bool = False


def when_made(date: int, said: Said, base: Revision, *, has_seen: bool) -> When | None:
    """The clock of its plan; None when the commit is dated as reconcile dates none.

    The plan of a revision at its own date is committed one second later. That is the committer date
    of the base, or an earlier one where that was ahead of all clocks: then it is told. What fell due
    later, or was looked at, is committed at the very clock of its plan, and tells it.
    """
    if said.clock == date and (has_seen or date > base.clock):
        return When(date, is_due=not has_seen, has_look=has_seen)
    clock = date - 1
    is_told = said.clock == clock if said.version else said.clock is None
    is_right = clock == base.clock and said.clock in (None, clock)
    is_own = is_right or (clock < base.clock and is_told)
    return When(clock) if is_own else None


def timed(evaluation: Evaluation, base: Revision, now: Callable[[], float] | None) -> Evaluation:
    """The evaluation with what is wrong with this machine's clock, where there is one."""
    if now is None or evaluation.tree.clock_ahead is not None:
        return evaluation
    found = [*evaluation.findings, *clock_behind(base.clock, int(now()))]
    return replace(evaluation, findings=ordered(found))
