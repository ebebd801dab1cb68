"""A tree to its evaluation: findings, state, plan, usage and file changes, by pure functions only.

Check, plan and reconcile call `evaluate` and differ only in what they do with the result.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reconciler.documents.document import Document, Documents
from reconciler.documents.load import Kinds, Loaded
from reconciler.engine import guard, rules
from reconciler.engine.planner import plan as make_plan
from reconciler.families import families
from reconciler.families._family import Projection, Reading, World
from reconciler.findings import Finding, Location, error, ordered, warning
from reconciler.model.allocation import Allocation
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Plan, Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.model.speaking import speaking
from reconciler.model.state import State
from reconciler.records.changes import Change, changes
from reconciler.records.emit import record_document
from reconciler.records.layout import path_of
from reconciler.records.recall import Recalled
from reconciler.settings import CLUSTER_TARGET, SETTINGS, check_targets
from reconciler.settings import PATH as SETTINGS_PATH


@dataclass(frozen=True, slots=True)
class Settled:
    """Parts of a tree that were left out, because they are known to have nothing to do.

    Attributes:
        kept: How many claims keep what they hold.
        live: How many records are live.
        usage: Usage of their pools, by key.
        findings: Warnings about them.
    """

    kept: int = 0
    live: int = 0
    usage: Mapping[Key, Usage] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """One revision, read: its Settings, what its source files hold, what its records state.

    Attributes:
        revision: The commit, or None for a work tree.
        clock: The revision's committer date, in seconds since 1970; or the newest date on its
            line that is not ahead.
        sources: Source files, by path.
        records: Record files, by path.
        findings: What is wrong with the tree itself, such as a symlink among the sources.
        settled: The parts that were not read.
        retained: Paths of released records that some cluster may still announce, and why.
        clock_ahead: The committer date, when no clock can have shown it yet; nothing expires then.
    """

    revision: str | None
    clock: int
    settings: Settings
    sources: tuple[Loaded, ...]
    records: tuple[Recalled, ...]
    findings: tuple[Finding, ...] = ()
    settled: Settled = field(default_factory=Settled)
    retained: Mapping[str, str] = field(default_factory=dict)
    clock_ahead: int | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All that follows from a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: What may not pass although the content is right, by place.
        changes: The files that carry out the plan.
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


def evaluate(tree: Tree, allow_release: int | None = None) -> Evaluation:
    """Evaluate a tree.

    Args:
        tree: The tree.
        allow_release: How many releases a person expects, to pass the brake.
    """
    documents, doubled = _documents(tree.sources)
    recalled = [item.allocation for item in tree.records if item.allocation is not None]
    records = _adopt(recalled, documents)
    held = _held(records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = _joined(readings)
    state = _state(tree, documents, reading, records)
    plan = make_plan(state)
    findings = ordered(
        [
            *tree.findings,
            *(found for source in tree.sources for found in source.findings),
            *(found for item in tree.records for found in item.findings),
            *doubled,
            *check_targets(documents),
            *_causes(state, reading.findings),
            *_causes(state, rules.check(state, overlap_is_error=tree.settings.overlap_is_error)),
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


def _causes(state: State, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings without those that only follow from a file which cannot be read."""
    follows = ("pool-removed", "reference-not-found")
    return (found for found in findings if not (state.unclear and found.code in follows))


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


def project(evaluation: Evaluation) -> tuple[Projection, ...]:
    """The objects of all clusters for the records of the tree as they stand, not as planned.

    Apply reads what was committed; what is not in Git cannot reach a cluster.
    """
    records = evaluation.state.records
    world = World(
        evaluation.documents,
        evaluation.reading,
        records,
        evaluation.plan.before,
        format_instant(evaluation.tree.clock),
        evaluation.tree.settings.applies_documents,
    )
    found = [item for family in families() for item in family.project(world)]
    found += [Projection("management", record_document(record)) for record in records]
    return tuple(found)


def pools_of(sources: Iterable[Loaded], settings: Settings) -> Mapping[Key, Pool]:
    """The pools that some source files describe, on their own."""
    documents, _ = _documents(sources)
    return _joined([family.read(documents, {}, settings) for family in families()]).pools


def _documents(sources: Iterable[Loaded]) -> tuple[Documents, list[Finding]]:
    """All documents; of two that describe one object the first by path counts.

    Its owner loses nothing meanwhile: the second may be the one that is meant.
    """
    first: dict[tuple[str, str, str, str], Document] = {}
    found: list[Finding] = []
    broken: list[tuple[str, str, str, str]] = []
    remains: list[Document] = []
    for source in sources:
        broken.extend(source.broken)
        remains.extend(source.remains)
        for document in source.documents:
            other = first.setdefault(document.identity, document)
            if other is not document:
                broken.append(document.identity)
                message = f"{document.title} is already at {other.path}:{other.line}"
                place = Location(document.path, document.line, 1)
                found.append(error("document-duplicate", place, message, "remove one of the two"))
    return Documents(first.values(), frozenset(broken), remains), found


def _adopt(records: list[Allocation], documents: Documents) -> tuple[Allocation, ...]:
    """Give records that name no claim to the request of their name, if there is one.

    Identity is the claim, not the name; but a record copied from a cluster carries no claim, and
    its tenant and type may mean the tenant's own claim or a request that was made by hand.
    """
    if not any(record.adopted for record in records):
        return tuple(records)
    requests = {(doc.namespace, doc.name): doc for doc in documents.of("IPAllocation")}
    return tuple(
        record._replace(
            claim=Key("butler", record.namespace, record.name, "request", "IPAllocation")
        )
        if record.adopted and (record.namespace, record.name) in requests
        else record
        for record in records
    )


def _held(records: Iterable[Allocation]) -> Mapping[Key, Allocation]:
    """The record that speaks for each claim, where it holds something."""
    return {key: item for key, item in speaking(records).items() if item.range is not None}


def _joined(readings: list[Reading]) -> Reading:
    return Reading(
        pools={key: pool for reading in readings for key, pool in reading.pools.items()},
        claims={key: claim for reading in readings for key, claim in reading.claims.items()},
        findings=tuple(found for reading in readings for found in reading.findings),
        blocked=tuple(item for reading in readings for item in reading.blocked),
        protected=frozenset().union(*(reading.protected for reading in readings)),
        broken=frozenset().union(*(reading.broken for reading in readings)),
    )


def _state(
    tree: Tree, documents: Documents, reading: Reading, records: tuple[Allocation, ...]
) -> State:
    by_kind = {kind.name: family.name for family in families() for kind in family.kinds}
    broken = {
        (by_kind[kind], kind, namespace, name)
        for _, kind, namespace, name in documents.broken
        if kind in by_kind
    }
    return State(
        pools={key: reading.pools[key] for key in sorted(reading.pools)},
        claims={key: reading.claims[key] for key in sorted(reading.claims)},
        records=records,
        clock=tree.clock,
        retention=tree.settings.retention,
        blocked=reading.blocked,
        unreadable=tuple(item.unreadable for item in tree.records if item.unreadable),
        protected=reading.protected | broken,
        broken=reading.broken,
        unclear=any(source.unclear for source in tree.sources) or bool(tree.findings),
        retained=frozenset(tree.retained).union(_not_expiring(tree, records)),
    )


def _not_expiring(tree: Tree, records: Iterable[Allocation]) -> Iterator[str]:
    """All released records, when nobody can tell what time it is."""
    return (item.path for item in records if item.is_released and tree.clock_ahead is not None)


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
        if decision.held and record.claim.owner not in state.protected:
            held.append(record)
        if decision.stale:
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


def schema_files() -> dict[str, str]:
    """The schema of each kind that people write, as a path below `schemas/`, by kind."""
    kinds = [*(kind for family in families() for kind in family.kinds), CLUSTER_TARGET, SETTINGS]
    return {kind.name: kind.schema for kind in sorted(kinds, key=lambda item: item.name)}
