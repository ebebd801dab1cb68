"""Asks the clusters of elastic tenants for their demand, and writes it as files of `observed/`.

A cluster that cannot be asked neither grows nor shrinks; the others go on. The caller commits the
files with the plan that follows from them.
"""

from collections.abc import Callable, Collection, Container, Mapping
from contextlib import AbstractContextManager, ExitStack
from threading import BoundedSemaphore
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.clusters.announcing import cluster_of
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import MANAGER
from reconciler.clusters.elastic.demand import demand
from reconciler.clusters.elastic.fitting import Fitted, Wish, document_of, fitted, settled
from reconciler.clusters.elastic.model import Figures, Granted, Outcome, Pool, Reading, Shown, Word
from reconciler.clusters.elastic.pools import announced, read_pool, unwell
from reconciler.clusters.elastic.services import read_services
from reconciler.clusters.elastic.usage import KEY, read_idle, remembered, write_idle
from reconciler.clusters.growers import abandoned, all_growers
from reconciler.clusters.memory import NAME, Enrolled
from reconciler.clusters.metallb import NAMESPACE, ranges_of
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.resources import (
    ADDRESS_POOL,
    CONFIG_MAP,
    CONFIGURATION_STATE,
    SERVICE,
)
from reconciler.clusters.snapshot import Live, live_of
from reconciler.commands.applying.access import Access
from reconciler.commands.applying.cluster_identity import ClusterIdentity, check_memory, identify
from reconciler.commands.applying.fleet import AT_ONCE, threads
from reconciler.commands.applying.management import open_management
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.commands.applying.work import contained
from reconciler.engine.planner import plan
from reconciler.engine.quotas import Quotas
from reconciler.evaluate import Evaluation
from reconciler.families._demand import (
    DEMAND,
    Entry,
    demand_document,
    entries_of,
    growth_index,
    standing,
)
from reconciler.families._objects import Grower
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Refusal
from reconciler.model.current import current_records
from reconciler.model.growth import BLOCKED
from reconciler.model.plan import Refuse
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import Elastic
from reconciler.observed import path_of
from reconciler.ports import CONTACTS, BugError, Cluster, ClusterError, Clusters, NoSuchKindError
from reconciler.records.changes import Change

NO_METALLB = "MetalLB is not there: no kind IPAddressPool of metallb.io"


class Asked(Struct, frozen=True):
    """How a tenant's cluster is looked at.

    Attributes:
        name: Of the cluster.
        granted: What the tree says of the tenant.
        known: What the management cluster remembers of the cluster, or None.
        settings: How tenants grow.
        accepts: It may be another cluster than before.
        writes: Since when addresses are idle is noted there.
        lb_class: The class of Services that MetalLB serves there; empty for those without one.
    """

    name: str
    granted: Granted
    known: Enrolled | None
    settings: Elastic
    accepts: bool = False
    writes: bool = True
    lb_class: str = ""


def look_at(cluster: Cluster, asked: Asked, place: AbstractContextManager[object]) -> Outcome:
    """What follows from what a cluster shows.

    Args:
        cluster: The cluster.
        asked: How it is looked at.
        place: Taken once it has answered: those that never do must not take all places.

    Raises:
        ClusterError: It cannot be asked, or is another one than before.
    """
    uid = asked.known.uid if asked.known else ""
    identity = identify(cluster, asked.name, NAMESPACE, uid, accept=asked.accepts)
    with place:
        shown = _shown(cluster, identity, asked)
        text = remembered(identity.config_maps)
        found = demand(shown, asked.granted, read_idle(text or ""), asked.settings)
        now = write_idle(found.idle)
        if asked.writes and text is not None and text != now:
            ref = Ref(CONFIG_MAP, NAMESPACE, NAME)
            cluster.merge(ref, {"data": {KEY: now}}, MANAGER)
        return found


def _shown(cluster: Cluster, identity: ClusterIdentity, asked: Asked) -> Shown:
    # Each Service is looked at by itself: one that cannot be read is no reason to look at none.
    unchecked = cluster.cluster if isinstance(cluster, ValidatedCluster) else cluster
    items = unchecked.list(SERVICE).items
    now = cluster.now()
    manifests = _list(cluster, ADDRESS_POOL)
    if manifests is None:
        services, odd = read_services(items, asked.lb_class)
        return Shown(services, (), now, odd, NO_METALLB)
    entries = identity.inventory.objects
    every = [live_of(manifest) for manifest in manifests]
    ours = [live for live in every if is_ours(live, entries.get(str(live.ref)))]
    services, odd = read_services(items, asked.lb_class, [live.ref.name for live in ours])
    pools = tuple(_pool(live) for live in ours)
    states = _list(cluster, CONFIGURATION_STATE) or []
    lacks = _lacking(asked, pools)
    why = unwell([live.manifest for live in ours], states, lacks, now)
    return Shown(services, pools, now, odd, why)


def _lacking(asked: Asked, pools: tuple[Pool, ...]) -> IPSet:
    """What was applied, is still asked for, and is not in the pools any more."""
    live = (it.range for it in asked.granted.records if it.is_live and it.range is not None)
    applied = ranges_of(asked.known.addresses if asked.known else ())
    return (IPSet.of(live) & applied) - announced(pools)


def _pool(live: Live) -> Pool:
    try:
        return read_pool(live.manifest)
    except ValueError as wrong:
        raise ClusterError(f"IPAddressPool {live.ref.name} cannot be read: {wrong}") from wrong


def _list(cluster: Cluster, resource: Resource) -> list[Manifest] | None:
    """All objects of a kind beside MetalLB; None where the cluster does not know the kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    try:
        return [{**item, **kind} for item in cluster.list(resource, NAMESPACE).items]
    except NoSuchKindError:
        return None


class LookOptions(Struct, frozen=True):
    """How clusters are looked at.

    Attributes:
        apply: What a person asks of an apply: `re_enrol` and `lb_class` count here, too.
        writes: Clusters may be written to: since when addresses are idle is noted in them.
        only: Returns the clusters to look at; None for all.
        deleted: The uids of objects that a watch of the management cluster reported as deleted.
    """

    apply: ApplyOptions = field(default_factory=ApplyOptions)
    writes: bool = True
    only: Callable[[Evaluation], Container[str] | None] = lambda _evaluation: None
    deleted: Collection[str] = ()


class Blocked(NamedTuple):
    """What is in the way of a cluster's growth.

    Attributes:
        claim: The one that is not made; empty when it is about none.
    """

    words: str
    claim: str = ""


class Looked(Struct, frozen=True):
    """What was found.

    Attributes:
        at: When, by the management cluster's clock, in seconds since 1970; 0 when it tells none.
        changes: Files of the observed folder that are others now.
        words: What is told of each tenant that was asked; of many nothing.
        figures: How many addresses each asks for, by cluster.
        unasked: Clusters that could not be asked, and why.
        away: Those of them that did not let themselves be asked; the others are as well as ever.
        bugs: Those of ours that were met.
        again: After how many seconds a cluster has to be looked at though nothing changes there.
        blocked: What is in the way of a cluster's growth, in words: none where nothing is.
        readings: What clusters showed of their use; nothing of one that could not be read whole.
    """

    at: int = 0
    changes: tuple[Change, ...] = ()
    words: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    figures: Mapping[str, Figures] = field(default_factory=dict)
    unasked: Mapping[str, str] = field(default_factory=dict)
    away: frozenset[str] = frozenset()
    bugs: tuple[BugError, ...] = ()
    again: Mapping[str, float] = field(default_factory=dict)
    blocked: Mapping[str, tuple[Blocked, ...]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)


def look(evaluation: Evaluation, clusters: Clusters, options: LookOptions) -> Looked:
    """Look at the clusters of all tenants that may grow.

    Args:
        evaluation: Of a whole tree: one that was read in part does not know all tenants.
        clusters: How they are reached.
        options: How they are looked at.
    """
    only = options.only(evaluation)
    left = tuple(abandoned(evaluation)) if only is None else ()
    growers = {
        item.cluster: item
        for item in all_growers(evaluation)
        if only is None or item.cluster in only
    }
    if not growers:
        return Looked(changes=left)
    with ExitStack() as opened:
        try:
            cluster = clusters.management()
            if cluster is None:
                return Looked(changes=left)
            opened.callback(cluster.close)
            with contained():
                management = open_management(cluster, options.apply)
        except ClusterError as failed:
            why = f"the management cluster cannot be asked: {failed}"
            bugs = (failed,) if isinstance(failed, BugError) else ()
            return Looked(changes=left, unasked=dict.fromkeys(growers, why), bugs=bugs)
        work = _Look(evaluation, growers, Access(clusters, management), options)
        found = work.run()
        changes = tuple(sorted((*found.changes, *left)))
        return replace(found, changes=changes, at=management.cluster.now())


class _Look:
    """One look at many clusters."""

    def __init__(
        self,
        evaluation: Evaluation,
        growers: Mapping[str, Grower],
        access: Access,
        options: LookOptions,
    ) -> None:
        self.evaluation = evaluation
        self.state = evaluation.state
        self.growers = growers
        self.demands = {(it.namespace, it.name): it for it in evaluation.documents.of(DEMAND.id)}
        self.access = access
        self.options = options
        self.unasked: dict[str, str] = {}
        self.away: set[str] = set()
        self.bugs: list[BugError] = []
        self.granted = self._granted()
        self.places = BoundedSemaphore(AT_ONCE)

    def run(self) -> Looked:
        """Do it: all at once, and one that does not answer takes nobody's place."""
        with threads(CONTACTS) as pool:
            asked = dict(zip(self.growers, pool.map(self._outcome, self.growers), strict=True))
        found = {name: outcome for name, outcome in asked.items() if outcome is not None}
        got = fitted(
            {name: Wish(it.back, it.wish, it.first) for name, it in found.items()}, self._refused
        )
        changes: list[Change] = []
        words: dict[Ref, tuple[Word, ...]] = {}
        figures: dict[str, Figures] = {}
        blocked: dict[str, tuple[Blocked, ...]] = {}
        for name, outcome in found.items():
            grower = self.growers[name]
            change, words[grower.ref], figures[name] = self._settled(name, outcome, got[name])
            first = str(grower.claim(outcome.first, 1).key)
            blocked[name] = tuple(_blocked(it, first) for it in words[grower.ref])
            changes += [change] if change is not None else []
        return Looked(
            changes=tuple(sorted(changes)),
            words=words,
            figures=figures,
            unasked=self.unasked,
            away=frozenset(self.away),
            bugs=tuple(self.bugs),
            again={name: it.again for name, it in found.items() if it.again is not None},
            blocked=blocked,
            readings=_readings(found),
        )

    def _granted(self) -> dict[str, Granted]:
        """What the tree says of each tenant."""
        records: dict[str, list[Allocation]] = {name: [] for name in self.growers}
        for record in self.state.records:
            if record.type == "loadbalancer" and (name := cluster_of(record)) in records:
                records[name].append(record)
        quotas = Quotas(self.state.claims, current_records(self.state.records), self.state.blocked)
        found: dict[str, Granted] = {}
        # A commit's date has passed, even where the server tells no time.
        now = max(self.access.management.cluster.now(), self.state.clock)
        for name, grower in self.growers.items():
            quota = grower.claim(1, 1).quota
            room = None if quota is None else quota.limit - quotas.used(quota)
            _, _, namespace, short = grower.owner
            stands = self.demands.get((namespace, short))
            entries = None if stands is None else entries_of(stands)
            found[name] = Granted(entries, tuple(records[name]), grower.increment, room, now)
        return found

    def _outcome(self, name: str) -> Outcome | None:
        """What one cluster asks for; None when it cannot be asked."""
        memory = self.access.management.identity.inventory
        _, _, namespace, short = self.growers[name].owner
        if why := self._doubt(namespace, short):
            self.unasked[name] = f"{name} is not asked: {why} cannot be read"
            return None
        accepts = name in self.options.apply.re_enrol
        try:
            with contained(), ExitStack() as opened:
                if not accepts:
                    check_memory(memory, name)
                cluster = self.access.connect(name)
                if cluster is None:
                    return None  # it may still be made
                opened.callback(cluster.close)
                asked = Asked(
                    name,
                    self.granted[name],
                    memory.clusters.get(name),
                    self.evaluation.tree.settings.elastic,
                    accepts=accepts,
                    writes=self.options.writes and not self.options.apply.dry_run,
                    lb_class=self.options.apply.lb_class,
                )
                return look_at(cluster, asked, self.places)
        except ClusterError as failed:
            self.unasked[name] = f"{name} cannot be asked: {failed}"
            if isinstance(failed, BugError):
                self.bugs.append(failed)
                return None
            self.away.add(name)
            if failed.hint:
                self.unasked[name] += f"; {failed.hint}"
            return None

    def _doubt(self, namespace: str, name: str) -> str:
        """The file of a Demand that cannot be read: nobody knows what stands, so it stays."""
        stands = self.demands.get((namespace, name))
        if stands is not None:
            return stands.doubt
        return self.evaluation.documents.unread(DEMAND.id, namespace, name)

    def _refused(self, asked: Mapping[str, tuple[Entry, ...]]) -> Mapping[tuple[str, int], Refusal]:
        """What the planner would refuse of all that is asked for."""
        claims = {
            claim.key: (name, entry.index, claim)
            for name, entries in asked.items()
            for entry in entries
            for claim in [self.growers[name].claim(entry.index, entry.count)]
        }
        every = {**self.state.claims, **{key: it for key, (_, _, it) in claims.items()}}
        made = plan(replace(self.state, claims={key: every[key] for key in sorted(every)}))
        return {
            claims[item.claim][:2]: Refusal(item.reason, item.message, item.hint)
            for item in made.decisions
            if isinstance(item, Refuse) and item.claim in claims
        }

    def _settled(
        self, name: str, outcome: Outcome, got: Fitted
    ) -> tuple[Change | None, tuple[Word, ...], Figures]:
        """The file of a tenant, if it is another one now, and what is told."""
        granted = self.granted[name]
        growth = [it for it in granted.records if growth_index(it)]
        stays = [growth_index(it) for it in growth if self.state.is_left_alone(it)]
        found = settled(outcome, got, stays)
        stands = document_of(granted.entries, found.entries, standing(growth), growth)
        if stands == granted.entries:
            return None, found.words, found.figures
        _, _, namespace, short = self.growers[name].owner
        identity = (DEMAND.id.group, DEMAND.name, namespace, short)
        path = path_of(self.evaluation.tree.settings.observed, identity)
        data = None if stands is None else demand_document(namespace, short, stands)
        return Change(path, data), found.words, found.figures


def _readings(found: Mapping[str, Outcome]) -> dict[str, Reading]:
    return {name: it.reading for name, it in found.items() if it.reading is not None}


def _blocked(word: Word, claim: str) -> Blocked:
    return Blocked(f"{word.reason}: {word.message}", claim if word.reason == BLOCKED else "")
