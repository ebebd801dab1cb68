"""Two changes that wait for their merge, beside each other: what both take, and who gets what second.

Each is right by itself, and judged by itself. This only tells what a review of one does not show.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse, Usage


class Both(NamedTuple):
    """Addresses that two claims get, each by a change of its own.

    Attributes:
        ours: The claim of the change.
        theirs: That of the other one.
        pool: Where they are.
        range: What both get.
    """

    ours: Key
    theirs: Key
    pool: Key
    range: IPRange


class Second(NamedTuple):
    """A claim that gets something else when its change is merged after the other one.

    Attributes:
        claim: The claim.
        alone: What it gets by its change alone.
        then: What it gets after the other one; None when it is refused.
        reason: The code of the refusal; empty without one.
    """

    claim: Key
    alone: IPRange
    then: IPRange | None
    reason: str = ""


class Fuller(NamedTuple):
    """A pool that both changes together bring into a worse tier than either does."""

    pool: Key
    alone: Usage
    together: Usage


class Together(Struct, frozen=True):
    """A change beside another one.

    Attributes:
        name: The other one, as it was asked for.
        revision: Its commit; empty when there is none.
        why: Why it was not looked at; else empty.
        conflicts: Files that both changed, in ways that Git cannot merge.
        both: By claim of the change.
        ours: What claims of the change get when it is merged second.
        theirs: What claims of the other one get when that is merged second.
        pools: By pool.
        wrong: Errors, and a brake, that both together have and neither has alone; by place.
    """

    name: str
    revision: str = ""
    why: str = ""
    conflicts: tuple[str, ...] = ()
    both: tuple[Both, ...] = ()
    ours: tuple[Second, ...] = ()
    theirs: tuple[Second, ...] = ()
    pools: tuple[Fuller, ...] = ()
    wrong: tuple[Finding, ...] = ()

    @property
    def is_told(self) -> bool:
        """There is something that a review of each by itself does not show."""
        seen = (self.both, self.ours, self.theirs, self.pools, self.wrong)
        return bool(self.why or self.conflicts or any(seen))


class Plans(NamedTuple):
    """The evaluations of two changes.

    Attributes:
        ours: The change alone.
        theirs: The other one alone.
        ours_second: The change, once the other one is merged and reconciled.
        theirs_second: The other one, once the change is merged and reconciled.
    """

    ours: Evaluation
    theirs: Evaluation
    ours_second: Evaluation
    theirs_second: Evaluation


def beside(name: str, revision: str, plans: Plans) -> Together:
    """Tell of two changes what neither of them shows by itself.

    Args:
        name: The other one, as it was asked for.
        revision: Its commit.
        plans: Of both.
    """
    ours, theirs = _granted(plans.ours), _granted(plans.theirs)
    # What the base itself still owes is in both, and no matter of either.
    mine = {claim: it for claim, it in ours.items() if claim not in theirs}
    others = {claim: it for claim, it in theirs.items() if claim not in ours}
    return Together(
        name,
        revision,
        both=tuple(_both(mine, others)),
        ours=tuple(_second(mine, plans.ours_second)),
        theirs=tuple(_second(others, plans.theirs_second)),
        pools=tuple(_fuller(plans)),
        wrong=tuple(_wrong(plans)),
    )


def _granted(evaluation: Evaluation) -> dict[Key, Grant]:
    """What each claim gets by a plan, by claim."""
    decisions = evaluation.plan.decisions
    return {it.claim: it for it in decisions if isinstance(it, Grant) and it.allocation.range}


def _both(ours: Mapping[Key, Grant], theirs: Mapping[Key, Grant]) -> Iterator[Both]:
    """Each pair of claims that would take the same; few are new in a change."""
    for claim, mine in ours.items():
        for other, their in theirs.items():
            record, there = mine.allocation, their.allocation
            if record.pool != there.pool or record.range is None or there.range is None:
                continue
            if (shared := record.range.shared(there.range)) is not None:
                yield Both(claim, other, record.pool, shared)


def _second(alone: Mapping[Key, Grant], then: Evaluation) -> Iterator[Second]:
    """What becomes of the claims of a change that is merged second, where it is another thing."""
    after = {it.claim: it for it in then.plan.decisions if isinstance(it, Grant | Refuse)}
    ranges = ((claim, grant.allocation.range) for claim, grant in alone.items())
    for claim, held in ((claim, held) for claim, held in ranges if held is not None):
        got = after.get(claim)
        if isinstance(got, Refuse):
            yield Second(claim, held, None, got.reason)
        elif got is not None and got.allocation.range not in (None, held):
            yield Second(claim, held, got.allocation.range)


def _wrong(plans: Plans) -> Iterator[Finding]:
    """What stops both together, and none of them alone; once where either order has it."""
    seen = {(it.code, it.location.path) for plan in plans[:2] for it in _stopping(plan)}
    for plan in plans[2:]:
        for finding in _stopping(plan):
            if (finding.code, finding.location.path) not in seen:
                seen.add((finding.code, finding.location.path))
                yield finding


def _stopping(evaluation: Evaluation) -> list[Finding]:
    found = [it for it in evaluation.findings if it.severity is Severity.ERROR]
    return found + ([evaluation.brake] if evaluation.brake is not None else [])


def _fuller(plans: Plans) -> Iterator[Fuller]:
    """Pools that are worse off by both than by each."""
    ours, theirs = plans.ours.plan.after, plans.theirs.plan.after
    for pool, together in plans.ours_second.plan.after.items():
        alone = [it[pool] for it in (ours, theirs) if pool in it]
        if len(alone) == 2 and together.tier.rank > max(it.tier.rank for it in alone):
            yield Fuller(pool, ours[pool], together)
