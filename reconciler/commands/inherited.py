"""What a base says already, and a change leaves as it is: told apart, and stops nothing.

Somebody else's trouble turns no change red. What gets worse by the change stays its own: a pool that
gets fuller, an error of another kind, in a file that it touches, or in another place.
"""

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from reconciler.comparison import Compared
from reconciler.engine.guard import CAPACITY
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity
from reconciler.model.plan import Usage
from reconciler.ports import Changed
from reconciler.vanishing import vanished

_OF_ALL = ("announcement-moved", "brake", "brake-held", "clock-ahead")
"""What is about a change as a whole, though it has a place: it is judged beside the base elsewhere."""

_WAITING = "override-unused"
"""Only what the base has counts, so whatever it waits for is no matter of a change without need of it."""


class _Said(Struct, frozen=True):
    """What makes two findings the same: place or words, or both, whichever can be relied on."""

    severity: Severity
    code: str
    place: Location
    message: str


def with_inherited(
    compared: Compared, planned: Callable[[], Evaluation], changes: Iterable[Changed]
) -> Compared:
    """A comparison in which what the base says already is told apart.

    Args:
        compared: With all that is told of the change.
        planned: The evaluation of the base. It is asked for only where something is told.
        changes: The files that differ from it.
    """
    evaluation = compared.evaluation
    changed = {item.path for item in changes}
    told = [*evaluation.findings, *evaluation.gates]
    suspects = [item for item in told if item.code not in _OF_ALL and item.location.path != "."]
    if not suspects:
        return compared
    base = planned()
    wrong = vanished(base)
    stood = (*base.findings, *base.gates, *wrong.errors, *wrong.gates)
    known = Counter(_said(item, changed) for item in stood)
    asked = Counter(_said(item, changed) for item in suspects)
    inherited = [
        item
        for item in suspects
        if item.code == _WAITING
        or (
            asked[said := _said(item, changed)] <= known[said]
            and not _is_worse(item, evaluation, base)
            and not (item.severity is Severity.ERROR and item.location.path in changed)
        )
    ]
    apart = set(map(id, inherited))
    return replace(
        compared,
        evaluation=replace(
            evaluation,
            findings=tuple(it for it in evaluation.findings if id(it) not in apart),
            gates=tuple(it for it in evaluation.gates if id(it) not in apart),
        ),
        inherited=tuple(inherited),
    )


def _said(item: Finding, changed: set[str]) -> _Said:
    """A finding as it is known again.

    A gate tells figures, which others change; in a file that is edited lines are others.
    """
    is_edited = item.location.path in changed
    place = item.location._replace(line=0, column=0) if is_edited else item.location
    message = item.message if is_edited or item.severity is not Severity.GATE else ""
    if item.code == CAPACITY:
        place, message = item.location._replace(line=0, column=0), ""
    return _Said(item.severity, item.code, place, message)


def _is_worse(item: Finding, evaluation: Evaluation, base: Evaluation) -> bool:
    """It is about a pool that the change makes fuller than the base does."""
    if item.code != CAPACITY:
        return False
    pools = evaluation.state.pools.values()
    for key in (pool.key for pool in pools if pool.source == item.location):
        now, was = evaluation.plan.after[key], base.plan.after.get(key)
        if was is None or _used(now) * was.total > _used(was) * now.total:
            return True
    return False


def _used(usage: Usage) -> int:
    return usage.allocated + usage.held
