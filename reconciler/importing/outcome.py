"""What becomes of what was imported: old beside new for every address, and what moves."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity
from reconciler.importing.found import Holding, conflict
from reconciler.model.plan import Decision, Keep, Refuse


class Line(NamedTuple):
    """A range before and after.

    Attributes:
        old: What the source says; None for what has no address yet.
        new: What the plan gives; None where it refuses.
        place: Where the source says it.
        users: Who uses addresses of it.
    """

    owner: str
    type: str
    pool: str
    old: IPRange | None
    new: IPRange | None
    place: Location
    users: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Nothing moves."""
        return self.old == self.new

    @property
    def is_new(self) -> bool:
        """Somebody who had nothing gets something."""
        return self.old is None and self.new is not None


class Outcome(NamedTuple):
    """What a plan makes of files that are added to a tree."""

    lines: tuple[Line, ...]
    conflicts: tuple[Finding, ...]


def outcome(
    before: Evaluation,
    after: Evaluation,
    paths: Collection[str],
    holdings: Iterable[Holding],
) -> Outcome:
    """Compare what sources say with what a plan gives.

    Args:
        before: The evaluation without the files.
        after: With them.
        paths: Of the files.
        holdings: Ranges that were written as requests.
    """
    told = {(it.space, it.item): it for it in holdings}
    lines: list[Line] = []
    conflicts = [*_new_errors(before, after)]
    for decision in after.plan.decisions:
        claim = after.state.claims.get(decision.claim)
        if claim is None or claim.source.path not in paths:
            continue
        pool = after.state.pools.get(claim.candidates[0]) if claim.candidates else None
        holding = told.get((pool.space, claim.pin)) if pool and claim.pin else None
        place = holding.place if holding is not None else claim.source
        users = holding.users if holding is not None else ()
        new = _given(decision)
        name = pool.key.name if pool is not None else ", ".join(claim.wanted)
        lines.append(Line(claim.owner.short, claim.type, name, claim.pin, new, place, users))
        if isinstance(decision, Refuse):
            what = format_short(claim.pin) if claim.pin else f"{claim.size} addresses"
            message = f"{claim.owner.short}: {what} cannot be granted: {decision.message}"
            conflicts.append(conflict(place, f"{message} ({decision.reason})", decision.hint))
    conflicts += _moved(before, after)
    lines.sort(key=lambda it: (it.pool, it.old is None, it.old or (), it.owner))
    return Outcome(tuple(lines), tuple(conflicts))


def _given(decision: Decision) -> IPRange | None:
    return None if isinstance(decision, Refuse) else decision.allocation.range


def _new_errors(before: Evaluation, after: Evaluation) -> Iterator[Finding]:
    known = set(before.findings)
    for item in after.findings:
        if item.severity is Severity.ERROR and item not in known:
            message = f"{item.code}: {item.message}"
            yield conflict(item.location, message, item.hint)


def _moved(before: Evaluation, after: Evaluation) -> Iterator[Finding]:
    """Records that stay as they are without the files, and do not with them."""
    kept = {item.claim: item for item in before.plan.decisions if isinstance(item, Keep)}
    for decision in after.plan.decisions:
        other = kept.get(decision.claim)
        if other is None or isinstance(decision, Keep):
            continue
        place = Location(other.allocation.path)
        message = f"{decision.claim.short} would not keep what it has"
        yield conflict(place, message, "leave out what is imported for it")
