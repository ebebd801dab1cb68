"""Prometheus registry (prometheus_client is optional and slow to import)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock
from typing import Any, cast

from reconciler.model.metric import Metric, MetricKind, Sample


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
