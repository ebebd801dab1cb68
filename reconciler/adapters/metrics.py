"""A registry of metrics: what was counted here, as Prometheus reads it.

A registry of our own, not the library's one for the whole process: what is in it is what the
catalogue names. Gauges are shown part by part as they were told last, so what is gone is gone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import Lock

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from reconciler.model.metric import Metric, Sample, Sort

# Nobody else uses the library here, and these would double the series of each counter.
disable_created_metrics()  # type: ignore[no-untyped-call] # it takes and gives nothing


class Registry:
    """Figures, from when the process began."""

    def __init__(self, metrics: Iterable[Metric], *, is_daemon: bool = True) -> None:
        """Begin with zeros.

        Args:
            metrics: All that there may be.
            is_daemon: Counters, and figures of the process, mean something: it goes on.
        """
        self._registry = CollectorRegistry(auto_describe=False)
        self._gauges = _Gauges(metric for metric in metrics if metric.sort is Sort.GAUGE)
        self._registry.register(self._gauges)
        self._moving: dict[str, Counter | Histogram] = {}
        self._lock = Lock()
        if is_daemon:
            ProcessCollector(registry=self._registry)
            for metric in metrics:
                if metric.sort is not Sort.GAUGE:
                    self._moving[metric.name] = self._made(metric)

    def _made(self, metric: Metric) -> Counter | Histogram:
        name, about, labels = metric.name, metric.help, metric.labels
        if metric.sort is Sort.COUNTER:
            return Counter(name, about, labels, registry=self._registry)
        return Histogram(name, about, labels, registry=self._registry, buckets=metric.buckets)

    def show(self, part: str, samples: Iterable[Sample]) -> None:
        """Take these gauges for all that a part shows."""
        self._gauges.show(part, tuple(samples))

    def ask(self, part: str, samples: Callable[[], Iterable[Sample]]) -> None:
        """Ask for the gauges of a part whenever somebody reads them."""
        self._gauges.ask(part, samples)

    def move(self, samples: Iterable[Sample]) -> None:
        """Counters grow by these, and histograms are told these."""
        for metric, labels, value in samples:
            series = self._moving[metric.name]
            child = series.labels(*labels) if metric.labels else series
            if isinstance(child, Counter):
                child.inc(value)
            else:
                child.observe(value)

    def forget(self, metric: Metric, first: str) -> None:
        """Forget all series whose first label has a value."""
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
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    """Gauges by part. A part that is told anew never shows half of it."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = tuple(metrics)
        self._parts: dict[str, Callable[[], Iterable[Sample]]] = {}
        self._lock = Lock()

    def show(self, part: str, samples: tuple[Sample, ...]) -> None:
        self.ask(part, lambda: samples)

    def ask(self, part: str, samples: Callable[[], Iterable[Sample]]) -> None:
        with self._lock:
            self._parts[part] = samples

    def collect(self) -> Iterator[GaugeMetricFamily]:
        with self._lock:
            parts = list(self._parts.values())
        by_metric: dict[str, dict[tuple[str, ...], float]] = {}
        for part in parts:
            for metric, labels, value in part():
                by_metric.setdefault(metric.name, {})[labels] = value
        for metric in self._metrics:
            family = GaugeMetricFamily(metric.name, metric.help, labels=metric.labels)
            for labels, value in by_metric.get(metric.name, {}).items():
                family.add_metric(labels, value)
            yield family


def textfile(metrics: Iterable[Metric], parts: Mapping[str, Iterable[Sample]]) -> bytes:
    """Gauges alone, as node_exporter's textfile collector reads them."""
    registry = Registry(metrics, is_daemon=False)
    for part, samples in parts.items():
        registry.show(part, samples)
    return registry.text()
