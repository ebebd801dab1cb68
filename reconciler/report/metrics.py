"""Metrics of ipam, and gauges of a revision."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from reconciler.documents.findings import Severity
from reconciler.families import families
from reconciler.families.interface import Measured, Turn
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.key import Key
from reconciler.model.metric import Metric, Sample, metric_makers
from reconciler.model.plan import Refuse, Usage
from reconciler.planning.evaluate import Evaluation

UNASKED = "demand-unasked"
# Runs wait for clusters. Growth is measured from the time at which a pending Service was seen.
_SLOW = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_gauge, _counter, _seconds = metric_makers("gitops_ipam_", _SLOW)

ROUNDS = _counter("rounds_total", "Completed rounds, by result", "result")
ROUND_SECONDS = _seconds("round_duration_seconds", "Duration of a round")
COMMITS = _counter("commits_total", "Commits, by push result", "result")
RACES = _counter("commit_races_total", "Races lost: the branch moved between plan and push")
GROWTH_SECONDS = _seconds(
    "growth_duration_seconds",
    "Time from when a pending Service was first seen until its addresses were applied",
)
DEMAND = _gauge("demand_addresses", "Addresses that an elastic tenant requests", "tenant", "state")
POOL = _gauge("pool_addresses", "Addresses of a pool, by state", "pool", "state")
LARGEST = _gauge("pool_largest_free_block", "Size of a pool's largest free block", "pool")
UP = _gauge("cluster_up", "1 while a cluster answers and grants access, else 0", "cluster")
APPLIED = _gauge(
    "cluster_applied_timestamp_seconds",
    "Time of the last complete apply to a cluster; before the first apply, the time at which this process became leader",
    "cluster",
)
DRIFT = _counter(
    "drift_total", "Objects of ipam that another manager changed", "cluster", "manager"
)
RESTARTS = _counter(
    "watch_restarts_total", "Watches that ended and were restarted", "cluster", "reason"
)
FINDINGS = _gauge("findings", "Findings of the newest revision", "severity")
CODES = _gauge("findings_by_code", "Findings of the newest revision, by code", "code", "severity")
REFUSED = _gauge("claims_refused", "Claims without addresses, by reason", "reason")
REVISION = _gauge("revision_info", "1 for the newest processed revision", "revision")
SUCCESS = _gauge(
    "last_success_timestamp_seconds", "Time of the last round that completed its work in Git"
)
LEADING = _gauge("leading", "1 while this process is the leader, else 0")
READY = _gauge("ready", "1 while nothing blocks the work of the daemon, else 0")
STOPPED = _gauge(
    "stopped", "1 while edited records or a rewritten history stop all work, else 0", "reason"
)
EXPIRY = _gauge(
    "certificate_expiry_timestamp_seconds", "Expiry time of the certificate of this server"
)
BUGS = _counter("bugs_total", "Bugs that did not stop the work")

OURS = (
    *(ROUNDS, ROUND_SECONDS, COMMITS, RACES, GROWTH_SECONDS, DEMAND, POOL, LARGEST, UP, APPLIED),
    *(DRIFT, RESTARTS, FINDINGS, CODES, REFUSED, REVISION, SUCCESS, LEADING, READY, STOPPED),
    *(EXPIRY, BUGS),
)


def catalogue() -> tuple[Metric, ...]:
    """Return all metrics, first of ipam, then of each family."""
    return (*OURS, *(metric for family in families() for metric in family.metering.metrics))


def of_pools(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    """Yield the usage of pools."""
    for key, used in usage.items():
        name = str(key)
        for state, count in (
            ("total", used.total),
            ("allocated", used.allocated),
            ("held", used.held),
            ("free", used.available),
        ):
            yield Sample(POOL, (name, state), count)
        yield Sample(LARGEST, (name,), used.largest)
    for family in families():
        yield from family.metering.of_pools(usage)


def of_findings(evaluation: Evaluation, unasked: frozenset[str] | None = None) -> Iterator[Sample]:
    """Yield numbers of findings and exceeded limits by severity, including zero.

    `unasked` reasons replace findings about unread clusters, which an evaluation may lack.
    """
    found = [(it.code, it.severity) for it in (*evaluation.findings, *evaluation.gates)]
    if unasked is not None:
        found = [it for it in found if it[0] != UNASKED]
        found += [(UNASKED, Severity.WARNING)] * len(unasked)
    severities = Counter(severity for _, severity in found)
    for severity in Severity:
        yield Sample(FINDINGS, (severity.value,), severities[severity])
    codes = Counter((code, severity.value) for code, severity in found)
    for labels in sorted(codes):
        yield Sample(CODES, labels, codes[labels])
    refused = Counter(item.reason for item in evaluation.plan.decisions if isinstance(item, Refuse))
    for reason in sorted(refused):
        yield Sample(REFUSED, (reason,), refused[reason])


def of_documents(evaluation: Evaluation, usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    """Yield the metrics of families for a complete revision."""
    state = evaluation.state
    measured = Measured(
        documents=evaluation.documents,
        pools=state.pools,
        claims=state.claims,
        records={record.claim: record for record in state.records if record.is_live},
        usage=usage,
    )
    for family in families():
        yield from family.metering.of_documents(measured)


def of_turn(turn: Turn) -> Iterator[Sample]:
    """Yield the metrics of families for a run."""
    for family in families():
        yield from family.metering.of_turn(turn)


def of_run(
    head: str, evaluation: Evaluation, applied: Iterable[Applied], now: float, *, is_bug: bool
) -> Mapping[str, tuple[Sample, ...]]:
    """Return the gauges of a finished run, by part. A run that met a bug is not a success."""
    usage = evaluation.plan.before
    return {
        "pools": tuple(of_pools(usage)),
        "findings": tuple(of_findings(evaluation)),
        "documents": tuple(of_documents(evaluation, usage)),
        "revision": (Sample(REVISION, (head,), 1),),
        "clusters": tuple(of_clusters(applied, now)),
        "success": () if is_bug else (Sample(SUCCESS, (), now),),
    }


def of_clusters(applied: Iterable[Applied], now: float) -> Iterator[Sample]:
    """Yield whether clusters answered, and which ones were applied to in this run."""
    for item in applied:
        if (is_up := answers(item)) is not None:
            yield Sample(UP, (item.cluster,), int(is_up))
        if is_done(item):
            yield Sample(APPLIED, (item.cluster,), now)


def answers(applied: Applied) -> bool | None:
    """Report whether a cluster answers and accepts the login. None if it does not exist yet."""
    if applied.state is ClusterState.WAITING:
        return None
    is_asked = bool(applied.uid) or applied.state is ClusterState.APPLIED
    return is_asked and applied.state is not ClusterState.UNREACHABLE


def is_done(applied: Applied) -> bool:
    """Report whether a cluster has all of its objects."""
    return applied.state is ClusterState.APPLIED and not applied.is_failed
