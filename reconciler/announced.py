"""What clusters announce once a change is carried out, beside what they announce before.

A record may go from one living cluster to another, or may no longer be announced, while no claim
is granted or released: the plan alone does not show that. Whoever uses the addresses is cut off.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_count, format_short
from reconciler.clusters.announcing import cluster_kinds, cluster_of
from reconciler.comparison import Base
from reconciler.documents.document import GroupKind
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation, is_braked, is_held
from reconciler.families import families
from reconciler.families._former import former_of
from reconciler.findings import Finding, Location, Severity, few, gate, ordered, warning
from reconciler.gathering import Described, records_of
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import MANAGEMENT, tenant_name
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.plan import Grant, Release
from reconciler.model.state import Blocked
from reconciler.projecting import world_of
from reconciler.records.changes import records_after
from reconciler.records.findings import HANDED_OVER

_NOTHING = IPSet()


class Loss(NamedTuple):
    """Addresses that a cluster announces, and no longer will.

    Attributes:
        cluster: Its name.
        claim: The claim that they are of; None for a range that a person set by hand.
        addresses: What it loses of that.
        to: The cluster that announces some of them instead, the first by name; empty for none.
    """

    cluster: str
    claim: Key | None
    addresses: IPSet
    to: str = ""


def with_losses(
    base: Base, evaluation: Evaluation, planned: Callable[[], Evaluation]
) -> Evaluation:
    """The evaluation of a change, with what clusters lose by it that are there before and after.

    Args:
        base: The base.
        evaluation: Of the change.
        planned: The evaluation of the base, whose own losses are none of the change. It is asked
            for only where there are losses.
    """
    gone = _gone(base)
    found = [it for it in losses(evaluation, _touches(base)) if it.cluster not in gone]
    if not found:
        return evaluation
    known = losses(planned())
    told = [_told(loss, evaluation) for loss in found if loss not in known]
    # What an evaluation says by itself of who gets a record is said here, beside the base.
    said = {_place(loss, evaluation) for loss in found}
    alone = [it for it in evaluation.findings if it.code != HANDED_OVER or it.location not in said]
    gates = [item for item in told if item.severity is Severity.GATE]
    findings = [item for item in told if item.severity is not Severity.GATE]
    return replace(
        evaluation,
        findings=ordered([*alone, *findings]),
        gates=ordered([*evaluation.gates, *gates]),
    )


_ByHand = Mapping[str, Blocked | None]
"""Ranges set by hand as they were, by title; None for one that is new."""


class Touches(NamedTuple):
    """What a change touches beside records.

    Attributes:
        by_hand: Ranges that people set by hand.
        became: The names that clusters have by now, by those that they had.
    """

    by_hand: _ByHand = MappingProxyType({})
    became: Mapping[str, str] = MappingProxyType({})

    def cluster_of(self, record: Allocation) -> str:
        """The cluster that announces a record, by the name that it has by now."""
        return self.now(cluster_of(record))

    def now(self, cluster: str) -> str:
        """The name that a cluster has by now."""
        return self.became.get(cluster, cluster)


NOTHING = Touches()


def _touches(base: Base) -> Touches:
    old, new = base.described, base.described_now
    by_hand = {title: old.by_hand.get(title) for title in (*old.by_hand, *new.by_hand)}
    before, kinds = _clusters(old), _kinds()
    became: dict[str, str] = {}
    for document in new.documents.values():
        former = former_of(document) if document.kind.id in kinds else None
        if former is not None and (was := tenant_name(former.namespace, former.name)) in before:
            became[was] = tenant_name(document.namespace, document.name)
    return Touches(by_hand, became)


def losses(evaluation: Evaluation, touches: Touches = NOTHING) -> list[Loss]:
    """What clusters announce by the records as they stand, and no longer by the plan; by cluster.

    But for what is shown elsewhere: claims that move, and growth that nobody needs any more.
    """
    owners = (title.partition(" ")[0] for title in touches.by_hand)
    touched = (touches.now(it) for it in (*_touched(evaluation), *owners))
    clusters = dict.fromkeys(sorted(dict.fromkeys(touched)))
    if not clusters:
        return []
    texts = records_of(evaluation.tree, evaluation.documents)
    before = tuple(record for record in texts if touches.cluster_of(record) in clusters)
    after = _carried_out(evaluation, clusters, touches)
    there = _Side(evaluation, before, clusters, touches, touches.by_hand)
    then = _Side(evaluation, after, clusters, touches)
    gains = {it: more for it in clusters if (more := then.announced[it] - there.announced[it])}
    shown = _shown(evaluation)
    return [
        loss
        for cluster in clusters
        for loss in _of_cluster(cluster, there, then, gains)
        if loss.claim not in shown
    ]


def _touched(evaluation: Evaluation) -> dict[str, None]:
    """The clusters of which the plan writes or removes a record, in order."""
    paths = {change.path for change in evaluation.changes}
    if not paths:
        return {}
    texts = records_of(evaluation.tree, evaluation.documents)
    stated = (record for record in (*texts, *evaluation.state.records) if record.path in paths)
    given = (it.allocation for it in evaluation.plan.decisions if isinstance(it, Grant))
    clusters = {cluster_of(record): None for record in (*stated, *given)}
    return dict.fromkeys(sorted(cluster for cluster in clusters if cluster != MANAGEMENT))


def _carried_out(
    evaluation: Evaluation, clusters: Collection[str], touches: Touches
) -> tuple[Allocation, ...]:
    """Records of clusters once all of the plan is carried out that no brake holds back."""
    plan, state = evaluation.plan, evaluation.state
    is_stopped = evaluation.brake is not None and evaluation.is_freed
    rest = () if is_stopped else (it for it in plan.decisions if not is_held(it, evaluation))
    decided = (it for it in rest if it.allocation and touches.cluster_of(it.allocation) in clusters)
    kept = (record for record in state.records if touches.cluster_of(record) in clusters)
    theirs = replace(state, records=tuple(kept))
    folder = evaluation.tree.settings.records
    return records_after(replace(plan, decisions=tuple(decided)), theirs, folder)


@dataclass(frozen=True)
class _Side:
    """What some clusters announce by the records of one side."""

    evaluation: Evaluation
    records: tuple[Allocation, ...]
    clusters: Collection[str]
    touches: Touches
    by_hand: _ByHand = field(default_factory=dict)

    @cached_property
    def of_cluster(self) -> Mapping[str, list[Allocation]]:
        """The records of each of them."""
        found: dict[str, list[Allocation]] = {}
        for record in self.records:
            found.setdefault(self.touches.cluster_of(record), []).append(record)
        return found

    @cached_property
    def announced(self) -> Mapping[str, IPSet]:
        """All that each of them announces."""
        world = world_of(self.evaluation, self.records)
        others = (it for it in world.reading.blocked if it.title not in self.by_hand)
        blocked = (*others, *(it for it in self.by_hand.values() if it is not None))
        world = replace(world, reading=replace(world.reading, blocked=blocked))
        found: dict[str, list[IPRange]] = {cluster: [] for cluster in self.clusters}
        for family in families():
            for cluster, ranges in family.objects.announces(world).items():
                found.get(self.touches.now(cluster), []).extend(ranges)
        return {cluster: IPSet.of(ranges) for cluster, ranges in found.items()}


def _of_cluster(
    cluster: str, there: _Side, then: _Side, gains: Mapping[str, IPSet]
) -> Iterator[Loss]:
    """What a cluster loses, by the records that it was announced by, then what was set by hand."""
    rest = there.announced[cluster] - then.announced[cluster]
    pools, name = then.evaluation.state.pools, then.touches.cluster_of
    for record in there.of_cluster.get(cluster, ()) if rest else ():
        mine = IPSet((record.range,)) & rest if record.range is not None else _NOTHING
        if not mine:
            continue
        space = space_of(pools, record)
        near = {name(it): None for it in then.records if space_of(pools, it) == space}
        to = sorted(it for it in near if mine & gains.get(it, _NOTHING))
        rest -= mine
        yield Loss(cluster, record.claim, mine, to[0] if to else "")
    if rest:
        to = sorted(it for it, more in gains.items() if rest & more)
        yield Loss(cluster, None, rest, to[0] if to else "")


def _shown(evaluation: Evaluation) -> frozenset[Key]:
    """Claims of which is shown already that they lose something."""
    given_back = (
        it.claim
        for it in evaluation.plan.decisions
        if isinstance(it, Release) and not is_braked(it, evaluation)
    )
    return frozenset((*evaluation.moves, *given_back))


def _gone(base: Base) -> frozenset[str]:
    """The clusters that the change takes away: what they announced goes with them."""
    now = _clusters(base.described_now)
    return frozenset(cluster for cluster in _clusters(base.described) if cluster not in now)


def _clusters(described: Described) -> dict[str, None]:
    """The clusters that documents stand for, also one that is wrong."""
    kinds = _kinds()
    return {
        tenant_name(namespace, name): None
        for group, kind, namespace, name in (*described.documents, *sorted(described.broken))
        if (group, kind) in kinds
    }


def _kinds() -> list[GroupKind]:
    return [GroupKind(it.resource.group, it.resource.kind) for it in cluster_kinds()]


def _told(loss: Loss, evaluation: Evaluation) -> Finding:
    size = loss.addresses.size
    what = few([format_short(item) for item in loss.addresses])
    what += f" ({format_count(size)} {'address' if size == 1 else 'addresses'})"
    place = _place(loss, evaluation)
    if not loss.to:
        message = f"cluster {loss.cluster} stays, and no longer announces {what}"
        hint = "what uses them there is cut off at the next apply; take back the edit that does"
        return warning("announcement-lost", place, message, f"{hint} this, unless nobody does")
    message = f"cluster {loss.cluster} stays, and {what} would go from it to {loss.to} at once"
    if loss.claim is None:
        hint = "take it away in a change of its own first, and give it when it is not used any more"
        return gate(HANDED_OVER, place, message, hint)
    scope = str(loss.claim)
    if evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):
        return warning(HANDED_OVER, place, f"{message}; an Override lets it go")
    hint = "what uses them is cut off: make a claim of its own for the other cluster"
    hint += f", or merge an Override of kind move for {scope} first"
    return gate(HANDED_OVER, place, message, hint)


def _place(loss: Loss, evaluation: Evaluation) -> Location:
    """What the claim says by now, or its record; of a range set by hand where that stands."""
    if loss.claim is None:
        documents = (it for kind in _kinds() for it in evaluation.documents.of(kind))
        named = (it for it in documents if tenant_name(it.namespace, it.name) == loss.cluster)
        document = next(named, None)
        return document.start if document is not None else evaluation.tree.settings.location
    if (claim := evaluation.state.claims.get(loss.claim)) is not None:
        return claim.source
    paths = (it.path for it in evaluation.state.records if it.claim == loss.claim)
    return Location(next(paths, evaluation.tree.settings.records))
