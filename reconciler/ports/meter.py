"""What commands need of a registry of metrics."""

from collections.abc import Callable, Iterable
from typing import Protocol

from reconciler.model.metric import Metric, Sample


class Meter(Protocol):
    """Keeps figures until somebody asks for them. Several threads may use it."""

    def show(self, part: str, samples: Iterable[Sample]) -> None:
        """Take these gauges for all that a part shows: what it showed before and not now is gone."""

    def ask(self, part: str, samples: Callable[[], Iterable[Sample]]) -> None:
        """Ask for the gauges of a part whenever somebody reads them: for those that change often."""

    def move(self, samples: Iterable[Sample]) -> None:
        """Counters grow by these, and histograms are told these."""

    def forget(self, metric: Metric, first: str) -> None:
        """Forget all of a counter's or histogram's series whose first label has a value."""
