"""Addresses that clusters stop announcing by a plan."""

from collections.abc import Mapping
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
from reconciler.model.plan import Decision, Grant, Release
from reconciler.projecting import records_then, world_of

_NOTHING = IPSet()


class Loss(Struct, frozen=True):
    """Addresses that a cluster stops announcing.

    Attributes:
        cluster: Its name.
        claim: The claim by its present name; None for a manual range.
        addresses: The lost addresses of the claim.
        to: The first cluster by name that announces some of them instead; empty for none.
        path: The path of the record; empty for a manual range.
    """

    cluster: str
    claim: Key | None
    addresses: IPSet
    to: str = ""
    path: str = ""


class Touches(Struct, frozen=True):
    """The documents that a change touches.

    Attributes:
        before: The content of changed and removed files in the base.
        now: The content of changed and new files in the change.
        became: The new names of renamed clusters, by their old names.
    """

    before: Described = Described()
    now: Described = Described()
    became: Mapping[str, str] = MappingProxyType({})

    def cluster_of(self, record: Allocation) -> str:
        """Return the present name of the cluster that announces a record."""
        return self.name(cluster_of(record))

    def name(self, cluster: str) -> str:
        """Return the present name of a cluster."""
        return self.became.get(cluster, cluster)


NOTHING = Touches()


def kinds_of_clusters() -> list[GroupKind]:
    """Return the kinds whose documents describe clusters."""
    return [GroupKind(it.resource.group, it.resource.kind) for it in cluster_kinds()]


def losses(evaluation: Evaluation, touches: Touches = NOTHING) -> list[Loss]:
    """Return the addresses that clusters announce by the present records, but not by the plan.

    Claims that move, and growth that is released, are shown elsewhere.
    """
    owners = (title.partition(" ")[0] for title in (*touches.before.by_hand, *touches.now.by_hand))
    clusters = sorted({touches.name(it) for it in (*_touched(evaluation), *owners)})
    if not clusters:
        return []
    concerned = frozenset(clusters)
    texts = records_of(evaluation.tree, evaluation.documents)
    old = tuple(it for it in texts if touches.cluster_of(it) in concerned)
    new = records_then(evaluation, lambda it: touches.cluster_of(it) in concerned)
    before = _announced(_with_base(world_of(evaluation, old), touches), touches)
    after = _announced(world_of(evaluation, new), touches)
    gains = {it: after.get(it, _NOTHING) - before.get(it, _NOTHING) for it in clusters}
    rest = {it: before.get(it, _NOTHING) - after.get(it, _NOTHING) for it in clusters}
    pools, found = evaluation.state.pools, list[Loss]()
    spaces = {(space_of(pools, it), touches.cluster_of(it)) for it in new}
    named = {it.path: it.claim for it in evaluation.state.records}
    for record in old:
        cluster = touches.cluster_of(record)
        mine = IPSet((record.range,)) & rest[cluster] if record.range is not None else _NOTHING
        if mine:
            space = space_of(pools, record)
            to = (it for it in clusters if mine & gains[it] and (space, it) in spaces)
            rest[cluster] -= mine
            claim = named.get(record.path, record.claim)
            found.append(Loss(cluster, claim, mine, next(to, ""), record.path))
    for cluster, manual in rest.items():
        if manual:
            to = (it for it in clusters if manual & gains[it])
            found.append(Loss(cluster, None, manual, next(to, "")))
    shown = {it.claim for it in evaluation.plan.decisions if _is_release(it, evaluation)}
    shown |= evaluation.moves.keys()
    return sorted((it for it in found if it.claim not in shown), key=lambda it: it.cluster)


def _is_release(decision: Decision, evaluation: Evaluation) -> bool:
    return isinstance(decision, Release) and not is_braked(decision, evaluation)


def _touched(evaluation: Evaluation) -> set[str]:
    """Return the clusters of the records that the plan writes or removes."""
    paths = {change.path for change in evaluation.changes}
    if not paths:
        return set()
    texts = records_of(evaluation.tree, evaluation.documents)
    records = [it for it in (*texts, *evaluation.state.records) if it.path in paths]
    records += [it.allocation for it in evaluation.plan.decisions if isinstance(it, Grant)]
    return {cluster_of(it) for it in records} - {MANAGEMENT}


def _announced(world: ProjectionInput, touches: Touches) -> dict[str, IPSet]:
    """Return the addresses that each cluster announces."""
    found: dict[str, list[IPRange]] = {}
    for family in families():
        for cluster, ranges in family.announcing.announces(world).items():
            found.setdefault(touches.name(cluster), []).extend(ranges)
    return {cluster: IPSet.of(ranges) for cluster, ranges in found.items()}


def _with_base(world: ProjectionInput, touches: Touches) -> ProjectionInput:
    """Return the world with the clusters and the manual ranges of the base."""
    old, new, kinds = touches.before, touches.now, kinds_of_clusters()
    others = (it for it in world.reading.blocked if not {it.title} & {*old.by_hand, *new.by_hand})
    reading = replace(world.reading, blocked=(*others, *old.by_hand.values()))
    every = {it.identity: it for kind in kinds for it in world.documents.of(kind)}
    every |= {name: it for name, it in old.documents.items() if it.kind.id in kinds}
    return replace(world, reading=reading, documents=Documents(every.values()))
