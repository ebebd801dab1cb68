"""A registry as a test asks it: one figure by its name and labels."""

from collections.abc import Iterable

from prometheus_client.parser import text_string_to_metric_families

from reconciler.daemon.metrics import Registry
from reconciler.model.metric import Metric
from reconciler.report.metrics import catalogue

Series = tuple[str, tuple[tuple[str, str], ...]]


def series(text: str) -> dict[Series, float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


class Shown:
    """A real registry, and the samples of a scrape."""

    def __init__(self, metrics: Iterable[Metric] | None = None) -> None:
        self.registry = Registry(tuple(metrics or catalogue()))

    def all(self) -> dict[Series, float]:
        return series(self.registry.text().decode())

    def value(self, name: str, **labels: str) -> float | None:
        return self.all().get((name, tuple(sorted(labels.items()))))

    def of(self, name: str) -> dict[tuple[str, ...], float]:
        """All series of a name: values of labels, in the order of their names."""
        return {
            tuple(value for _, value in labels): figure
            for (found, labels), figure in self.all().items()
            if found == name
        }
