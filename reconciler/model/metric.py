"""Metric samples."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds in seconds, as in capi-vip-allocator and the Prometheus client libraries."""


class MetricKind(StrEnum):
    """Types of metrics."""

    GAUGE = "gauge"  # a current value
    COUNTER = "counter"  # a value that only grows
    HISTOGRAM = "histogram"  # a distribution of values


class Metric(NamedTuple):
    """A metric: its name in Prometheus, for a counter with `_total`."""

    name: str
    sort: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = BUCKETS


def metric_makers(prefix: str, buckets: tuple[float, ...] = BUCKETS) -> list[Callable[..., Metric]]:
    """Return functions that make a gauge, a counter, and a histogram of name, help, and labels."""

    def maker(kind: MetricKind) -> Callable[..., Metric]:
        return lambda name, about, *labels: Metric(f"{prefix}{name}", kind, about, labels, buckets)

    return list(map(maker, MetricKind))


class Sample(NamedTuple):
    """A gauge value, a counter increment, or a histogram observation, with values of labels."""

    metric: Metric
    labels: tuple[str, ...]
    value: float
