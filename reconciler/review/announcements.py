"""Addresses that clusters lose by a change, and pools in clusters that it renames."""

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from itertools import product
from math import prod
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_count, format_short
from reconciler.documents.document import Document, Documents, GroupKind, Identity
from reconciler.documents.findings import Finding, Location, gate, info, join_limited, warning
from reconciler.families import families, family_of_kind, known_as
from reconciler.families.clusters import (
    balancer_records,
    balancers,
    cluster_kinds,
    cluster_of,
    described_clusters,
    document_kinds,
    former_clusters,
    name_of,
)
from reconciler.families.fields import written
from reconciler.families.interface import ProjectionInput
from reconciler.families.plain.projection import changed_entries
from reconciler.families.plain.targets import controller_of
from reconciler.loadbalancers import controller, interface
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT, tenant_name
from reconciler.model.plan import Grant, Keep, Release
from reconciler.model.settings import PATH, OverrideKind
from reconciler.planning import evaluate
from reconciler.planning.evaluate import DescribedFiles, Evaluation
from reconciler.planning.projection import records_then, world_of
from reconciler.planning.space import space_of
from reconciler.records.changes import HANDED_OVER, held_words
from reconciler.review.change import Change
from reconciler.review.files import differing

_NOTHING = IPSet()
_NAMED = controller().named
_AT_ONCE = "move its Services first; the next apply removes the old range"
_POOL_NAME = "ipam apply keeps the old name while Services use it (exit code 5), and otherwise replaces the pool"
_MAX_KINDS = 2_000  # of Services that a selection is compared for
_OTHER = "other"  # represents all names that no selection mentions
_REVERT = "revert this edit if Services use these addresses, because they lose connectivity at the next apply"
_MOVE_FIRST = "move its Services to another pool first"
_KEEP_NAME = "keep the name, unless no Service uses the pool when this is applied"


class Loss(Struct, frozen=True):
    """Addresses that a cluster stops announcing, and the first cluster by name that starts to."""

    cluster: str
    claim: Key | None
    addresses: IPSet
    to: str = ""
    path: str = ""


class Touches(Struct, frozen=True):
    """The touched files in the base and in the change, and renamed clusters by old name."""

    before: DescribedFiles = DescribedFiles()
    now: DescribedFiles = DescribedFiles()
    became: Mapping[str, str] = MappingProxyType({})

    def cluster_of(self, record: Allocation) -> str:
        """Return the present name of the cluster that announces a record."""
        return self.name(cluster_of(record))

    def name(self, cluster: str) -> str:
        """Return the present name of a cluster."""
        return self.became.get(cluster, cluster)


def losses(evaluation: Evaluation, touches: Touches | None = None) -> list[Loss]:
    """Return addresses lost by the plan, except by moves and released growth, shown elsewhere."""
    touches = touches or Touches()
    owners = (title.partition(" ")[0] for title in (*touches.before.by_hand, *touches.now.by_hand))
    clusters = sorted({touches.name(it) for it in (*_touched(evaluation), *owners)})
    if not clusters:
        return []
    concerned = frozenset(clusters)
    texts = evaluate.records_of(evaluation.tree, evaluation.documents)
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
    releases = (it for it in evaluation.plan.decisions if isinstance(it, Release))
    unlimited = {it.claim for it in releases if not evaluate.is_braked(it, evaluation)}
    shown = unlimited | evaluation.moves.keys()
    return sorted((it for it in found if it.claim not in shown), key=lambda it: it.cluster)


def _touched(evaluation: Evaluation) -> set[str]:
    paths = {change.path for change in evaluation.changes}
    if not paths:
        return set()
    texts = evaluate.records_of(evaluation.tree, evaluation.documents)
    records = [it for it in (*texts, *evaluation.state.records) if it.path in paths]
    records += [it.allocation for it in evaluation.plan.decisions if isinstance(it, Grant)]
    return {cluster_of(it) for it in records} - {MANAGEMENT}


def _announced(world: ProjectionInput, touches: Touches) -> dict[str, IPSet]:
    found: dict[str, list[IPRange]] = {}
    for family in families():
        for cluster, ranges in family.announcing.announces(world).items():
            found.setdefault(touches.name(cluster), []).extend(ranges)
    return {cluster: IPSet.of(ranges) for cluster, ranges in found.items()}


def _with_base(world: ProjectionInput, touches: Touches) -> ProjectionInput:
    old, new, kinds = touches.before, touches.now, document_kinds()
    others = (it for it in world.reading.blocked if not {it.title} & {*old.by_hand, *new.by_hand})
    reading = replace(world.reading, blocked=(*others, *old.by_hand.values()))
    every = {it.identity: it for kind in kinds for it in world.documents.of(kind)}
    every |= {name: it for name, it in old.documents.items() if it.kind.id in kinds}
    return replace(world, reading=reading, documents=Documents(every.values()))


def lost_announcements(change: Change) -> Iterator[Finding]:
    """Report addresses that a cluster loses at once, to another cluster or to none.

    The addresses of a removed cluster are in the plan, unless another cluster gets them at once.
    """
    clusters = _Clusters(change, change.result)
    touches = Touches(change.before, change.after, clusters.became)
    if change.base_settings.advertisement != change.own_settings.advertisement == "none":
        world = world_of(change.result, change.result.state.records)
        if named := join_limited(sorted(_announced(world, touches))):
            message = f"spec.metallb.advertisement is none, so the L2Advertisement is removed from {named}"
            hint = "create a BGPAdvertisement in these clusters first, or set it back to l2"
            yield warning("announcement-lost", Location(PATH, 1, 1), message, hint)
    found = [
        it for it in losses(change.result, touches) if it.to or it.cluster not in clusters.gone
    ]
    if not found:
        return
    known = {
        (touches.name(it.cluster), it.path): (it.addresses, touches.name(it.to))
        for it in losses(change.base_plan)
    }
    for loss in found:
        if known.get((loss.cluster, loss.path)) != (loss.addresses, loss.to):
            yield clusters.finding(loss)


def replaced_ranges(change: Change) -> Iterator[Finding]:
    """Report clusters that get another range because the claim of their range is removed."""
    evaluation = change.result
    firsts = {
        (cluster_of(it.allocation), it.allocation.type): it
        for it in evaluation.plan.decisions
        if isinstance(it, Grant) and it.replaces is None and it.leaves is None
        if it.allocation.range is not None
        if _cluster(_own_claim(it.claim, evaluation)) == cluster_of(it.allocation)
    }
    held = {it.claim for it in evaluate.held_releases(evaluation)} if firsts else set()
    for old in evaluate.records_of(evaluation.tree, evaluation.documents) if firsts else ():
        new, claim = firsts.get((cluster_of(old), old.type)), evaluation.state.claims.get(old.claim)
        if new is None or not old.is_live or old.range is None or old.claim in held:
            continue
        if _cluster(old.claim) == cluster_of(old) or (claim and claim.type == old.type):
            continue
        message = f"{new.claim.short} moves from {held_words(old)} of {old.claim.short} to {held_words(new.allocation)}"
        own = _own_claim(new.claim, evaluation)
        if evaluation.tree.overrides.allow(OverrideKind.MOVE, str(own)):
            message += "; an Override permits this"
            yield warning("claim-moves", new.source, message, _AT_ONCE)
        else:
            hint = f"restore {old.claim.short} and run ipam move {replace(own, slot='').short} --to POOL, which moves without an interruption; or merge an Override of kind move for {own}"
            yield gate("claim-moves", new.source, message, hint)


def renamed_cluster_pools(change: Change) -> Iterator[Finding]:
    """Report pools in clusters whose name differs."""
    names = change.base_settings.pool_name, change.own_settings.pool_name
    evaluation = change.result
    alive = balancer_records(it for it in evaluation.state.records if it.is_live)
    described = change.before.documents
    by_settings = 0
    for kind in cluster_kinds():
        for document in evaluation.documents.of(GroupKind(kind.resource.group, kind.resource.kind)):
            old = described.get(document.identity, document)
            if tenant_name(document.namespace, document.name) not in alive:
                continue
            named = old.annotations().get(_NAMED), document.annotations().get(_NAMED)
            before, now = named[0] or names[0], named[1] or names[1]
            if named == (None, None):
                by_settings += before != now
            elif before != now:
                message = f"the IPAddressPool in the cluster of {document.title} is renamed from {before} to {now}; {_POOL_NAME}"
                place = document.at("metadata", "annotations", _NAMED)
                yield warning("cluster-pool-renamed", place, message, _KEEP_NAME)
    if by_settings:
        whose = f"{by_settings} tenant{'s' * (by_settings > 1)}"
        message = f"spec.metallb.poolName renames the IPAddressPool of {whose} from {names[0]} to"
        place, message = Location(PATH, 1, 1), f"{message} {names[1]}; {_POOL_NAME}"
        yield warning("cluster-pool-renamed", place, message, _KEEP_NAME)


def changed_cluster_objects(change: Change) -> Iterator[Finding]:
    """Report entries of which the change edits objects in clusters, and what Services can lose."""
    evaluation = change.result
    for was, entry, old, new in changed_entries(
        change.before.documents.values(), evaluation.documents, evaluation.state.records
    ):
        document = entry.request.document
        place, balancer = partial(document.at, *entry.steps), controller_of(document)
        fields = (f"{it} {_short(a)} → {_short(b)}" for it, a, b in differing(was.body, entry.body))
        message = f"objects of {document.name}/{entry.name} change: {', '.join(fields)}"
        yield info("objects-changed", place(), message)
        if old.name != new.name:
            message = f"the {balancer.pool.kind} of entry {entry.name} of {document.title} is renamed from {old.name} to {new.name}; {_POOL_NAME}"
            yield warning("cluster-pool-renamed", place("objectName"), message, _KEEP_NAME)
        what, kind = _described(IPSet.of(old.ranges)), old.advertisement["type"]
        if kind not in (interface.NOT_ADVERTISED["type"], new.advertisement["type"]):
            message = f"cluster {document.name} would stop announcing {what} by {kind}"
            yield warning("announcement-lost", place("advertisement"), message, _REVERT)
        if narrows(balancer, old, new):
            message = f"{balancer.name} would take addresses of {what} from Services that entry {entry.name} of cluster {document.name} no longer selects"
            yield warning("announcement-lost", place("services"), message, _REVERT)


def narrows(balancer: interface.Controller, *pools: interface.LoadBalancerPool) -> bool:
    """Return whether a changed pool no longer serves some Service that names it.

    A controller takes the address of such a Service. Any Service is like one with mentioned labels.
    With too many combinations of labels, a change counts as narrower.
    """
    values: dict[str, set[str | None]] = {}
    for selector in (it.services.selector for it in pools):
        for key, value in (selector.get("matchLabels") or {}).items():
            values.setdefault(key, {None, _OTHER}).add(value)
        for it in selector.get("matchExpressions") or ():
            values.setdefault(it["key"], {None, _OTHER}).update(it.get("values") or ())
    spaces = {_OTHER, *(name for it in pools for name in it.services.namespaces)}
    if len(spaces) * prod(map(len, values.values())) > _MAX_KINDS:
        return True
    old, new = (balancer.objects([replace(it, name=_OTHER)], "")[:1] for it in pools)
    for space, *chosen in product(spaces, *values.values()):
        labels = {key: it for key, it in zip(values, chosen, strict=True) if it is not None}
        service = interface.ServiceRequest(str(space), _OTHER, labels, pool=_OTHER)
        if balancer.takers(service, old) and not balancer.takers(service, new):
            return True
    return False


def removed_pools(change: Change) -> Iterator[Finding]:
    """Report pools in clusters that a change removes with their addresses."""
    decisions = change.result.plan.decisions
    gone: dict[tuple[str, str], list[Allocation]] = {}
    for record in (it.allocation for it in decisions if isinstance(it, Release)):
        if record.object:
            gone.setdefault((cluster_of(record), record.object), []).append(record)
    stays = (it.allocation for it in decisions if isinstance(it, Keep | Grant))
    for cluster, name in sorted(gone.keys() - {(cluster_of(it), it.object) for it in stays}):
        records = gone[cluster, name]
        what = _described(IPSet.of(it.range for it in records if it.range))
        message = f"pool {name} of cluster {cluster} is removed with {what}: ipam apply waits while"
        message += " Services use it, ipam render does not"
        yield warning("announcement-lost", Location(records[0].path, 1, 1), message, _MOVE_FIRST)
    before, documents = change.before.documents.values(), change.result.documents
    was, now = balancers(Documents(before)), balancers(documents)
    recorded = balancer_records(change.result.state.records)
    for document in before:
        name, new = document.name, documents.find(document.kind.id, "", document.name)
        if new is None or name not in was.keys() & now.keys() & recorded.keys():
            continue
        if (old := _installed(was[name])) != (then := _installed(now[name])):
            message = f"cluster {name} changes its controller from {old} to {then}: ipam apply"
            message += " fails while the old pools exist, ipam render replaces them"
            yield warning("announcement-lost", new.at("spec", "controller"), message, _MOVE_FIRST)


def _installed(balancer: interface.ClusterBalancer) -> str:
    home = controller(balancer.controller).home(balancer.namespace)
    return f"{balancer.controller}{home and f' in {home}'}"


def _short(value: object) -> str:
    return "unset" if value is None else json.dumps(value).strip('"')[:80]


def _described(addresses: IPSet) -> str:
    what = join_limited([format_short(item) for item in addresses])
    return f"{what} ({format_count(addresses.size)} address{'es' * (addresses.size != 1)})"


class _Clusters(Struct, frozen=True, dict=True):
    change: Change
    evaluation: Evaluation

    @cached_property
    def _before(self) -> frozenset[str]:
        return _named((*self.change.before.documents, *self.change.before.broken))

    @cached_property
    def _there(self) -> frozenset[str]:
        sources = self.evaluation.tree.sources
        broken = _named(identity for source in sources for identity in source.broken)
        now = _named((*self.change.after.documents, *self.change.after.broken))
        return described_clusters(self.evaluation.documents) | broken | now

    @cached_property
    def gone(self) -> frozenset[str]:
        return self._before - self._there if self._before else frozenset()

    @cached_property
    def became(self) -> Mapping[str, str]:
        """Return the new names of renamed clusters, by their old names.

        A rename counts if the new document names the old one, and the plan takes its records over
        or both are of one team. Any other document could hide a loss.
        """
        stated = _by_name(self.change.after.documents.values())
        new = {name: it for name, it in stated.items() if name not in self._before}
        if not new:
            return {}
        old = _by_name(self.change.before.documents.values())
        former = [it.claim for it in self.evaluation.state.former.values() if it.claim is not None]
        taken = {_cluster(it) for it in former}  # by a record that the plan renames
        return {
            was: name
            for name, was in former_clusters(self.evaluation.documents).items()
            if name in new
            if was in taken or (was in old and self._team(old[was]) == self._team(new[name]))
        }

    def _team(self, document: Document) -> str:
        family = family_of_kind(document.kind.id)
        return "" if family is None else family.team(document, self.evaluation.documents)

    def finding(self, loss: Loss) -> Finding:
        what, place = _described(loss.addresses), self._place(loss)
        cluster = f"cluster {loss.cluster}"
        if loss.cluster not in self._there:
            state = "removed" if loss.cluster in self.gone else "without a document"
            cluster += f" ({state})"
        if not loss.to:
            message = f"{cluster} would stop announcing {what}"
            return warning("announcement-lost", place, message, _REVERT)
        message = f"{what} would move from {cluster} to {loss.to} in one step"
        if loss.claim is None:
            hint = "remove the range in its own change first, and add it when no Service uses it"
            return gate(HANDED_OVER, place, message, f"{self._same(loss)}{hint}")
        scope = str(loss.claim)
        if self.evaluation.tree.overrides.allow(OverrideKind.MOVE, scope):
            return warning(HANDED_OVER, place, f"{message}; an Override permits this")
        hint = f"{self._same(loss)}add a separate claim for the other cluster, or merge an Override"
        hint += (
            f" of kind move for {scope} first; Services that use the addresses lose connectivity"
        )
        return gate(HANDED_OVER, place, message, hint)

    def _same(self, loss: Loss) -> str:
        new = _by_name(self.change.after.documents.values())
        if loss.cluster not in self.gone or loss.to not in new or loss.to in self._before:
            return ""
        namespace, _, name = loss.cluster.rpartition("/")
        line = written(namespace, name)
        return f"add the annotation {line} to {loss.to} if it is the same cluster; otherwise "

    def _place(self, loss: Loss) -> Location:
        if loss.claim is None:
            documents = self.evaluation.documents
            there = _by_name(it for kind in document_kinds() for it in documents.of(kind))
            named = map(there.get, (loss.cluster, loss.to))
            document = next((it for it in named if it is not None), None)
            return document.start if document else self.evaluation.tree.settings.location
        if (claim := self.evaluation.state.claims.get(loss.claim)) is not None:
            return claim.source
        return Location(loss.path, 1, 1)


def _named(identities: Iterable[Identity]) -> frozenset[str]:
    kinds = document_kinds()
    return frozenset(name_of(*it[2:]) for it in identities if it[:2] in kinds)


def _by_name(documents: Iterable[Document]) -> dict[str, Document]:
    kinds = document_kinds()
    return {name_of(it.namespace, it.name): it for it in documents if it.kind.id in kinds}


def _cluster(claim: Key) -> str:
    is_its = known_as(claim.family, claim.kind) in document_kinds()
    return name_of(claim.namespace, claim.name) if is_its else ""


def _own_claim(claim: Key, evaluation: Evaluation) -> Key:
    found = evaluation.state.claims.get(claim)
    return found.stands_for or claim if found is not None else claim
