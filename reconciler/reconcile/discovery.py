"""Elastic growth and intake rounds."""

import logging
import time
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from threading import BoundedSemaphore
from typing import NamedTuple

from msgspec import Struct
from msgspec import field as struct_field
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply import elastic, growth
from reconciler.apply.executor import contained, threads
from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import AT_ONCE, Scope, apply_fleet
from reconciler.apply.growth import Fitted, GrowthCalculation, Settled
from reconciler.apply.intake import MIN_DELETIONS, findings_of
from reconciler.apply.intake_run import IntakeLook, last_named, look_for_intake, remember_intake
from reconciler.apply.inventory import NAME, ClusterIdentity, Enrolled, server_now
from reconciler.apply.management import Access, opened_management
from reconciler.apply.pools import USUAL
from reconciler.apply.snapshot import Live, LiveObjects, objects_of
from reconciler.apply.steps import is_ours
from reconciler.apply.targets import ApplyOptions, uses_hub
from reconciler.documents.findings import Finding, Location, Severity, ordered, warning
from reconciler.families import demand
from reconciler.families.clusters import balancers, cluster_of
from reconciler.families.demand import DEMAND, DemandEntry
from reconciler.families.interface import Grower
from reconciler.gitio.repository import Repository
from reconciler.kube.interface import CONTACTS, Cluster, Clusters
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import Controller, LivePool
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.applied import Applied
from reconciler.model.change import FileChange, Observation
from reconciler.model.claim import Allocation, Refusal, current_records
from reconciler.model.errors import BugError, ClusterError, NoSuchKindError
from reconciler.model.objects import CONFIG_MAP, MANAGER, SERVICE, Ref, Resource
from reconciler.model.plan import BLOCKED, Refuse
from reconciler.planning.documents import path_of, tidied
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.limits import Quotas
from reconciler.planning.planner import plan
from reconciler.reconcile.evaluation import as_reconciled, exit_code, with_found
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.writing import RunCommit

_log = logging.getLogger(__name__)


class LookOptions(Struct, frozen=True):
    """Options for observing clusters."""

    apply: ApplyOptions = struct_field(default_factory=ApplyOptions)
    writes: bool = True  # saves idle times
    only: Callable[[Evaluation], Container[str] | None] = lambda _evaluation: None
    deleted: Collection[str] = ()  # uids that a watch reported


class GrowthBlock(NamedTuple):
    """The reason why a cluster does not grow, and the claim that is not created, if any."""

    words: str
    claim: str = ""


class Looked(Struct, frozen=True):
    """The result of observing clusters. `at` is in seconds since 1970, 0 if unknown."""

    at: int = 0
    changes: tuple[FileChange, ...] = ()
    words: Mapping[Ref, tuple[elastic.StatusMessage, ...]] = struct_field(default_factory=dict)
    figures: Mapping[str, elastic.Figures] = struct_field(default_factory=dict)
    unasked: Mapping[str, str] = struct_field(default_factory=dict)
    away: frozenset[str] = frozenset()  # unreachable
    bugs: tuple[BugError, ...] = ()
    again: Mapping[str, float] = struct_field(default_factory=dict)
    blocked: Mapping[str, tuple[GrowthBlock, ...]] = struct_field(default_factory=dict)
    readings: Mapping[str, elastic.ClusterReading] = struct_field(default_factory=dict)


def look(evaluation: Evaluation, clusters: Clusters, options: LookOptions) -> Looked:
    """Observe the clusters of all elastic tenants. The evaluation must know all tenants."""
    only = options.only(evaluation)
    left = tuple(growth.abandoned(evaluation)) if only is None else ()
    growers: dict[str, list[Grower]] = {}
    for item in growth.all_growers(evaluation):
        if only is None or item.cluster in only:
            growers.setdefault(item.cluster, []).append(item)
    if not growers:
        return Looked(changes=left)
    with ExitStack() as opened:
        try:
            management = opened.enter_context(
                opened_management(clusters, options.apply, evaluation)
            )
        except ClusterError as failed:
            why = f"cannot reach the management cluster: {failed}"
            bugs = (failed,) if isinstance(failed, BugError) else ()
            return Looked(changes=left, unasked=dict.fromkeys(growers, why), bugs=bugs)
        access = Access(clusters, management, evaluation)
        if management is None and not access.standalone:
            return Looked(changes=left)
        found = _Look(evaluation, growers, access, options).run()
        changes = tuple(sorted((*found.changes, *left)))
        return replace(found, changes=changes, at=management.cluster.now() if management else 0)


class _Look:
    def __init__(
        self,
        evaluation: Evaluation,
        growers: Mapping[str, Sequence[Grower]],
        access: Access,
        options: LookOptions,
    ) -> None:
        self.evaluation, self.state = evaluation, evaluation.state
        self.growers, self.access, self.options = growers, access, options
        self.every = {it.name: it for mine in growers.values() for it in mine}
        self.demands = {(it.namespace, it.name): it for it in evaluation.documents.of(DEMAND.id)}
        self.unasked: dict[str, str] = {}
        self.away: set[str] = set()
        self.bugs: list[BugError] = []
        self.readings: dict[str, elastic.ClusterReading] = {}
        self.records = self._records()
        self.granted = self._granted()
        self.places = BoundedSemaphore(AT_ONCE)

    def run(self) -> Looked:
        """Observe all clusters at once. An unreachable cluster does not delay the others."""
        with threads(CONTACTS) as pool:
            asked = dict(zip(self.growers, pool.map(self._outcomes, self.growers), strict=True))
        found = {name: outcome for mine in asked.values() for name, outcome in mine.items()}
        got = growth.fitted(found, self._refused)
        done = {name: self._settled(name, it, got[name]) for name, it in found.items()}
        answered = {cluster: [*mine] for cluster, mine in asked.items() if mine}
        changes = (self._change(cluster, done) for cluster in answered)
        return Looked(
            changes=tuple(sorted(it for it in changes if it is not None)),
            words={ref: it.words for name, it in done.items() if (ref := self.every[name].ref)},
            figures={
                cluster: elastic.total([done[it].figures for it in mine])
                for cluster, mine in answered.items()
            },
            unasked=self.unasked,
            away=frozenset(self.away),
            bugs=tuple(self.bugs),
            again={
                cluster: min(waits)
                for cluster, mine in answered.items()
                if (waits := [it for name in mine if (it := found[name].again) is not None])
            },
            blocked={
                cluster: tuple(
                    GrowthBlock(
                        f"{it.reason}: {it.message}",
                        str(self.every[name].claim(found[name].first, 1).key)
                        if it.reason == BLOCKED
                        else "",
                    )
                    for name in mine
                    for it in done[name].words
                )
                for cluster, mine in answered.items()
            },
            readings=self.readings,
        )

    def _pool_of(self, grower: Grower) -> str:
        named = (it.object for it in self.granted[grower.name].records if it.object)
        return grower.object or next(named, "")

    def _records(self) -> dict[str, list[Allocation]]:
        records: dict[str, list[Allocation]] = {name: [] for name in self.growers}
        for record in self.state.records:
            if record.type == "loadbalancer" and (name := cluster_of(record)) in records:
                records[name].append(record)
        return records

    def _granted(self) -> dict[str, elastic.GrantedRanges]:
        quotas = Quotas(self.state.claims, current_records(self.state.records), self.state.blocked)
        found: dict[str, elastic.GrantedRanges] = {}
        # The date of a commit is in the past, even if the server reports no time.
        hub = self.access.management
        now = max(hub.cluster.now() if hub is not None else 0, self.state.clock)
        for name, grower in self.every.items():
            quota = grower.claim(1, 1).quota
            room = None if quota is None else quota.limit - quotas.used(quota)
            document = self.demands.get(grower.owner[2:4])
            entries = None if document is None else demand.entries_of(document)
            records, increment, most = self.records[grower.cluster], grower.increment, grower.most
            if grower.slots:
                entries, records = _of_entry(grower, entries or (), records)
            found[name] = elastic.GrantedRanges(entries, tuple(records), increment, room, now, most)
        return found

    def _outcomes(self, name: str) -> Mapping[str, elastic.GrowthOutcome]:
        _, _, namespace, short = self.growers[name][0].owner
        document = self.demands.get((namespace, short))
        unread = self.evaluation.documents.unread
        doubt = document.doubt if document else unread(DEMAND.id, namespace, short)
        if doubt:  # an unreadable Demand file stays unchanged
            self.unasked[name] = f"{name} is skipped, because {doubt} cannot be read"
            return {}
        try:
            with contained(), ExitStack() as opened:
                accept = name in self.options.apply.enroll
                cluster = self.access.connect(name, accept=accept)
                if cluster is None:
                    return {}  # the cluster can be created later
                opened.callback(cluster.close)
                return self._observed(cluster, name, accept=accept)
        except ClusterError as failed:
            self.unasked[name] = f"cannot reach {name}: {failed}"
            if isinstance(failed, BugError):
                self.bugs.append(failed)
                return {}
            self.away.add(name)
            if failed.hint:
                self.unasked[name] += f"; {failed.hint}"
            return {}

    def _observed(
        self, cluster: Cluster, name: str, *, accept: bool
    ) -> Mapping[str, elastic.GrowthOutcome]:
        options, hub = self.options, self.access.management
        known = hub.identity.inventory.clusters.get(name) if hub is not None else None
        identity = self.access.identify(cluster, name, known, accept=accept)
        if hub is None:
            known = identity.inventory.clusters.get(name)
        with self.places:  # only now, so that unreachable clusters do not use all places
            shown = self._shown(cluster, name, identity, known)
            text = elastic.remembered(identity.config_maps)
            if not shown.odd:  # the use of an invalid Service is unknown
                announced = elastic.addresses_of(shown.pools)
                used = elastic.addresses_of(shown.services)
                self.readings[name] = elastic.ClusterReading(announced, used)
            growing: dict[str, set[int]] = {}
            for it in self.growers[name]:
                growing.setdefault(self._pool_of(it), set()).add(it.version)
            idle, limits = elastic.read_idle(text or ""), self.evaluation.tree.settings.elastic
            found, least = dict[str, elastic.GrowthOutcome](), cluster.now() if hub is None else 0
            for it in self.growers[name]:
                granted, pool = self.granted[it.name], self._pool_of(it)
                granted = replace(granted, now=max(granted.now, least))
                here = elastic.of_entry(shown, pool, it.version, growing) if it.slots else shown
                found[it.name] = GrowthCalculation(here, granted, idle, limits).outcome()
            times = {key: it for each in found.values() for key, it in each.idle.items()}
            now = elastic.write_idle(times)
            is_own = hub is not None or identity.inventory.repository == options.apply.repository
            writes = options.writes and not options.apply.dry_run and is_own
            if writes and text is not None and text != now:
                ref = Ref(CONFIG_MAP, identity.namespace, NAME)
                cluster.merge(ref, {"data": {elastic.KEY: now}}, MANAGER)
            return found

    def _shown(
        self, cluster: Cluster, name: str, identity: ClusterIdentity, known: Enrolled | None
    ) -> elastic.ObservedCluster:
        items, lb_class = cluster.list(SERVICE).items, self.options.apply.lb_class
        now, balancing = cluster.now(), balancers(self.evaluation.documents).get(name, USUAL)
        balancer = controller(balancing.controller)
        home = balancer.home(balancing.namespace)
        pools_there = _list(cluster, balancer.pool, home)
        if pools_there is None:
            services, odd = elastic.read_services(items, balancer, lb_class)
            return elastic.ObservedCluster(services, (), now, odd, balancer.missing)
        entries, every = identity.inventory.objects, pools_there.items()
        ours = [live for ref, live in every if is_ours(live, entries.get(str(ref)))]
        pools = tuple(_pool(balancer, live) for live in ours)
        manifests, names = [live.manifest for live in ours], [live.ref.name for live in ours]
        services, odd = elastic.read_services(items, balancer, lb_class, names)
        if has_entries := balancing.has_entries:
            services = tuple(
                it if it.addresses else it._replace(takers=balancer.takers(it.asked, manifests))
                for it in services
            )
        there = (_list(cluster, state, home) or {}) if (state := balancer.state) else {}
        states = [it.manifest for it in there.values()]
        # Ranges that were applied and are still desired, but are missing in the pools.
        records = self.records[name]
        desired = IPSet.of(it.range for it in records if it.is_live and it.range is not None)
        before = ranges_of(known.addresses if known else ())
        lacks = (desired & before) - elastic.addresses_of(pools)
        why = elastic.unwell(balancer, manifests, states, lacks, now, has_entries=has_entries)
        return elastic.ObservedCluster(services, pools, now, odd, why)

    def _refused(
        self, asked: Mapping[str, tuple[DemandEntry, ...]]
    ) -> Mapping[tuple[str, int], Refusal]:
        claims = {
            claim.key: (name, entry.index, claim)
            for name, entries in asked.items()
            for entry in entries
            for claim in [self.every[name].claim(entry.index, entry.count)]
        }
        every = {**self.state.claims, **{key: it for key, (_, _, it) in claims.items()}}
        made = plan(replace(self.state, claims={key: every[key] for key in sorted(every)}))
        return {
            claims[item.claim][:2]: Refusal(item.reason, item.message, item.hint)
            for item in made.decisions
            if isinstance(item, Refuse) and item.claim in claims
        }

    def _settled(self, name: str, outcome: elastic.GrowthOutcome, got: Fitted) -> Settled:
        grown = [it for it in self.granted[name].records if demand.growth_index(it)]
        stays = [demand.growth_index(it) for it in grown if self.state.is_left_alone(it)]
        cluster = self.every[name].cluster
        room = (demand.MAX_DEMAND - len(self._kept(cluster))) // len(self.growers[cluster])
        return growth.settled(outcome, got, stays, room)

    def _kept(self, cluster: str) -> list[DemandEntry]:
        """Return growth of entries that grow no more; it stays as long as it has addresses."""
        growers = self.growers[cluster]
        document = self.demands.get(growers[0].owner[2:4])
        ours = {slot for it in growers for slot in it.slots}
        held = {it.claim.slot for it in self.records[cluster] if it.range is not None}
        listed = () if document is None else demand.entries_of(document)
        return [it for it in listed if it.name and _base(it) not in ours and it.slot in held]

    def _change(self, cluster: str, done: Mapping[str, Settled]) -> FileChange | None:
        growers = self.growers[cluster]
        _, _, namespace, short = growers[0].owner
        document = self.demands.get((namespace, short))
        before = None if document is None else demand.entries_of(document)
        grown = [it for it in self.records[cluster] if demand.growth_index(it)]
        mine = [replace(e, **it.listed_as) for it in growers for e in done[it.name].entries]
        after = tuple(sorted([*self._kept(cluster), *mine]))
        entries = growth.document_of(before, after, demand.granted_entries(grown), grown)
        if entries == before:
            return None
        identity = (DEMAND.id.group, DEMAND.name, namespace, short)
        path = path_of(self.evaluation.tree.settings.observed, identity)
        data = None if entries is None else demand.demand_document(namespace, short, entries)
        return FileChange(path, data)


def _base(entry: DemandEntry) -> str:
    return entry.slot.rpartition(".")[0]


def _of_entry(
    grower: Grower, entries: Iterable[DemandEntry], records: Iterable[Allocation]
) -> tuple[tuple[DemandEntry, ...], list[Allocation]]:
    """Return the growth of an entry and IP version: it has the numbers of a Demand, or is released."""
    own = (it for it in entries if _base(it) in grower.slots)
    mine = tuple(replace(it, **grower.listed_as) for it in own)
    first = grower.slots[0]
    every = [
        it for it in records if it.claim.slot == first or it.claim.slot.startswith(f"{first}.")
    ]
    asked = {it.slot for it in mine}
    live = {it.claim.slot for it in every if it.is_live}
    found = []
    for record in every:
        slot = record.claim.slot
        is_grown = slot in asked if record.is_live else slot not in {first, *live}
        # A Service can get an address of a released range as long as it is announced.
        found.append(replace(record, role=demand.GROWTH, announced=False) if is_grown else record)
    return mine, found


def _pool(balancer: Controller, live: Live) -> LivePool:
    try:
        return balancer.live(live.manifest)._replace(name=live.ref.name)
    except ValueError as wrong:
        raise ClusterError(
            f"{live.ref.resource.kind} {live.ref.name} cannot be read: {wrong}"
        ) from wrong


def _list(cluster: Cluster, resource: Resource, namespace: str) -> LiveObjects | None:
    try:
        return objects_of(cluster.list(resource, namespace).items, resource)
    except NoSuchKindError:
        return None


def whole_of(repository: Repository) -> Callable[[str], Evaluation]:
    """Return a function that evaluates a revision. It keeps the newest result."""
    return lru_cache(1)(lambda head: as_reconciled(repository.source(head), repository))


def of_repository(
    options: ApplyOptions, repository: Repository, evaluation: Evaluation
) -> ApplyOptions:
    """Return options with the identity of the repository; the first commit only if it is needed."""
    revision = evaluation.tree.revision
    first = "" if uses_hub(evaluation) or not revision else repository.first_commit(revision)
    return replace(options, root=repository.root, repository=first)


@dataclass
class ObservingRun:
    """A run that observes clusters. `whole` evaluates a revision, no `now` means a fixed time."""

    repository: Repository
    whole: Callable[[str], Evaluation]
    clusters: Clusters
    options: LookOptions
    now: Callable[[], float] | None
    bugs: list[BugError] = field(default_factory=list)
    looked: Looked = field(default_factory=Looked)
    intake: IntakeLook = field(default_factory=IntakeLook)
    _failure: ClusterError | None = None

    def reconcile(
        self, options: ReconcileOptions, sleep: Callable[[float], None] = time.sleep
    ) -> Reconciled:
        """Observe, plan, and commit. Ask clusters about addresses that would be freed."""
        asked = replace(
            options,
            look=self.look,
            server_now=lambda found: server_now(self.clusters) if uses_hub(found) else None,
            still_announced=lambda found: still_announced(
                found, self.clusters, self.options.apply, self.bugs
            ),
        )
        done = reconcile(self.repository, asked, sleep)
        self.bugs += self.looked.bugs
        if isinstance(self._failure, BugError):
            self.bugs.append(self._failure)
        found = list(self._findings(done.evaluation))
        if not found:
            return done
        gates = [it for it in found if it.severity is Severity.GATE]
        evaluation = with_found(
            replace(done.evaluation, gates=ordered([*done.evaluation.gates, *gates])),
            (it for it in found if it.severity is not Severity.GATE),
        )
        return replace(done, evaluation=evaluation, code=exit_code(evaluation))

    def look(self, part: RunCommit) -> Observation:
        """Observe clusters for the head of the branch."""
        revision = part.head.id
        whole = self.whole(revision)
        options = of_repository(self.options.apply, self.repository, whole)
        self.looked = look(whole, self.clusters, replace(self.options, apply=options))
        self.intake, self._failure = IntakeLook(), None
        folder = whole.tree.settings.observed
        named = last_named(self.repository, revision, folder)
        try:
            self.intake = look_for_intake(
                whole, self.clusters, self._apply_options, named, self.options.deleted
            )
        except ClusterError as failed:  # the demand of tenants counts anyway
            self._failure = failed
        changes = tidied(whole.tree, (*self.looked.changes, *self.intake.taken.changes))
        at = max(self.looked.at, self.intake.at) or int(self.now() if self.now is not None else 0)
        return Observation(at, changes, self.intake.taken.seen)

    @property
    def _apply_options(self) -> ApplyOptions:
        options = self.options
        return options.apply if options.writes else replace(options.apply, dry_run=True)

    def _findings(self, evaluation: Evaluation) -> Iterator[Finding]:
        settings = evaluation.tree.settings
        yield from findings_of(self.intake.taken, settings)
        if self._failure is not None:
            message = f"objects of the management cluster could not be listed: {self._failure}"
            yield warning("intake-doubt", Location(settings.observed), message)
        for why in dict.fromkeys(self.looked.unasked.values()):
            message = f"{why}, so the cluster neither grows nor shrinks"
            yield warning("demand-unasked", Location(settings.observed), message)

    def apply(
        self, head: str, is_in: Callable[[str, str], bool], scope: Scope | None = None
    ) -> list[Applied]:
        """Apply a revision, and write the state for the next observation. No scope means all."""
        scope = replace(scope or Scope(words=self.looked.words), readings=self.looked.readings)
        evaluation = self.whole(head)
        options = of_repository(self.options.apply, self.repository, evaluation)
        applied = apply_fleet(evaluation, self.clusters, options, is_in, scope)
        self.remember()
        return applied

    def remember(self) -> None:
        """Write the state for the next observation, which otherwise starts with an empty one."""
        try:
            remember_intake(self.intake, self.clusters, self._apply_options)
        except ClusterError as failed:
            _log.warning("the state of the observation cannot be written: %s", failed)

    @property
    def missing(self) -> float | None:
        """Return the seconds until a missing object counts as deleted; None if none is missing."""
        ends = (
            since + MIN_DELETIONS - self.intake.at
            for since in self.intake.taken.state.missing.values()
        )
        return min((left for left in ends if left > 0), default=None)
