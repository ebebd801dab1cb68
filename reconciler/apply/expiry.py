"""Expiry of ranges in clusters."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from threading import BoundedSemaphore

from reconciler.addresses import IPSet, format_short
from reconciler.apply.executor import contained, threads
from reconciler.apply.fleet import AT_ONCE
from reconciler.apply.management import Access, opened_management
from reconciler.apply.pools import balancing_in, nodes_in, users_of
from reconciler.apply.targets import ApplyOptions, is_whole, known_as_now, require_claims
from reconciler.documents.findings import nearest
from reconciler.families import families
from reconciler.families.clusters import balancers, cluster_of, described_clusters, former_clusters
from reconciler.kube.interface import CONTACTS, Cluster, Clusters
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.claim import Allocation
from reconciler.model.errors import BugError, ClusterError, NoSuchKindError, UsageError
from reconciler.model.instant import format_instant
from reconciler.model.objects import MANAGEMENT, NODE, SERVICE, Manifest, Resource
from reconciler.planning.evaluate import Evaluation, leaving, left_behind
from reconciler.planning.retention import last_withdrawal, next_withdrawal


def still_announced(
    evaluation: Evaluation,
    clusters: Clusters,
    options: ApplyOptions,
    bugs: list[BugError] | None = None,
) -> dict[str, str]:
    """Return records that a plan would free and that a cluster might announce, with the reason."""
    require_claims(evaluation, options)
    bugs = [] if bugs is None else bugs
    expiring: dict[str, list[Allocation]] = {}
    for record in (*leaving(evaluation), *left_behind(evaluation)):
        expiring.setdefault(cluster_of(record), []).append(record)
    if not expiring:
        return {}
    with ExitStack() as opened:
        try:
            management = opened.enter_context(opened_management(clusters, options, evaluation))
        except ClusterError as failed:
            bugs += [failed] if isinstance(failed, BugError) else []
            reason = f"cannot reach the management cluster: {failed}"
            return {
                record.path: reason
                for name, records in expiring.items()
                for record in records
                if name not in options.confirm_withdrawn
            }
        access = Access(clusters, management, evaluation)
        if management is None and not access.standalone:
            reason = "without a management cluster, ipam cannot determine whether a Service uses it"
            return _unconfirmed(left_behind(evaluation), options, reason)
        query = _Query(evaluation, access, options, bugs)
        with threads(CONTACTS) as pool:
            found = list(pool.map(query.of, expiring, expiring.values()))
        return {path: why for held in found for path, why in held.items()}


def _unconfirmed(
    records: Sequence[Allocation], options: ApplyOptions, reason: str
) -> dict[str, str]:
    return {it.path: reason for it in records if not options.confirms(it.claim, cluster_of(it))}


class _Query:
    def __init__(
        self, evaluation: Evaluation, access: Access, options: ApplyOptions, bugs: list[BugError]
    ) -> None:
        self._described = described_clusters(evaluation.documents)
        self._is_whole = is_whole(evaluation)
        former = former_clusters(evaluation.documents)
        hub = access.management
        self._known = known_as_now(hub.identity.inventory.clusters if hub else {}, former)
        self._access = access
        self._options = options
        self._places = BoundedSemaphore(AT_ONCE)
        self._current = {it.claim: it for it in evaluation.state.records if it.is_live}
        self._bugs = bugs
        self._balancers = balancers(evaluation.documents)

    def of(self, name: str, records: Sequence[Allocation]) -> Mapping[str, str]:
        if name in self._options.confirm_withdrawn:
            return {}
        try:
            with contained(), ExitStack() as opened:
                if name == MANAGEMENT:
                    return self._in_management(records)
                accept = name in self._options.enroll
                cluster = self._access.connect(name, accept=accept)
                if cluster is None:
                    if lost := self._lost(name):
                        return {record.path: lost for record in records}
                    left = [record for record in records if record.announced]
                    return _unconfirmed(left, self._options, f"{name} has no kubeconfig yet")
                opened.callback(cluster.close)
                identity = self._access.identify(
                    cluster, name, self._known.get(name), accept=accept
                )
                usual = balancing_in(identity.inventory.objects)
                balancing = self._balancers.get(name, usual)
                with self._places:  # the cluster has answered: read all of it
                    return dict(self._announced(cluster, name, balancing, records))
        except ClusterError as failed:
            self._bugs += [failed] if isinstance(failed, BugError) else []
            return {record.path: f"cannot reach {name}: {failed}" for record in records}

    def _in_management(self, records: Sequence[Allocation]) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for family in families():
            own = family.objects
            mine = [record for record in records if record.claim.family == family.name]
            if own.still_has is not None and mine:
                found |= own.still_has(mine, {kind: self._all(kind) for kind in own.asked})
        return found

    def _all(self, kind: Resource) -> Sequence[Manifest]:
        hub = self._access.management
        try:
            return [it.manifest for it in hub.objects(kind).values()] if hub is not None else []
        except NoSuchKindError:
            return []

    def _lost(self, name: str) -> str:
        if name not in self._known:
            return ""
        is_named = name in self._described or not self._is_whole  # a broken file might describe it
        if not (is_named or self._access.is_there(name)):
            return ""
        return f"the kubeconfig of {name} is missing, but ipam applied to this cluster before"

    def _announced(
        self, cluster: Cluster, name: str, balancing: ClusterBalancer, records: Sequence[Allocation]
    ) -> Iterator[tuple[str, str]]:
        pools = _pools(cluster, balancing)
        announced = IPSet.of(item for found in pools.values() for item in found)
        users = _users(cluster, IPSet.of(it.range for it in records if it.range is not None))
        for record in records:
            item = record.range
            if item is None:
                continue
            user = next((title for title, at in users if IPSet((item,)) & at), "")
            holding = (name for name, held in pools.items() if held.overlapping(item))
            pool = next(
                (f"{controller(balancing.controller).pool.kind} {it}" for it in holding), ""
            )
            if record.announced:
                # The left range of a moved claim always is in a pool, so its new range decides.
                if self._options.forces(record.claim):
                    continue
                now = self._current.get(record.claim)
                new = IPSet((now.range,)) if now is not None and now.range is not None else IPSet()
                if not user and pool and (missing := new - announced):
                    what = format_short(missing.ranges[0])
                    yield record.path, f"{name} does not announce {what} yet"
            else:
                user = user or pool
            if user:
                yield record.path, f"{user} of {name} still has {format_short(item)}"


def _users(cluster: Cluster, addresses: IPSet) -> list[tuple[str, IPSet]]:
    services, nodes = cluster.list(SERVICE).items, cluster.list(NODE).items
    found = [(f"Service {it.service}", it.address) for it in users_of(services, addresses)]
    found += [(f"Node {it.service}", it.address) for it in nodes_in(nodes, addresses)]
    return [(user, ranges_of([f"{address}-{address}"])) for user, address in found]


def _pools(cluster: Cluster, balancing: ClusterBalancer) -> dict[str, IPSet]:
    balancer = controller(balancing.controller)
    try:
        found = cluster.list(balancer.pool, balancer.home(balancing.namespace)).items
        return {item["metadata"]["name"]: balancer.addresses(item) for item in found}
    except NoSuchKindError:
        return {}
    except ValueError as wrong:
        raise ClusterError(f"some {balancer.pool.kind} cannot be read: {wrong}") from wrong


_MINUTE = (
    "the next full minute after the move, because the newest commit is later than the last one"
)


def confirmed(evaluation: Evaluation, options: ApplyOptions) -> dict[str, str]:
    """Return records without a necessary confirmation that they are unused, with the reason."""
    reason = "no cluster was reached"
    grown = [it.path for it in leaving(evaluation) if it.path in evaluation.state.grown]
    return _unconfirmed(left_behind(evaluation), options, reason) | dict.fromkeys(grown, reason)


def too_early(evaluation: Evaluation, options: ApplyOptions, head: int, now: int) -> Iterator[str]:
    """Return notes about confirmed records whose retention has not ended at `head`, a date."""
    for record in evaluation.state.records:
        if not record.announced or not options.confirms(record.claim, cluster_of(record)):
            continue
        due = next_withdrawal(record, head)
        if record.range is not None and due is not None and due > now:
            is_first = last_withdrawal(record, now) is None
            why = "a full minute after the move" if is_first else _MINUTE
            left = f"{format_short(record.range)}, which {record.claim.short} left"
            yield f"--confirm-withdrawn had no effect: {left}, can be confirmed only from {format_instant(due)} on, {why}."


def require_named(evaluation: Evaluation, options: ApplyOptions) -> None:
    """Refuse (UsageError) claims and clusters of options that do not exist."""
    require_claims(evaluation, options)
    if not options.confirm_withdrawn:
        return
    of_records = (cluster_of(record) for record in evaluation.state.records)
    there = {*of_records, *described_clusters(evaluation.documents)}
    for name in sorted(options.confirm_withdrawn - there):
        meant = nearest(name, sorted(there))
        hint = f"did you mean {meant}? " if meant else ""
        hint = f"{hint}Write NAMESPACE/NAME for the cluster of a tenant"
        raise UsageError(f"--confirm-withdrawn: cluster {name!r} does not exist", hint)
