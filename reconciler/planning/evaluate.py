"""Evaluation of a repository."""

from collections.abc import Mapping

from msgspec import Struct, field, structs

from reconciler.documents.document import Documents
from reconciler.documents.findings import Finding, ordered
from reconciler.families import families
from reconciler.families.interface import FamilyReading
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Plan, Release
from reconciler.model.state import State
from reconciler.planning import release_limit, rules
from reconciler.planning.documents import Tree, taken_over
from reconciler.planning.ownership import owned
from reconciler.planning.planner import plan as make_plan
from reconciler.planning.renames import links_of, rename_owners, rename_pools
from reconciler.planning.retention import moves, retention_end
from reconciler.planning.settings import check_targets
from reconciler.planning.state import (
    documents_of,
    held_by,
    join_documents,
    records_of,
    shrinkable,
    state_of,
    without_causes,
)
from reconciler.records.changes import (
    changes,
    claimed,
    findings_of,
    givers,
    moving,
    renames,
    retained,
)


class Evaluation(Struct, frozen=True):
    """The result of evaluating a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: Refusals of valid content by a limit, by place.
        changes: The files that carry out the plan.
        brake: The finding of the release limit if it is exceeded, else None.
        moves: Claims that get another range, with their previous records.
    """

    tree: Tree
    documents: Documents
    reading: FamilyReading
    state: State
    plan: Plan
    changes: tuple[FileChange, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    brake: Finding | None = None
    moves: Mapping[Key, Allocation] = field(default_factory=dict)


def evaluate(tree: Tree) -> Evaluation:
    """Evaluate a tree."""
    tree = structs.replace(tree, overrides=tree.overrides.afresh())
    documents, doubled = documents_of(tree)
    links = links_of(documents)
    renamed = rename_owners(tree, documents, records_of(tree, documents), links)
    held = held_by(renamed.records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = owned(renamed.applied(join_documents(readings)), documents, tree.contracts)
    renamed = rename_pools(tree, documents, renamed, links, reading.pools)
    records = claimed(renamed.records, reading.claims)
    state = state_of(tree, reading, records, renamed.former, givers(renamed.records, records))
    state = structs.replace(state, along=renamed.along)
    plan = make_plan(state)
    findings = ordered(
        [
            *tree.findings,
            *tree.last_good.findings,
            *(found for source in tree.sources for found in source.findings),
            *(found for item in tree.records for found in item.findings),
            *doubled,
            *check_targets(documents),
            *without_causes(state, reading, plan),
            *renamed.findings,
            *shrinkable(
                rules.check_rules(
                    state, plan, strict=tree.settings.overlap_is_error, missing=reading.missing
                ),
                tree,
                state,
            ),
            *findings_of(plan, state, tree.settings.records),
            *renames(plan, state),
            *tree.overrides.findings,
            *retained(tree.held_back),
            *moving(state, plan, tree.left, tree.overrides),
        ]
    )
    settings, overrides = tree.settings, tree.overrides
    ahead = release_limit.clock(tree.clock_ahead, tree.clock)
    gates = [
        *ahead,
        *release_limit.refusals(plan),
        *release_limit.capacity(state, plan, settings, overrides),
    ]
    evaluation = Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=plan,
        changes=_changes(plan, state, tree),
        findings=findings,
        gates=ordered(gates),
        moves=moves(plan, state, tree.overrides),
    )
    return with_brake(evaluation)


def with_brake(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with the finding of the release limit, by the Settings of its tree."""
    tree = evaluation.tree
    brake = release_limit.brake(
        counts_of(evaluation), tree.settings, tree.allow_release, tree.overrides
    )
    gates = [item for item in evaluation.gates if item is not evaluation.brake]
    gates += [brake] if brake else []
    return structs.replace(evaluation, gates=ordered(gates), brake=brake)


def counts_of(evaluation: Evaluation) -> release_limit.Counts:
    """Return the numbers that the release limit compares."""
    return release_limit.Counts(
        releases=sum(is_braked(it, evaluation) for it in evaluation.plan.decisions),
        live=sum(it.is_live for it in evaluation.state.records),
        reserved=_reserved(evaluation),
    )


def _reserved(evaluation: Evaluation) -> int:
    """Return the number of Released records whose retention has not ended.

    Growth and the ranges that a move leaves do not count: no claim gave them up.
    """
    state, clock = evaluation.state, evaluation.tree.clock
    stays = {record.claim for record in state.records if record.is_live}
    found = 0
    for record in state.records:
        if record.is_released and record.claim not in stays and record.path not in state.grown:
            end = retention_end(record, state)
            found += end is None or end > clock
    return found


def is_braked(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the release limit counts a decision.

    It counts releases, except for growth whose claim stays, the ranges that a move leaves, and the
    claims of objects that are proven to be deleted.
    """
    return (
        isinstance(decision, Release)
        and decision.allocation.path not in evaluation.state.grown
        and decision.allocation.path not in evaluation.state.unused
        and decision.claim.owner not in evaluation.tree.gone
    )


def is_held(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether the release limit holds a decision back."""
    return evaluation.brake is not None and is_braked(decision, evaluation)


def let_pass(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with only the part of its plan that is carried out.

    If the release limit is exceeded, all releases that it counts are held back.
    """
    if evaluation.brake is None:
        return evaluation
    plan = evaluation.plan
    rest = tuple(item for item in plan.decisions if not is_braked(item, evaluation))
    plan = Plan(rest, plan.before, plan.after)
    written = _changes(plan, evaluation.state, evaluation.tree)
    return structs.replace(evaluation, plan=plan, changes=written)


def without_expiries(evaluation: Evaluation) -> tuple[FileChange, ...]:
    """Return the files that reconcile would write for a plan, except for expiries."""
    passed = let_pass(evaluation)
    plan = passed.plan
    rest = tuple(item for item in plan.decisions if not isinstance(item, Expire))
    if len(rest) == len(plan.decisions):
        return passed.changes
    return _changes(Plan(rest, plan.before, plan.after), passed.state, passed.tree)


def held_releases(evaluation: Evaluation) -> list[Allocation]:
    """Return the records that the release limit keeps, as they would be released."""
    decisions = evaluation.plan.decisions
    return [
        item.allocation
        for item in decisions
        if isinstance(item, Release) and is_held(item, evaluation)
    ]


def _changes(plan: Plan, state: State, tree: Tree) -> tuple[FileChange, ...]:
    """Return the files that carry out a plan, and deletions of replaced observed files."""
    written = changes(plan, state, tree.settings.records)
    gone = tuple(FileChange(path, None) for path in taken_over(tree))
    return tuple(sorted((*written, *gone))) if gone else written


def leaving(evaluation: Evaluation) -> list[Allocation]:
    """Return records whose retention has ended, and which the plan deletes."""
    going = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Expire))
    return [record for record in going if record.range is not None]


def left_behind(evaluation: Evaluation) -> list[Allocation]:
    """Return records that claims moved away from; clusters announce them until they are unused."""
    return [record for record in evaluation.state.records if record.announced]


def released(evaluation: Evaluation) -> list[Allocation]:
    """Return the records that the plan releases, in their released form."""
    return [it.allocation for it in evaluation.plan.decisions if isinstance(it, Release)]


def matching(evaluation: Evaluation, text: str) -> list[Key]:
    """Return the claims that a text matches.

    The text is a key, `namespace/name`, a tenant's name, or a record's name.
    """
    decided = {decision.claim for decision in evaluation.plan.decisions}
    decided |= {record.claim for record in evaluation.state.records}
    found = []
    named = {record.name: record.claim for record in evaluation.state.records}
    named |= {claim.name: key for key, claim in evaluation.state.claims.items()}
    for key in sorted(decided):
        owner = f"{key.namespace}/{key.name}"
        if text in (str(key), owner, key.name, f"{owner}/{key.slot}") or named.get(text) == key:
            found.append(key)
    return found
