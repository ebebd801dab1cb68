"""A change compared with other open changes: simulated merges in both orders."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from reconciler.documents.findings import Finding, Severity
from reconciler.gitio.interface import Revision
from reconciler.gitio.repository import Repository
from reconciler.model.claim import Allocation
from reconciler.model.errors import GateError, GitError, LimitError, UnmergedError, UsageError
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse
from reconciler.planning.evaluate import Evaluation, let_pass
from reconciler.planning.space import Lookup
from reconciler.reconcile.evaluation import as_reconciled
from reconciler.reconcile.writing import CommitOptions, Planned, commit_of, is_carried_out
from reconciler.review.merging import Merge
from reconciler.review.result import Both, Fuller, Second, Together


class SimulationRepository(Struct, frozen=True):
    """A repository for merges and commits that are not kept."""

    repository: Repository
    merge: Merge

    def merged(self, onto: Revision, change: Revision) -> Planned:
        """Return the plan of a change merged into a revision, or raise an `UnmergedError`."""
        repository, made = self.repository, change
        if not repository.is_in(onto.id, change.id):
            _, made = self.merge(onto, change)
        source = repository.source(made.id)
        return Planned(made, as_reconciled(source, repository))

    def reconciled(self, planned: Planned) -> Revision:
        """Return the reconcile commit of a merge, or the merge if there is nothing to commit."""
        passed = let_pass(planned.evaluation)
        if not is_carried_out(planned, passed):
            return planned.base
        return self.repository.commit(commit_of(planned, passed, CommitOptions()))


def compare_with_others(
    simulation: SimulationRepository, base: str, change: Revision, others: Sequence[str]
) -> Iterator[Together]:
    """Compare a change with other open changes, in order, or give the reason why not."""
    try:
        onto = simulation.repository.resolve(base)
        ours = simulation.merged(onto, change)
    except (GitError, LimitError, GateError) as failure:
        yield from (Together(name, why=str(failure)) for name in others)
        return
    for name in dict.fromkeys(others):
        yield _compared(simulation, (onto, change), ours, name)


def _compared(
    simulation: SimulationRepository, sides: tuple[Revision, Revision], ours: Planned, name: str
) -> Together:
    base, change = sides
    try:
        other = simulation.repository.resolve(name)
    except (GitError, LimitError, UsageError) as failure:
        return Together(name, why=str(failure))
    if other.id == change.id:
        return Together(name, other.id, why="this is the change that is checked")
    try:
        theirs = simulation.merged(base, other)
        ours_second = simulation.merged(simulation.reconciled(theirs), change)
        theirs_second = simulation.merged(simulation.reconciled(ours), other)
    except UnmergedError as failure:
        why = "" if failure.paths else str(failure)
        return Together(name, other.id, why=why, conflicts=failure.paths)
    except (GitError, LimitError, GateError) as failure:
        return Together(name, other.id, why=str(failure))
    alone = ours.evaluation, theirs.evaluation
    second = ours_second.evaluation, theirs_second.evaluation
    # A grant in both plans is due in the base.
    granted = [
        {
            it.claim: it.allocation
            for it in plan.plan.decisions
            if isinstance(it, Grant) and it.allocation.range
        }
        for plan in alone
    ]
    mine, others = (
        {claim: it for claim, it in a.items() if claim not in b}
        for a, b in (granted, granted[::-1])
    )
    return Together(
        name,
        other.id,
        both=tuple(_both(mine, others)),
        ours=tuple(_second(mine, second[0])),
        theirs=tuple(_second(others, second[1])),
        pools=tuple(
            Fuller(pool, alone[0].plan.after[pool], both)
            for pool, both in second[0].plan.after.items()
            if all(pool in it.plan.after for it in alone)
            if all(both.tier.rank > it.plan.after[pool].tier.rank for it in alone)
        ),
        wrong=tuple(_wrong(alone, second)),
    )


def _both(ours: Mapping[Key, Allocation], theirs: Mapping[Key, Allocation]) -> Iterator[Both]:
    held = Lookup((it.range, (claim, it.pool)) for claim, it in theirs.items() if it.range)
    for claim, mine in ours.items():
        given = mine.range
        for item, (other, pool) in held.overlapping(given) if given is not None else ():
            shared = given.shared(item) if given is not None and pool == mine.pool else None
            if shared is not None:
                yield Both(claim, other, pool, shared)


def _second(alone: Mapping[Key, Allocation], then: Evaluation) -> Iterator[Second]:
    after = {it.claim: it for it in then.plan.decisions if isinstance(it, Grant | Refuse)}
    for claim, held in alone.items():
        got = after.get(claim)
        if held.range is None or got is None:
            continue
        if isinstance(got, Refuse):
            yield Second(claim, held.range, None, got.reason)
        elif got.allocation.range not in (None, held.range):
            yield Second(claim, held.range, got.allocation.range)


def _wrong(alone: Iterable[Evaluation], second: Iterable[Evaluation]) -> Iterator[Finding]:
    seen = {(it.code, it.location.path) for plan in alone for it in _stopping(plan)}
    for plan in second:
        for finding in _stopping(plan):
            if (finding.code, finding.location.path) not in seen:
                seen.add((finding.code, finding.location.path))
                yield finding


def _stopping(evaluation: Evaluation) -> list[Finding]:
    found = [it for it in evaluation.findings if it.severity is Severity.ERROR]
    return found + ([evaluation.brake] if evaluation.brake is not None else [])
