"""A tree to its evaluation: findings, state, plan, usage and file changes, by pure functions only.

Check, plan and reconcile call `evaluate` and differ only in what they do with the result.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field, structs

from reconciler.addresses import IPSet
from reconciler.counting import taken_over
from reconciler.documents.document import Documents, GroupKind
from reconciler.engine import guard, rules
from reconciler.engine.moving import moves
from reconciler.engine.planner import plan as make_plan
from reconciler.families import families, family_of_kind
from reconciler.families._family import Reading
from reconciler.findings import Finding, ordered
from reconciler.gathering import documents_of, held_by, joined, records_of, state_of
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Plan, Release
from reconciler.model.state import State
from reconciler.observed import identity_of
from reconciler.ownership import owned
from reconciler.records.by_hand import NOTHING_FREED, Freed
from reconciler.records.changes import Change, changes
from reconciler.records.claimed import claimed, givers
from reconciler.records.findings import findings_of, moving, renames, retained
from reconciler.records.hands import Paths
from reconciler.records.held import held_of, least, marks
from reconciler.renaming.links import links_of
from reconciler.renaming.owners import rename_owners
from reconciler.renaming.pools import rename_pools
from reconciler.settings import check_targets
from reconciler.sifting import shrinkable, without_causes
from reconciler.tree import Tree


class Evaluation(Struct, frozen=True):
    """All that follows from a tree.

    Attributes:
        findings: Errors and warnings, by place.
        gates: What may not pass although the content is right, by place.
        changes: The files that carry out the plan.
        brake: Why `let_pass` lets no release pass, or None.
        base_brake: That of a change's base: it holds all releases back, and judges none.
        is_freed: People freed what live records hold, unasked; with a brake nothing at all passes.
        freed: What was removed or edited so, and what of it a person expects.
        known: Claims whose release a brake of the base holds back already.
        allow_release: How many releases a person expects, or None.
        put_back: Files of records that a brake puts back, by path; None for what others wrote.
        anchor: The commit of reconcile's that they are from; empty for none.
        cut: Why it cannot be told what people did to records, or None.
        unproven: What records hold by somebody's hand alone, by path: no cluster gets it.
        moves: Claims that get another range than they held, with the record that they had.
        gone: Owners of whom a look proved that they are gone: family, kind, namespace, name.
    """

    tree: Tree
    documents: Documents
    reading: Reading
    state: State
    plan: Plan
    changes: tuple[Change, ...]
    findings: tuple[Finding, ...]
    gates: tuple[Finding, ...]
    brake: Finding | None = None
    base_brake: Finding | None = None
    is_freed: bool = False
    freed: Freed = NOTHING_FREED
    known: frozenset[Key] = frozenset()
    allow_release: int | None = None
    put_back: Paths = field(default_factory=dict)
    anchor: str = ""
    cut: Finding | None = None
    unproven: Mapping[str, IPSet] = field(default_factory=dict)
    gone: frozenset[tuple[str, str, str, str]] = frozenset()
    moves: Mapping[Key, Allocation] = field(default_factory=dict)

    @property
    def is_stopped(self) -> bool:
        """A brake holds releases back."""
        return self.brake is not None or self.base_brake is not None


def evaluate(tree: Tree, allow_release: int | None = None) -> Evaluation:
    """Evaluate a tree.

    Args:
        tree: The tree.
        allow_release: How many releases a person expects, to pass the brake.
    """
    tree = structs.replace(tree, overrides=tree.overrides.afresh())
    documents, doubled = documents_of(tree)
    links = links_of(documents)
    renamed = rename_owners(tree, documents, records_of(tree, documents), links)
    held = held_by(renamed.records)
    readings = [family.read(documents, held, tree.settings) for family in families()]
    reading = owned(renamed.applied(joined(readings)), documents, tree.contracts)
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
                rules.check(
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
    ahead = guard.clock(tree.clock_ahead, tree.clock)
    gates = [*ahead, *guard.refusals(plan), *guard.capacity(state, plan, settings, overrides)]
    evaluation = Evaluation(
        tree=tree,
        documents=documents,
        reading=reading,
        state=state,
        plan=plan,
        changes=_changes(plan, state, tree),
        findings=findings,
        gates=ordered(gates),
        allow_release=allow_release,
        moves=moves(plan, state, tree.overrides),
    )
    return braked_anew(evaluation)


def with_freed(evaluation: Evaluation, by_hand: Freed) -> Evaluation:
    """The evaluation with a brake that counts what somebody freed by hand, too."""
    if by_hand == NOTHING_FREED:
        return evaluation
    is_any = bool(by_hand.removed or by_hand.edited)
    return braked_anew(structs.replace(evaluation, freed=by_hand, is_freed=is_any))


def with_gone(evaluation: Evaluation, removed: Iterable[str]) -> Evaluation:
    """The evaluation of a look, of which no brake counts what objects held that are gone for sure.

    A brake of its own counted them before their copies went (`clusters/deletions.py`).

    Args:
        evaluation: Of the revision without the copies.
        removed: Paths of the files of the observed folder that the look takes away.
    """
    folder = evaluation.tree.settings.observed
    named = [identity_of(folder, path) for path in removed]
    gone = frozenset(
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in filter(None, named)
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    )
    return braked_anew(structs.replace(evaluation, gone=gone)) if gone else evaluation


def braked_anew(evaluation: Evaluation) -> Evaluation:
    """The evaluation with the brake that belongs to its plan, and to what somebody freed."""
    tree, going = evaluation.tree, _going(evaluation)
    brake = guard.brake(going, tree.settings, evaluation.allow_release, tree.overrides)
    gates = [item for item in evaluation.gates if item is not evaluation.brake]
    gates += [brake] if brake else []
    return structs.replace(evaluation, gates=ordered(gates), brake=brake)


def _going(evaluation: Evaluation) -> guard.Going:
    """What comes free by the plan, and by what somebody did to records."""
    by_hand = evaluation.freed
    releases = [it.allocation for it in _braked(evaluation)]
    fresh = [it for it in releases if it.claim not in evaluation.known]
    return guard.Going(
        live=sum(it.is_live for it in evaluation.state.records),
        # A record that was edited and goes is one record.
        released=sum(it.claim not in by_hand.edited for it in fresh),
        removed=by_hand.removed,
        edited=len(by_hand.edited),
        expected=by_hand.expected,
        resting=_resting(evaluation),
        known=len(releases) - len(fresh),
        held_of=least(held_of(fresh, by_hand.marks), by_hand.held_of),
    )


def _braked(evaluation: Evaluation) -> list[Release]:
    """The releases that a brake counts, and holds back."""
    decisions = evaluation.plan.decisions
    return [it for it in decisions if isinstance(it, Release) and is_braked(it, evaluation)]


def is_braked(decision: Decision, evaluation: Evaluation) -> bool:
    """A brake counts it, and holds it back: a release, but not of what shrinking gives back.

    Nor of what is gone for sure, nor of what a claim left that a person let move.
    """
    return (
        isinstance(decision, Release)
        and decision.allocation.path not in evaluation.state.grown
        and decision.allocation.path not in evaluation.state.unused
        and decision.claim.owner not in evaluation.gone
    )


def is_held(decision: Decision, evaluation: Evaluation) -> bool:
    """A brake holds it back: its own, or that of its base."""
    return evaluation.is_stopped and is_braked(decision, evaluation)


def _resting(evaluation: Evaluation) -> int:
    """How many records were released before, and hold their addresses still.

    But for growth, and for what claims have left that moved: nobody gave that up.
    """
    going = {item.path for item in leaving(evaluation)}
    return sum(
        record.is_released
        and not record.announced
        and record.path not in evaluation.state.grown
        and record.path not in going
        for record in evaluation.state.records
    )


def let_pass(evaluation: Evaluation) -> Evaluation:
    """The evaluation with what is carried out of its plan: a brake holds all releases back.

    What records held that are gone is not known to be free. So they are put back; where they cannot
    be, nothing is carried out. What is held back says so from then on, and of how many.
    """
    if not evaluation.is_stopped:
        return evaluation
    plan = evaluation.plan
    if evaluation.is_freed:
        return structs.replace(evaluation, plan=Plan((), plan.before, plan.before), changes=())
    rest = tuple(item for item in plan.decisions if not is_braked(item, evaluation))
    plan = Plan(rest, plan.before, plan.after)
    marked = _with_marks(evaluation, mended_changes(evaluation, plan))
    return structs.replace(evaluation, plan=plan, changes=marked)


def _with_marks(evaluation: Evaluation, written: tuple[Change, ...]) -> tuple[Change, ...]:
    """What is carried out beside releases that are held back, with a mark on each of those.

    Where nothing else is carried out, nobody came since, and no mark is needed.
    """
    if all(item.path in evaluation.put_back for item in written):
        return written
    held, live = {it.allocation.path for it in _braked(evaluation)}, _going(evaluation).all
    marked = marks(evaluation.state.records, held, live, evaluation.freed.marks)
    files = {item.path: item for item in (*written, *marked)}
    return tuple(files[path] for path in sorted(files))


def mended_changes(evaluation: Evaluation, plan: Plan) -> tuple[Change, ...]:
    """The files that carry out a plan, and those that are put back for it."""
    written = _changes(plan, evaluation.state, evaluation.tree)
    files = {**evaluation.put_back, **{item.path: item.data for item in written}}
    return tuple(Change(path, files[path]) for path in sorted(files))


def _changes(plan: Plan, state: State, tree: Tree) -> tuple[Change, ...]:
    """The files that carry out a plan; and what was observed goes where people describe it."""
    written = changes(plan, state, tree.settings.records)
    gone = tuple(Change(path, None) for path in taken_over(tree))
    return tuple(sorted((*written, *gone))) if gone else written


def leaving(evaluation: Evaluation) -> list[Allocation]:
    """Records that hold addresses, and go: their retention has ended."""
    going = (item.allocation for item in evaluation.plan.decisions if isinstance(item, Expire))
    return [record for record in going if record.range is not None]


def left_behind(evaluation: Evaluation) -> list[Allocation]:
    """Records that claims left when they moved, and that clusters announce until nobody uses them."""
    return [record for record in evaluation.state.records if record.announced]


def released(evaluation: Evaluation) -> list[Allocation]:
    """Records as the plan releases them."""
    return [it.allocation for it in evaluation.plan.decisions if isinstance(it, Release)]
