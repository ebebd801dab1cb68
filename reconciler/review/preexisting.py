"""Findings that the base has already: they do not fail the change.

A finding counts as new if it is about a pool that the change makes fuller, if it is an error in a
file that the change touches, or if it is in another place than in the base.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from reconciler.engine.guard import CAPACITY
from reconciler.evaluate import Evaluation, held_releases
from reconciler.findings import Finding, Location, Severity
from reconciler.model.plan import Usage
from reconciler.review.unread import errors_once_read

if TYPE_CHECKING:
    from reconciler.review.change import Change

_BRAKE = "brake"
_OF_CHANGE = ("brake-held", "clock-ahead")
"""Codes of findings about the change as a whole, though they have a place."""
_WAITING = "override-unused"
"""An Override counts once it is in the base, and the change need not use it."""


class _Same(Struct, frozen=True):
    """The properties by which a finding is known again."""

    severity: Severity
    code: str
    place: Location
    message: str


def preexisting(change: "Change", findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that the plan of the base has already."""
    suspects = [it for it in findings if it.code not in _OF_CHANGE and it.location.path != "."]
    if not suspects:
        return ()
    base = change.base_plan
    known = Counter(
        _same(it, change.paths) for it in (*base.findings, *base.gates, *errors_once_read(base))
    )
    asked = Counter(_same(it, change.paths) for it in suspects)
    return tuple(
        item
        for item in suspects
        if item.code == _WAITING
        or (item.code == _BRAKE and _adds_no_release(change))
        or (
            item.code != _BRAKE
            and asked[same := _same(item, change.paths)] <= known[same]
            and not _is_worse(item, change.result, base)
            and not (item.severity is Severity.ERROR and item.location.path in change.paths)
        )
    )


def _adds_no_release(change: "Change") -> bool:
    """Whether the base holds back all releases that the change holds back."""
    return change.held_by_base.issuperset(it.claim for it in held_releases(change.result))


def _same(item: Finding, changed: frozenset[str]) -> _Same:
    """Return the identity of a finding, without lines of edited files and figures of gates."""
    is_edited = item.location.path in changed
    place = item.location._replace(line=0, column=0) if is_edited else item.location
    message = item.message if is_edited or item.severity is not Severity.GATE else ""
    if item.code == CAPACITY:
        place, message = item.location._replace(line=0, column=0), ""
    return _Same(item.severity, item.code, place, message)


def _is_worse(item: Finding, evaluation: Evaluation, base: Evaluation) -> bool:
    """Whether the finding is about a pool that the change makes fuller."""
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
