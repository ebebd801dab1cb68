"""The machine's clock next to the dates of commits."""

from collections.abc import Callable

from msgspec.structs import replace

from reconciler.engine.guard import clock_behind
from reconciler.evaluate import Evaluation
from reconciler.findings import ordered
from reconciler.ports import Revision


def timed(evaluation: Evaluation, base: Revision, now: Callable[[], float] | None) -> Evaluation:
    """The evaluation with what is wrong with this machine's clock, where there is one."""
    if now is None or evaluation.tree.clock_ahead is not None:
        return evaluation
    found = [*evaluation.findings, *clock_behind(base.clock, int(now()))]
    return replace(evaluation, findings=ordered(found))
