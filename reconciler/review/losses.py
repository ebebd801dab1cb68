"""Addresses that clusters stop announcing by a plan."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.announcing import cluster_kinds, cluster_of
from reconciler.documents.document import Documents, GroupKind
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation, is_braked
from reconciler.families import families
from reconciler.families._family import ProjectionInput
from reconciler.gathering import Described, records_of
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Release
from reconciler.projecting import records_then, world_of

_NOTHING = IPSet()


class Loss(Struct, frozen=True):
    """Addresses that a cluster stops announcing.

    Attributes:
        cluster: Its name.
        claim: The claim that they are of, as it is called by now; None for a range that a person
            set by hand.
        addresses: What it loses of that.
        to: The cluster that announces some of them instead, the first by name; empty for none.
        path: Of the record that holds them; empty for a range set by hand.
    """

    cluster: str
    claim: Key | None
    addresses: IPSet
    to: str = ""
    path: str = ""


class Touches(Struct, frozen=True):
    """What a change touches beside records.

    Attributes:
        before: What changed and removed files describe in the base.
        now: What changed and new files describe in the change.
        became: The names that clusters have by now, by those that they had.
    """

    before: Described = Described()
    now: Described = Described()
    became: Mapping[str, str] = MappingProxyType({})

    def cluster_of(self, record: Allocation) -> str:
        """The cluster that announces a record, by the name that it has by now."""
        return self.name(cluster_of(record))

    def name(self, cluster: str) -> str:
        """The name that a cluster has by now."""
        return self.became.get(cluster, cluster)


NOTHING = Touches()


def kinds_of_clusters() -> list[GroupKind]:
    """The kinds whose documents stand for clusters."""
    return [GroupKind(it.resource.group, it.resource.kind) for it in cluster_kinds()]


def losses(evaluation: Evaluation, touches: Touches = NOTHING) -> list[Loss]:
    """What clusters announce by the records as they stand, and no longer by the plan; by cluster.

    But for what is shown elsewhere: claims that move, and growth that nobody needs any more.
    """
    owners = (title.partition(" ")[0] for title in (*touches.before.by_hand, *touches.now.by_hand))
    touched = (touches.name(it) for it in (*_touched(evaluation), *owners))
    clusters = dict.fromkeys(sorted(dict.fromkeys(touched)))
    if not clusters:
        return []
    texts = records_of(evaluation.tree, evaluation.documents)
    before = tuple(record for record in texts if touches.cluster_of(record) in clusters)
    after = records_then(evaluation, lambda it: touches.cluster_of(it) in clusters)
    there = _Side(evaluation, before, clusters, touches, is_before=True)
    then = _Side(evaluation, after, clusters, touches)
    gains = {it: more for it in clusters if (more := then.announced[it] - there.announced[it])}
    shown, named = _shown(evaluation), {it.path: it.claim for it in evaluation.state.records}
    found = (it for cluster in clusters for it in _of_cluster(cluster, there, then, gains))
    told = (replace(it, claim=named.get(it.path, it.claim)) for it in found)
    return [loss for loss in told if loss.claim not in shown]


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


class _Side(Struct, frozen=True, dict=True):
    """What some clusters announce by the records of one side."""

    evaluation: Evaluation
    records: tuple[Allocation, ...]
    clusters: Collection[str]
    touches: Touches
    is_before: bool = False

    @cached_property
    def of_cluster(self) -> Mapping[str, list[Allocation]]:
        """The records of each of them."""
        found: dict[str, list[Allocation]] = {}
        for record in self.records:
            found.setdefault(self.touches.cluster_of(record), []).append(record)
        return found

    @cached_property
    def of_space(self) -> Mapping[str | None, dict[str, None]]:
        """Those that have records in each address space."""
        found: dict[str | None, dict[str, None]] = {}
        for record in self.records:
            space = space_of(self.evaluation.state.pools, record)
            found.setdefault(space, {})[self.touches.cluster_of(record)] = None
        return found

    @cached_property
    def announced(self) -> Mapping[str, IPSet]:
        """All that each of them announces."""
        world = world_of(self.evaluation, self.records)
        world = _before(world, self.touches) if self.is_before else world
        found: dict[str, list[IPRange]] = {cluster: [] for cluster in self.clusters}
        for family in families():
            for cluster, ranges in family.announcing.announces(world).items():
                found.get(self.touches.name(cluster), []).extend(ranges)
        return {cluster: IPSet.of(ranges) for cluster, ranges in found.items()}


def _before(world: ProjectionInput, touches: Touches) -> ProjectionInput:
    """The world with clusters, and ranges set by hand, as the base of a change describes them."""
    old, new, kinds = touches.before, touches.now, kinds_of_clusters()
    others = (it for it in world.reading.blocked if not {it.title} & {*old.by_hand, *new.by_hand})
    reading = replace(world.reading, blocked=(*others, *old.by_hand.values()))
    every = {it.identity: it for kind in kinds for it in world.documents.of(kind)}
    every |= {name: it for name, it in old.documents.items() if it.kind.id in kinds}
    return replace(world, reading=reading, documents=Documents(every.values()))


def _of_cluster(
    cluster: str, there: _Side, then: _Side, gains: Mapping[str, IPSet]
) -> Iterator[Loss]:
    """What a cluster loses, by the records that it was announced by, then what was set by hand."""
    rest = there.announced[cluster] - then.announced[cluster]
    pools = then.evaluation.state.pools
    for record in there.of_cluster.get(cluster, ()) if rest else ():
        mine = IPSet((record.range,)) & rest if record.range is not None else _NOTHING
        if not mine:
            continue
        near = then.of_space.get(space_of(pools, record), {}) if gains else {}
        to = sorted(it for it in near if mine & gains.get(it, _NOTHING))
        rest -= mine
        yield Loss(cluster, record.claim, mine, to[0] if to else "", record.path)
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
