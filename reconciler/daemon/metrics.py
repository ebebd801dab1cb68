"""Metrics of rounds, and their registry (prometheus_client is optional and slow to import)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, cast

from msgspec.structs import replace

from reconciler.apply.elastic import Figures
from reconciler.apply.growth import all_growers
from reconciler.daemon.log import NewRefusals
from reconciler.daemon.observer import Observer, Push, RoundDone, RoundResult
from reconciler.families.interface import Turn
from reconciler.model.applied import Applied, ClusterState, ObjectResult
from reconciler.model.errors import GateError, HistoryError, PushRefusedError, RacesLostError
from reconciler.model.metric import Metric, MetricKind, Sample
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Grant
from reconciler.reconcile.reconcile import Round
from reconciler.report import metrics


class Registry:
    """Metrics since the start of the process: a collector of the library for its gauges."""

    def __init__(self, metrics: Iterable[Metric], *, is_daemon: bool = True) -> None:
        import prometheus_client  # 60 ms

        # They double the series of each counter.
        prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]
        self._library = prometheus_client
        self._registry = prometheus_client.CollectorRegistry(auto_describe=False)
        self._gauges = [metric for metric in metrics if metric.sort is MetricKind.GAUGE]
        self._registry.register(cast(Any, self))
        self._parts: dict[str, Callable[[], Iterable[Sample]]] = {}
        self._moving: dict[str, Any] = {}
        self._lock = Lock()
        if is_daemon:
            prometheus_client.ProcessCollector(registry=self._registry)
            for metric in metrics:
                if metric.sort is not MetricKind.GAUGE:
                    self._moving[metric.name] = self._made(metric)

    def _made(self, metric: Metric) -> Any:
        name, about, labels = metric.name, metric.help, metric.labels
        if metric.sort is MetricKind.COUNTER:
            return self._library.Counter(name, about, labels, registry=self._registry)
        return self._library.Histogram(
            name, about, labels, registry=self._registry, buckets=metric.buckets
        )

    def show(self, part: str, samples: Iterable[Sample]) -> None:
        """Replace all gauges of a part."""
        known = tuple(samples)
        self.ask(part, lambda: known)

    def ask(self, part: str, samples: Callable[[], Iterable[Sample]]) -> None:
        """Compute the gauges of a part at each scrape."""
        with self._lock:
            self._parts[part] = samples

    def move(self, samples: Iterable[Sample]) -> None:
        """Increase counters and observe values of histograms."""
        for metric, labels, value in samples:
            series = self._moving[metric.name]
            child = series.labels(*labels) if metric.labels else series
            if metric.sort is MetricKind.COUNTER:
                child.inc(value)
            else:
                child.observe(value)

    def forget(self, metric: Metric, first: str) -> None:
        """Remove all series whose first label has a value."""
        series = self._moving[metric.name]
        with self._lock:
            known = {
                tuple(sample.labels[name] for name in metric.labels)
                for family in series.collect()
                for sample in family.samples
                if sample.labels.get(metric.labels[0]) == first
            }
            for labels in sorted(known):
                series.remove(*labels)

    def text(self) -> bytes:
        """Return all metrics in the text format."""
        return self._library.generate_latest(self._registry)

    def collect(self) -> Iterator[Any]:
        """Yield the gauges, as the library asks for them."""
        with self._lock:
            parts = list(self._parts.values())
        by_metric: dict[str, dict[tuple[str, ...], float]] = {}
        for part in parts:
            for metric, labels, value in part():
                by_metric.setdefault(metric.name, {})[labels] = value
        for metric in self._gauges:
            family = self._library.metrics_core.GaugeMetricFamily(
                metric.name, metric.help, labels=metric.labels
            )
            for labels, value in by_metric.get(metric.name, {}).items():
                family.add_metric(labels, value)
            yield family


def textfile(metrics: Iterable[Metric], parts: Mapping[str, Iterable[Sample]]) -> bytes:
    """Return gauges for node_exporter's textfile collector."""
    registry = Registry(metrics, is_daemon=False)
    for part, samples in parts.items():
        registry.show(part, samples)
    return registry.text()


_MANAGERS = 16
_CHARACTERS = 64
_OTHERS = "others"
_OF_LEADERS = ("pools", "findings", "documents", "revision", "stopped")
"""Gauges that become stale while another process leads."""
_DONE = (RoundResult.OK, RoundResult.REFUSED, RoundResult.PARTIAL)
"""Rounds that read and wrote the branch."""


class Metering(Observer):
    """Turns events of the daemon into samples."""

    def __init__(self, meter: Registry, now: Callable[[], float]) -> None:
        """`now` returns seconds since 1970."""
        self._meter, self._now = meter, now
        self._lock = Lock()
        self._refused = NewRefusals()
        self._up: dict[str, bool] = {}
        self._applied: dict[str, float] = {}
        self._demand: dict[str, Figures] = {}
        self._began = now()
        self._managers: dict[str, set[str]] = {}
        zeros = [Sample(metrics.ROUNDS, (ending.value,), 0) for ending in RoundResult]
        meter.move([*zeros, *(Sample(metrics.COMMITS, (push.value,), 0) for push in Push)])
        meter.ask("clusters", self._of_clusters)
        self.leading(is_leader=False)

    def round_done(self, done: RoundDone) -> None:
        """Count a round, its commits, and its clusters."""
        ending = Sample(metrics.ROUNDS, (done.ending.value,), 1)
        self._meter.move([ending, Sample(metrics.ROUND_SECONDS, (), done.seconds)])
        self._meter.move(_commits(done))
        if done.ending is RoundResult.BUG:
            self.bug_met()
        with self._lock:
            for each in done.rounds:
                for turn in self._turns(done, each):
                    self._meter.move(metrics.of_turn(turn))
                for _, seconds in each.served:
                    self._meter.move([Sample(metrics.GROWTH_SECONDS, (), seconds)])
            self._clusters(done.applied)
            self._looked(done)
        stops = {"records": GateError, "history": HistoryError}
        self._meter.show(
            "stopped",
            [
                Sample(metrics.STOPPED, (reason,), int(isinstance(done.failure, stop)))
                for reason, stop in stops.items()
            ],
        )
        if done.evaluation is not None and done.head is not None:
            usage = done.head.plan.before
            unasked = frozenset(done.unasked.values())
            self._meter.show("pools", metrics.of_pools(usage))
            self._meter.show("findings", metrics.of_findings(done.evaluation, unasked))
            self._meter.show("documents", metrics.of_documents(done.head, usage))
            revision = done.rounds[-1].done.head.id
            self._meter.show("revision", [Sample(metrics.REVISION, (revision,), 1)])
        if done.ending in _DONE:
            self._meter.show("success", [Sample(metrics.SUCCESS, (), self._now())])

    def watch_restarted(self, cluster: str, why: str) -> None:
        """Count a watch that broke."""
        self._meter.move([Sample(metrics.RESTARTS, (cluster, why), 1)])

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """Note whether a cluster answers."""
        with self._lock:
            self._up[cluster] = is_up

    def cluster_gone(self, cluster: str) -> None:
        """Remove the series of a cluster."""
        with self._lock:
            for known in (self._up, self._applied, self._demand, self._managers):
                known.pop(cluster, None)
        self._meter.forget(metrics.DRIFT, cluster)
        self._meter.forget(metrics.RESTARTS, cluster)

    def leading(self, *, is_leader: bool) -> None:
        """Show whether this process leads, and remove gauges that only a leader keeps current."""
        if is_leader:
            self._began = self._now()
        else:
            with self._lock:
                for known in (self._up, self._applied, self._demand):
                    known.clear()
                self._refused = NewRefusals()
            for part in _OF_LEADERS:
                self._meter.show(part, ())
        self._meter.show("leading", [Sample(metrics.LEADING, (), int(is_leader))])

    def bug_met(self) -> None:
        """Count an unexpected exception."""
        self._meter.move([Sample(metrics.BUGS, (), 1)])

    def _looked(self, done: RoundDone) -> None:
        if self._demand and done.head is not None:
            growing = {item.cluster for item in all_growers(done.head)} - done.unasked.keys()
            self._demand = {name: it for name, it in self._demand.items() if name in growing}
        if done.looked is not None:
            self._demand |= done.looked.figures
            self._up |= dict.fromkeys(done.looked.away, False)

    def _turns(self, done: RoundDone, each: Round) -> Iterator[Turn]:
        made = [part.carried for part in each.done.parts]
        last = each.done.evaluation
        if not any(part.planned.evaluation is last for part in each.done.parts):
            decisions = (it for it in last.plan.decisions if not isinstance(it, Grant))
            made.append(replace(last, plan=replace(last.plan, decisions=tuple(decisions))))
        management = next((it for it in each.applied or () if it.cluster == MANAGEMENT), None)
        for evaluation in made:
            is_last = management is not None and evaluation is made[-1]
            outcomes = management.outcomes if management is not None and is_last else ()
            failed = (it.object for it in outcomes if it.result is ObjectResult.FAILED)
            yield Turn(
                documents=evaluation.documents,
                claims=evaluation.state.claims,
                decisions=evaluation.plan.decisions,
                newly_refused=frozenset(it.claim for it in self._refused.of(evaluation)),
                failed=frozenset(failed),
                is_applied=management is not None and management.state is ClusterState.APPLIED,
                seconds=done.seconds,
                since=done.since,
            )

    def _clusters(self, applied: Iterable[Applied]) -> None:
        for item in applied:
            if (is_up := metrics.answers(item)) is not None:
                self._up[item.cluster] = is_up
            if metrics.is_done(item):
                self._applied[item.cluster] = self._now()
            elif is_up is not None:
                self._applied.setdefault(item.cluster, self._began)
            for outcome in item.outcomes:
                if outcome.drift is not None:
                    manager = self._manager(item.cluster, outcome.drift.manager)
                    self._meter.move([Sample(metrics.DRIFT, (item.cluster, manager), 1)])

    def _manager(self, cluster: str, name: str) -> str:
        """Return the label for a field manager. Clients choose the names, so they are limited."""
        known = self._managers.setdefault(cluster, set())
        short = name[:_CHARACTERS] or "unknown"
        if short not in known and len(known) >= _MANAGERS:
            return _OTHERS
        known.add(short)
        return short

    def _of_clusters(self) -> list[Sample]:
        with self._lock:
            return [
                *_by_cluster(metrics.UP, self._up),
                *_by_cluster(metrics.APPLIED, self._applied),
                *(
                    Sample(metrics.DEMAND, (cluster, state), count)
                    for cluster, figures in self._demand.items()
                    for state, count in figures._asdict().items()
                ),
            ]


def _commits(done: RoundDone) -> Iterator[Sample]:
    for item in done.rounds:
        if item.done.commit is not None:
            yield Sample(metrics.COMMITS, (Push.PUBLISHED.value,), 1)
            yield Sample(metrics.RACES, (), item.done.attempts - 1)
    if isinstance(done.failure, RacesLostError):
        yield Sample(metrics.COMMITS, (Push.LOST.value,), 1)
        yield Sample(metrics.RACES, (), 1)
    elif isinstance(done.failure, PushRefusedError):
        yield Sample(metrics.COMMITS, (Push.REFUSED.value,), 1)


def _by_cluster(metric: Metric, values: Mapping[str, float]) -> list[Sample]:
    return [Sample(metric, (cluster,), float(value)) for cluster, value in values.items()]
