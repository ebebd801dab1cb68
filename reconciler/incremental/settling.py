"""What groups come to: which of them have nothing to do, and what is then known of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from reconciler.engine import rules
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.incremental.group import Group
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Usage
from reconciler.records.layout import PartOf
from reconciler.tree import Settled


def settle(evaluation: Evaluation, groups: Sequence[Group]) -> None:
    """Note in each group what it comes to, unless it has something to do.

    A group has something to do when its plan changes a file, when it holds a record that time
    will change, or when it is found wrong: it is then planned by every run.
    """
    part = PartOf(evaluation.tree.settings.records)
    number_of = {path: number for number, group in enumerate(groups) for path in group.parts}

    def group_of(path: str) -> int | None:
        """The number of a file's group; None for one that is not there, or bears on everything."""
        return number_of.get(part(path))

    kept = Counter(
        group_of(decision.allocation.path)
        for decision in evaluation.plan.decisions
        if isinstance(decision, Keep)
    )
    usage: dict[int | None, dict[Key, Usage]] = {}
    for key, pool in evaluation.state.pools.items():
        usage.setdefault(group_of(pool.source.path), {})[key] = evaluation.plan.before[key]
    findings: dict[int | None, list[Finding]] = {}
    for found in evaluation.findings:
        findings.setdefault(group_of(found.location.path), []).append(found)
    restless = {group_of(path) for path in _restless(evaluation)}
    for number, group in enumerate(groups):
        told = tuple(findings.get(number, ()))
        known = Settled(kept[number], usage.get(number, {}), told)
        group.settled = None if number in restless else known


def sum_of(settled: Iterable[Settled]) -> Settled:
    """All of them together."""
    parts = list(settled)
    return Settled(
        kept=sum(part.kept for part in parts),
        usage={key: usage for part in parts for key, usage in part.usage.items()},
        findings=tuple(found for part in parts for found in part.findings),
    )


def _restless(evaluation: Evaluation) -> Iterator[str]:
    """Files that have something to do, now or when the clock moves on."""
    state = evaluation.state
    yield from (change.path for change in evaluation.changes)
    yield from (record.path for record in state.records if not record.is_live)
    yield from (item.path for item in state.unreadable)
    yield from (source.path for source in evaluation.tree.sources if source.is_broken)
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Keep) and decision.held:
            yield decision.allocation.path
        elif not isinstance(decision, Keep) and decision.claim in state.claims:
            yield state.claims[decision.claim].source.path
    for found in evaluation.findings:
        # What an Override lets shrink is asked for by each run, so that it is told as used.
        if found.severity is Severity.ERROR or found.code == rules.OUTSIDE:
            yield found.location.path
