"""Metric samples."""

from enum import StrEnum
from typing import NamedTuple

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds, in seconds, as capi-vip-allocator and Prometheus' own libraries have them."""


class MetricKind(StrEnum):
    """What may become of a figure."""

    GAUGE = "gauge"  # it is what it is now
    COUNTER = "counter"  # it only grows
    HISTOGRAM = "histogram"  # how often it was how large


class Metric(NamedTuple):
    """A metric.

    Attributes:
        name: As Prometheus shows it, of a counter with `_total`.
        buckets: Of a histogram, rising.
    """

    name: str
    sort: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = BUCKETS


class Sample(NamedTuple):
    """A figure: what a gauge is, by how much a counter grew, what a histogram is told.

    Attributes:
        labels: Values, in the order of the metric's labels.
    """

    metric: Metric
    labels: tuple[str, ...]
    value: float
