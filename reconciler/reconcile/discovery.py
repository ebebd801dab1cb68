"""Elastic growth and intake rounds."""

import logging
import time
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import NamedTuple

from msgspec import Struct
from msgspec import field as field_
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply.cluster_identity import ClusterIdentity, check_memory, identify, server_now
from reconciler.apply.decision import is_ours
from reconciler.apply.elastic import (
    ClusterReading,
    ElasticPool,
    Figures,
    GrantedRanges,
    GrowthOutcome,
    ObservedCluster,
    StatusMessage,
)
from reconciler.apply.elastic_demand import demand
from reconciler.apply.elastic_growth import (
    Fitted,
    GrowthRequest,
    abandoned,
    all_growers,
    document_of,
    fitted,
    settled,
)
from reconciler.apply.elastic_services import (
    KEY,
    announced,
    read_idle,
    read_pool,
    read_services,
    remembered,
    unwell,
    write_idle,
)
from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import AT_ONCE, Scope, apply_fleet, threads
from reconciler.apply.intake import findings_of
from reconciler.apply.intake_run import IntakeLook, last_named, look_for_intake, remember_intake
from reconciler.apply.intake_state import MIN_DELETIONS
from reconciler.apply.inventory import Live, live_of
from reconciler.apply.management import Access, ValidatedCluster, open_management
from reconciler.apply.memory import NAME, Enrolled
from reconciler.apply.metallb import NAMESPACE, ranges_of
from reconciler.apply.plan import Applied
from reconciler.apply.target import ApplyOptions
from reconciler.apply.targets import cluster_of
from reconciler.apply.work import contained
from reconciler.documents.findings import Finding, Location, Severity, ordered, warning
from reconciler.families.demand import (
    DEMAND,
    DemandEntry,
    demand_document,
    entries_of,
    growth_index,
    standing,
)
from reconciler.families.interface import Grower
from reconciler.gitio.interface import Repository
from reconciler.kube.interface import CONTACTS, Cluster, Clusters
from reconciler.kube.resources import ADDRESS_POOL, CONFIGURATION_STATE
from reconciler.model.change import FileChange, Observation
from reconciler.model.claim import Allocation, Refusal, current_records
from reconciler.model.errors import BugError, ClusterError, NoSuchKindError
from reconciler.model.objects import CONFIG_MAP, MANAGER, SERVICE, Manifest, Ref, Resource
from reconciler.model.plan import BLOCKED, Refuse
from reconciler.model.settings import Elastic
from reconciler.planning.documents import path_of, tidied
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.limits import Quotas
from reconciler.planning.planner import plan
from reconciler.reconcile.evaluation import as_reconciled, exit_code
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile

NO_METALLB = "MetalLB is not there: no kind IPAddressPool of metallb.io"


class Asked(Struct, frozen=True):
    """The parameters for observing a tenant's cluster.

    Attributes:
        name: The name of the cluster.
        granted: The ranges of the tenant in the tree.
        known: The registry entry of the cluster, or None.
        settings: The growth settings of the tenant.
        accepts: Accept another identity of the cluster.
        writes: Save the start of idle times in the cluster.
        lb_class: The class of Services that MetalLB serves there; empty for Services without one.
    """

    name: str
    granted: GrantedRanges
    known: Enrolled | None
    settings: Elastic
    accepts: bool = False
    writes: bool = True
    lb_class: str = ""


def look_at(cluster: Cluster, asked: Asked, place: AbstractContextManager[object]) -> GrowthOutcome:
    """Return the growth that follows from the state of a cluster.

    Args:
        cluster: The cluster.
        asked: The parameters.
        place: Acquired after the first response, so unreachable clusters do not use all places.

    Raises:
        ClusterError: The cluster is unreachable, or has another identity than before.
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


def _shown(cluster: Cluster, identity: ClusterIdentity, asked: Asked) -> ObservedCluster:
    # Each Service is parsed separately, so an invalid one does not hide the others.
    unchecked = cluster.cluster if isinstance(cluster, ValidatedCluster) else cluster
    items = unchecked.list(SERVICE).items
    now = cluster.now()
    manifests = _list(cluster, ADDRESS_POOL)
    if manifests is None:
        services, odd = read_services(items, asked.lb_class)
        return ObservedCluster(services, (), now, odd, NO_METALLB)
    entries = identity.inventory.objects
    every = [live_of(manifest) for manifest in manifests]
    ours = [live for live in every if is_ours(live, entries.get(str(live.ref)))]
    services, odd = read_services(items, asked.lb_class, [live.ref.name for live in ours])
    pools = tuple(_pool(live) for live in ours)
    states = _list(cluster, CONFIGURATION_STATE) or []
    lacks = _lacking(asked, pools)
    why = unwell([live.manifest for live in ours], states, lacks, now)
    return ObservedCluster(services, pools, now, odd, why)


def _lacking(asked: Asked, pools: tuple[ElasticPool, ...]) -> IPSet:
    """Return ranges that were applied and are still desired, but are missing in the pools."""
    live = (it.range for it in asked.granted.records if it.is_live and it.range is not None)
    applied = ranges_of(asked.known.addresses if asked.known else ())
    return (IPSet.of(live) & applied) - announced(pools)


def _pool(live: Live) -> ElasticPool:
    try:
        return read_pool(live.manifest)
    except ValueError as wrong:
        raise ClusterError(f"IPAddressPool {live.ref.name} cannot be read: {wrong}") from wrong


def _list(cluster: Cluster, resource: Resource) -> list[Manifest] | None:
    """Return all objects of a kind in MetalLB's namespace; None if the kind is unknown."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    try:
        return [{**item, **kind} for item in cluster.list(resource, NAMESPACE).items]
    except NoSuchKindError:
        return None


class LookOptions(Struct, frozen=True):
    """Options for observing clusters.

    Attributes:
        apply: Options of the apply. `re_enrol` and `lb_class` are used here also.
        writes: Save the start of idle times in clusters.
        only: Returns the clusters to observe; None for all.
        deleted: The uids of objects that a watch of the management cluster reported as deleted.
    """

    apply: ApplyOptions = field_(default_factory=ApplyOptions)
    writes: bool = True
    only: Callable[[Evaluation], Container[str] | None] = lambda _evaluation: None
    deleted: Collection[str] = ()


class GrowthBlock(NamedTuple):
    """The reason why a cluster does not grow.

    Attributes:
        claim: The claim that is not created; empty if the reason is not about a claim.
    """

    words: str
    claim: str = ""


class Looked(Struct, frozen=True):
    """The result of observing clusters.

    Attributes:
        at: The management cluster's clock, in seconds since 1970; 0 if unknown.
        changes: Files of the observed folder that differ.
        words: Messages for the tenants that were observed.
        figures: The demand in addresses, by cluster.
        unasked: Clusters that could not be observed, with the reason.
        away: The unreachable clusters among them.
        bugs: Internal errors.
        again: Seconds until a cluster has to be observed again without any change.
        blocked: Why clusters do not grow.
        readings: The observed use, by cluster. Clusters with invalid objects are left out.
    """

    at: int = 0
    changes: tuple[FileChange, ...] = ()
    words: Mapping[Ref, tuple[StatusMessage, ...]] = field_(default_factory=dict)
    figures: Mapping[str, Figures] = field_(default_factory=dict)
    unasked: Mapping[str, str] = field_(default_factory=dict)
    away: frozenset[str] = frozenset()
    bugs: tuple[BugError, ...] = ()
    again: Mapping[str, float] = field_(default_factory=dict)
    blocked: Mapping[str, tuple[GrowthBlock, ...]] = field_(default_factory=dict)
    readings: Mapping[str, ClusterReading] = field_(default_factory=dict)


def look(evaluation: Evaluation, clusters: Clusters, options: LookOptions) -> Looked:
    """Observe the clusters of all elastic tenants.

    Args:
        evaluation: The evaluation of a complete tree, which knows all tenants.
        clusters: The source of connections.
        options: The options.
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
    """The observation of many clusters."""

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
        """Observe all clusters at once. An unreachable cluster does not delay the others."""
        with threads(CONTACTS) as pool:
            asked = dict(zip(self.growers, pool.map(self._outcome, self.growers), strict=True))
        found = {name: outcome for name, outcome in asked.items() if outcome is not None}
        got = fitted(
            {name: GrowthRequest(it.back, it.wish, it.first) for name, it in found.items()},
            self._refused,
        )
        changes: list[FileChange] = []
        words: dict[Ref, tuple[StatusMessage, ...]] = {}
        figures: dict[str, Figures] = {}
        blocked: dict[str, tuple[GrowthBlock, ...]] = {}
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

    def _granted(self) -> dict[str, GrantedRanges]:
        records: dict[str, list[Allocation]] = {name: [] for name in self.growers}
        for record in self.state.records:
            if record.type == "loadbalancer" and (name := cluster_of(record)) in records:
                records[name].append(record)
        quotas = Quotas(self.state.claims, current_records(self.state.records), self.state.blocked)
        found: dict[str, GrantedRanges] = {}
        # The date of a commit is in the past, even if the server reports no time.
        now = max(self.access.management.cluster.now(), self.state.clock)
        for name, grower in self.growers.items():
            quota = grower.claim(1, 1).quota
            room = None if quota is None else quota.limit - quotas.used(quota)
            _, _, namespace, short = grower.owner
            stands = self.demands.get((namespace, short))
            entries = None if stands is None else entries_of(stands)
            found[name] = GrantedRanges(entries, tuple(records[name]), grower.increment, room, now)
        return found

    def _outcome(self, name: str) -> GrowthOutcome | None:
        """Return the demand of one cluster; None if it cannot be observed."""
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
                    return None  # the cluster can be created later
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
        """Return the Demand file if it is unreadable, so it stays unchanged; else an empty text."""
        stands = self.demands.get((namespace, name))
        if stands is not None:
            return stands.doubt
        return self.evaluation.documents.unread(DEMAND.id, namespace, name)

    def _refused(
        self, asked: Mapping[str, tuple[DemandEntry, ...]]
    ) -> Mapping[tuple[str, int], Refusal]:
        """Return the requested growth that the planner would refuse."""
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
        self, name: str, outcome: GrowthOutcome, got: Fitted
    ) -> tuple[FileChange | None, tuple[StatusMessage, ...], Figures]:
        """Return the file of a tenant if it changes, and the message for the tenant."""
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
        return FileChange(path, data), found.words, found.figures


def _readings(found: Mapping[str, GrowthOutcome]) -> dict[str, ClusterReading]:
    return {name: it.reading for name, it in found.items() if it.reading is not None}


def _blocked(word: StatusMessage, claim: str) -> GrowthBlock:
    return GrowthBlock(f"{word.reason}: {word.message}", claim if word.reason == BLOCKED else "")


_log = logging.getLogger(__name__)


class Looker:
    """Observer for `ReconcileOptions.look`: demand of tenants, and objects that are not in Git.

    Attributes:
        looked: The demand of tenants at the last observation.
        intake: The objects that exist only in the management cluster.
    """

    def __init__(
        self,
        repository: Repository,
        whole: Callable[[str], Evaluation],
        clusters: Callable[[], Clusters],
        options: LookOptions,
        now: Callable[[], float] | None,
    ) -> None:
        """Create it.

        Args:
            repository: The repository with the commits of earlier observations.
            whole: Returns the evaluation of a revision by its id.
            clusters: The source of connections.
            options: The options of the observation.
            now: This machine's clock, for a management cluster without one; None for a fixed time.
        """
        self._repository = repository
        self._whole = whole
        self._clusters = clusters
        self._options = options
        self._wish = options.apply if options.writes else replace(options.apply, dry_run=True)
        self._now = now
        self._failures: list[ClusterError] = []
        self.looked = Looked()
        self.intake = IntakeLook()

    def __call__(self, evaluation: Evaluation) -> Observation:
        """Observe clusters for the head of the branch."""
        revision = evaluation.tree.revision
        whole = evaluation if revision is None else self._whole(revision)
        self.looked = look(whole, self._clusters(), self._options)
        self.intake = self._taken_in(whole)
        changes = tidied(whole.tree, (*self.looked.changes, *self.intake.taken.changes))
        at = max(self.looked.at, self.intake.at) or int(self._now() if self._now is not None else 0)
        return Observation(at, changes, self.intake.taken.seen)

    def _taken_in(self, whole: Evaluation) -> IntakeLook:
        self._failures.clear()
        revision, observed = whole.tree.revision, whole.tree.settings.observed
        named = last_named(self._repository, revision, observed) if revision else ""
        deleted = self._options.deleted
        try:
            return look_for_intake(whole, self._clusters(), self._wish, named, deleted)
        except ClusterError as failed:  # the demand of tenants counts anyway
            self._failures.append(failed)
            return IntakeLook()

    def told(self, done: Reconciled) -> Reconciled:
        """Add the findings of the observation to the result of a run."""
        found = list(self._findings(done.evaluation))
        if not found:
            return done
        evaluation = done.evaluation
        gates = [it for it in found if it.severity is Severity.GATE]
        findings = [it for it in found if it.severity is not Severity.GATE]
        evaluation = replace(
            evaluation,
            findings=ordered([*evaluation.findings, *findings]),
            gates=ordered([*evaluation.gates, *gates]),
        )
        return replace(done, evaluation=evaluation, code=exit_code(evaluation))

    def _findings(self, evaluation: Evaluation) -> Iterator[Finding]:
        settings = evaluation.tree.settings
        yield from findings_of(self.intake.taken, settings)
        for failed in self._failures:
            message = f"objects of the management cluster could not be listed: {failed}"
            yield warning("intake-doubt", Location(settings.observed), message)
        for why in dict.fromkeys(self.looked.unasked.values()):
            message = f"{why}; its tenant neither grows nor shrinks until then"
            yield warning("demand-unasked", Location(settings.observed), message)

    @property
    def missing(self) -> float | None:
        """Return the seconds until a missing object counts as deleted; None if none is missing."""
        ends = (
            since + MIN_DELETIONS - self.intake.at
            for since in self.intake.taken.state.missing.values()
        )
        return min((left for left in ends if left > 0), default=None)

    def remember(self) -> None:
        """Write the state for the next observation into the management cluster.

        If that fails, the next observation starts with an empty state.
        """
        try:
            remember_intake(self.intake, self._clusters(), self._wish)
        except ClusterError as failed:
            _log.warning("the state of the look cannot be written: %s", failed)

    @property
    def words(self) -> Mapping[Ref, tuple[StatusMessage, ...]]:
        """Return messages of tenants for their status and Events."""
        return self.looked.words

    @property
    def bugs(self) -> tuple[BugError, ...]:
        """Return the internal errors."""
        ours = (failed for failed in self._failures if isinstance(failed, BugError))
        return (*self.looked.bugs, *ours)


@dataclass
class Newest:
    """Reads revisions. The newest is kept, because its evaluation depends only on its id."""

    repository: Repository
    _read: dict[str, Evaluation] = field(default_factory=dict)

    def __call__(self, head: str) -> Evaluation:
        """Return the evaluation of a revision."""
        if head not in self._read:
            self._read = {head: as_reconciled(self.repository.source(head), self.repository)}
        return self._read[head]


class LookingRun:
    """One run, from the observation to the state for the next one.

    Attributes:
        looker: The observer.
    """

    def __init__(
        self,
        whole: Newest,
        clusters: Callable[[], Clusters],
        options: LookOptions,
        now: Callable[[], float] | None,
        bugs: list[BugError],
    ) -> None:
        """Begin a run.

        Args:
            whole: Reads a revision.
            clusters: The source of connections.
            options: The options of the observation.
            now: This machine's clock; None for a fixed time.
            bugs: Collects internal errors of requests to clusters.
        """
        self._whole, self._clusters, self._options, self._bugs = whole, clusters, options, bugs
        self.looker = Looker(whole.repository, whole, clusters, options, now)

    def reconcile(
        self,
        options: ReconcileOptions,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Reconciled:
        """Observe, plan, and commit. Ask clusters about addresses that would be freed."""
        asked = replace(
            options,
            look=self.looker,
            server_now=lambda: server_now(self._clusters()),
            still_announced=self._still_announced,
        )
        done = reconcile(self._whole.repository, asked, sleep)
        self._bugs.extend(self.looker.bugs)
        return self.looker.told(done)

    def apply(
        self,
        head: str,
        is_in: Callable[[str, str], bool],
        scope: Scope | None = None,
    ) -> list[Applied]:
        """Apply to the clusters, and write the state for the next observation.

        Args:
            head: The revision to apply.
            is_in: Returns whether a revision contains another.
            scope: The clusters; None for all, with the messages of this observation.
        """
        evaluation, scope = self._whole(head), scope or Scope(words=self.looker.words)
        scope = replace(scope, readings=self.looker.looked.readings)
        applied = apply_fleet(evaluation, self._clusters(), self._options.apply, is_in, scope)
        self.looker.remember()
        return applied

    def _still_announced(self, found: Evaluation) -> dict[str, str]:
        return still_announced(found, self._clusters(), self._options.apply, self._bugs)
