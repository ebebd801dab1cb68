"""A tree to its evaluation: findings, state, plan, usage and file changes, by pure functions only.

Check, plan and reconcile call `evaluate` and differ only in what they do with the result.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from reconciler.addresses import IPSet
from reconciler.documents.document import Documents
from reconciler.documents.load import Kinds, Loaded, load
from reconciler.engine import guard, rules
from reconciler.engine.planner import plan as make_plan
from reconciler.families import families, judge
from reconciler.families._family import Projection, Reading, World
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.gathering import documents_of, held_by, joined, records_of, state_of
from reconciler.model.allocation import Allocation
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Plan, Release
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.model.state import State
from reconciler.records.changes import Change, changes
from reconciler.records.emit import record_document
from reconciler.records.layout import path_of
from reconciler.settings import CLUSTER_TARGET, SETTINGS, check_targets
from reconciler.settings import PATH as SETTINGS_PATH
from reconciler.tree import Settled, Tree


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that follows from a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: What may not pass although the content is right, by place.
        changes: The files that carry out the plan.
        brake: Why `let_pass` lets no release pass, or None.
    """

    tree: Tree
    documents: Documents
    reading: Reading
    state: State
    plan: Plan
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    brake: Finding | None = field(default=None)


def source_kinds() -> Kinds:
    """All kinds that source folders may hold."""
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET]
    return Kinds(kinds, {(SETTINGS.api_version, SETTINGS.name): SETTINGS_PATH})


def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """What reads one source file, by its path and bytes and nothing else."""
    return partial(load, kinds=source_kinds(), judge=partial(judge, settings=settings))


def evaluate(tree: Tree, allow_release: int | None = None) -> Evaluation:
    """Evaluate a tree.

    Args:
        tree: The tree.
        allow_release: How many releases a person expects, to pass the brake.
    """
    documents, doubled = documents_of(tree)
    records = records_of(tree, documents)
    held = held_by(records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = joined(readings)
    state = state_of(tree, reading, records)
    plan = make_plan(state)
    findings = ordered(
        [
            *tree.findings,
            *tree.last_good.findings,
            *(found for source in tree.sources for found in source.findings),
            *(found for item in tree.records for found in item.findings),
            *doubled,
            *check_targets(documents),
            *_causes(state, reading.findings),
            *rules.check(state, overlap_is_error=tree.settings.overlap_is_error),
            *_record_findings(plan, state, tree.settings.records),
            *tree.settled.findings,
            *_retained(tree),
        ]
    )
    live = sum(1 for record in records if record.is_live) + tree.settled.live
    brake = guard.brake(live, plan, tree.settings, allow_release)
    ahead = guard.clock(tree.clock_ahead, tree.clock)
    gates = [*ahead, *guard.refusals(plan), *guard.capacity(state, plan)]
    return Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=_whole(plan, tree.settled),
        changes=changes(plan, state, tree.settings.records),
        findings=findings,
        gates=ordered([*gates, brake] if brake else gates),
        brake=brake,
    )


def let_pass(evaluation: Evaluation) -> Evaluation:
    """The evaluation with what is carried out of its plan: a brake holds all releases back."""
    if evaluation.brake is None:
        return evaluation
    plan, state = evaluation.plan, evaluation.state
    rest = tuple(item for item in plan.decisions if not isinstance(item, Release))
    plan = Plan(rest, plan.before, plan.after)
    written = changes(plan, state, evaluation.tree.settings.records)
    return replace(evaluation, plan=plan, changes=written)


def _causes(state: State, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings without errors that only follow from a file which never could be read.

    Warnings stay: a group that has nothing else is left out of the next plan, and keeps its own.
    """
    for found in findings:
        follows = found.code == "reference-not-found" and found.severity is Severity.ERROR
        if not (state.unknown and follows):
            yield found


def _whole(plan: Plan, settled: Settled) -> Plan:
    """The plan with the pools that were left out."""
    if not settled.usage:
        return plan
    before, after = {**plan.before, **settled.usage}, {**plan.after, **settled.usage}
    return Plan(
        plan.decisions,
        {key: before[key] for key in sorted(before)},
        {key: after[key] for key in sorted(after)},
    )


def project(
    evaluation: Evaluation, withheld: Mapping[str, IPSet] = MappingProxyType({})
) -> tuple[Projection, ...]:
    """The objects of all clusters for the records of the tree as they stand, not as planned.

    Apply reads what was committed; what is not in Git cannot reach a cluster.

    Args:
        evaluation: Of the tree.
        withheld: What no cluster shall announce by a record, by the record's path.
    """
    records = evaluation.state.records
    world = World(
        evaluation.documents,
        evaluation.reading,
        records,
        evaluation.plan.before,
        format_instant(evaluation.tree.clock),
        evaluation.tree.settings.applies_documents,
        withheld,
    )
    found = [item for family in families() for item in family.project(world)]
    found += [Projection("management", record_document(record)) for record in records]
    return tuple(found)


def _retained(tree: Tree) -> Iterator[Finding]:
    """Records whose retention has ended, but whose addresses may still be announced."""
    for path, why in tree.retained.items():
        message = f"its retention has ended, but its addresses stay held: {why}"
        hint = "when nothing announces them any more: --confirm-withdrawn CLUSTER"
        yield warning("expiry-held", Location(path, 1, 1), message, hint)


def _record_findings(plan: Plan, state: State, records: str) -> Iterator[Finding]:
    """Findings about records that follow from the decisions on them."""
    held: list[Allocation] = []
    occupied = {item.path for item in state.unreadable}
    occupied.update(record.path for record in state.records)
    for decision in plan.decisions:
        if not isinstance(decision, Keep):
            continue
        record = decision.allocation
        place = Location(record.path, 1, 1)
        is_orphan = decision.held and record.claim not in state.claims
        if is_orphan and record.claim.owner not in state.protected:
            held.append(record)
        if decision.stale and not _asks_for_gone(state, record):
            message = f"{record.claim.short} keeps what it holds, though {decision.stale}"
            hint = "delete the record to let the claim move"
            yield warning("record-stale", place, message, hint)
        path = path_of(records, record.pool, record.claim)
        if record.path != path and not decision.held:
            is_free = path not in occupied
            what = "the next reconcile moves it" if is_free else "another record stands there"
            yield warning("record-misplaced", place, f"belongs to {path}; {what}")
    if held:
        # Their documents may be gone, or may stand in the file that cannot be read.
        more = f" and {len(held) - 1} more" if len(held) > 1 else ""
        message = f"{held[0].claim.short}{more}: not released while a file cannot be read"
        yield warning("release-held", Location(held[0].path, 1, 1), message, "mend the errors")


def _asks_for_gone(state: State, record: Allocation) -> bool:
    """The claim still names the record's pool: it is not stale, the pool is gone, and that is told."""
    claim = state.claims.get(record.claim)
    return claim is not None and record.pool not in state.pools and record.pool.name in claim.wanted


def schema_files() -> dict[str, str]:
    """The schema of each kind that people write, as a path below `schemas/`, by kind."""
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET, SETTINGS]
    return {kind.name: kind.schema for kind in sorted(kinds, key=lambda item: item.name)}


def pools_of(sources: Iterable[Loaded], settings: Settings) -> Mapping[Key, Pool]:
    """The pools that some source files describe, on their own."""
    documents = Documents(
        {item.identity: item for file in sources for item in file.documents}.values()
    )
    return joined([family.read(documents, {}, settings) for family in families()]).pools
