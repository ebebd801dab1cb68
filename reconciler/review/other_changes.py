"""A change compared with other open changes: simulated merges in both orders."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.commands.by_hand import with_changes_by_hand
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.verdicts import note_made
from reconciler.commands.writing import Planned, Wishes, commit_of, is_carried_out
from reconciler.evaluate import Evaluation, let_pass
from reconciler.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse, Usage
from reconciler.ports import (
    GateError,
    GitError,
    LimitError,
    Repository,
    Revision,
    UnmergedError,
    UsageError,
)
from reconciler.review.merging import Merge


class Both(NamedTuple):
    """Addresses that two claims of two changes get.

    Attributes:
        ours: The claim of the change.
        theirs: The claim of the other change.
        pool: The pool of both.
        range: The shared addresses.
    """

    ours: Key
    theirs: Key
    pool: Key
    range: IPRange


class Second(NamedTuple):
    """A claim that gets another range if its change is merged after the other one.

    Attributes:
        claim: The claim.
        alone: The range by its change alone.
        then: The range after the other change; None if the claim is refused.
        reason: The code of the refusal; empty without one.
    """

    claim: Key
    alone: IPRange
    then: IPRange | None
    reason: str = ""


class Fuller(NamedTuple):
    """A pool that both changes together bring into a worse tier than each of them."""

    pool: Key
    alone: Usage
    together: Usage


class Together(Struct, frozen=True):
    """A change compared with another open change.

    Attributes:
        name: The name of the other change.
        revision: Its commit; empty if there is none.
        why: The reason why it is not compared; else empty.
        conflicts: Files that Git cannot merge.
        both: Addresses that both allocate, by claim of the change.
        ours: Claims of the change that get another range if it is merged second.
        theirs: Claims of the other change that get another range if that is merged second.
        pools: Pools that reach a worse tier.
        wrong: Errors, and a release limit, that only both together have; by place.
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
        """Whether the comparison has a result that a review of one change does not show."""
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


def compare(name: str, revision: str, plans: Plans) -> Together:
    """Compare two changes by their plans.

    Args:
        name: The name of the other change.
        revision: Its commit.
        plans: The plans of both.
    """
    ours, theirs = _granted(plans.ours), _granted(plans.theirs)
    # A grant in both plans is due in the base.
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
    """Return the grants of a plan, by claim."""
    decisions = evaluation.plan.decisions
    return {it.claim: it for it in decisions if isinstance(it, Grant) and it.allocation.range}


def _both(ours: Mapping[Key, Grant], theirs: Mapping[Key, Grant]) -> Iterator[Both]:
    """Return the pairs of claims that get the same addresses."""
    for claim, mine in ours.items():
        for other, their in theirs.items():
            record, there = mine.allocation, their.allocation
            if record.pool != there.pool or record.range is None or there.range is None:
                continue
            if (shared := record.range.shared(there.range)) is not None:
                yield Both(claim, other, record.pool, shared)


def _second(alone: Mapping[Key, Grant], then: Evaluation) -> Iterator[Second]:
    """Return the claims that get another range if their change is merged second."""
    after = {it.claim: it for it in then.plan.decisions if isinstance(it, Grant | Refuse)}
    ranges = ((claim, grant.allocation.range) for claim, grant in alone.items())
    for claim, held in ((claim, held) for claim, held in ranges if held is not None):
        got = after.get(claim)
        if isinstance(got, Refuse):
            yield Second(claim, held, None, got.reason)
        elif got is not None and got.allocation.range not in (None, held):
            yield Second(claim, held, got.allocation.range)


def _wrong(plans: Plans) -> Iterator[Finding]:
    """Return the errors of both orders that neither change has alone, each once."""
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
    """Return the pools that reach a worse tier by both changes than by each."""
    ours, theirs = plans.ours.plan.after, plans.theirs.plan.after
    for pool, together in plans.ours_second.plan.after.items():
        alone = [it[pool] for it in (ours, theirs) if pool in it]
        if len(alone) == 2 and together.tier.rank > max(it.tier.rank for it in alone):
            yield Fuller(pool, ours[pool], together)


class Simulation(Struct, frozen=True):
    """A repository for merges and commits that are not kept.

    Attributes:
        repository: The repository, which keeps nothing.
        merge: The function that merges the second revision into the first.
    """

    repository: Repository
    merge: Merge


def compare_with_others(
    simulation: Simulation, base: str, change: Revision, others: Sequence[str]
) -> Iterator[Together]:
    """Compare a change with other open changes, in the given order.

    A change that cannot be merged or planned has the reason.

    Args:
        simulation: The repository of all.
        base: The base of all.
        change: The change.
        others: The names of the others.
    """
    try:
        work = _Work(simulation, simulation.repository.resolve(base))
        ours = work.merged(work.base, change)
    except (GitError, LimitError, GateError) as failure:
        yield from (Together(name, why=str(failure)) for name in others)
        return
    for name in dict.fromkeys(others):
        yield _compare(work, change, ours, name)


class _Work(Struct, frozen=True):
    simulation: Simulation
    base: Revision

    def merged(self, onto: Revision, change: Revision) -> "_Planned":
        """Return the plan of a change that is merged into a revision.

        Raises:
            GitError: Git fails.
            UnmergedError: They conflict.
        """
        repository, made = self.simulation.repository, change
        if not repository.is_in(onto.id, change.id):
            _, made = self.simulation.merge(onto, change)
        source = repository.source(made.id)
        planned = evaluate_source(source)
        return _Planned(made, with_changes_by_hand(repository, source, planned))

    def reconciled(self, planned: "_Planned") -> Revision:
        """Return the reconcile commit of a merge, or the merge if there is nothing to commit."""
        asked = Planned(planned.revision, planned.evaluation)
        passed = let_pass(planned.evaluation)
        if not is_carried_out(asked, passed):
            return planned.revision
        made = self.simulation.repository.commit(commit_of(asked, passed, Wishes()))
        note_made(self.simulation.repository, made)
        return made


class _Planned(Struct, frozen=True):
    """A merge and its evaluation."""

    revision: Revision
    evaluation: Evaluation


def _compare(work: _Work, change: Revision, ours: _Planned, name: str) -> Together:
    """Return the comparison with one other change, or the reason why there is none."""
    try:
        other = work.simulation.repository.resolve(name)
    except (GitError, LimitError, UsageError) as failure:
        return Together(name, why=str(failure))
    if other.id == change.id:
        return Together(name, other.id, why="it is the change itself")
    try:
        theirs = work.merged(work.base, other)
        plans = Plans(
            ours.evaluation,
            theirs.evaluation,
            work.merged(work.reconciled(theirs), change).evaluation,
            work.merged(work.reconciled(ours), other).evaluation,
        )
    except UnmergedError as failure:
        why = "" if failure.paths else str(failure)
        return Together(name, other.id, why=why, conflicts=failure.paths)
    except (GitError, LimitError, GateError) as failure:
        return Together(name, other.id, why=str(failure))
    return compare(name, other.id, plans)
