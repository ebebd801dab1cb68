"""What a daemon tells of itself, put together: its registry, its observer, its health."""

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from reconciler.model.metric import Sample
from reconciler.ports.health import Health

if TYPE_CHECKING:
    from reconciler.adapters.http.files import Certificate
    from reconciler.adapters.metrics import Registry
    from reconciler.commands.watching.metering import Metering
    from reconciler.commands.watching.observer import Readiness


def begin_metering(
    ready: Callable[[], Health], certificate: "Certificate | None" = None
) -> "tuple[Registry, Metering]":
    """A registry with all metrics, and the observer that moves them.

    Args:
        ready: Whether the work can be done; asked whenever somebody reads the metrics.
        certificate: The one that is shown; None without TLS.
    """
    # The library is for those who ask for it.
    from reconciler.adapters.metrics import Registry
    from reconciler.commands.watching.metering import Metering
    from reconciler.report.metrics import EXPIRY, READY, catalogue

    def of_server() -> Iterator[Sample]:
        yield Sample(READY, (), int(ready().is_well))
        if certificate is not None and (expires := certificate.expires()) is not None:
            yield Sample(EXPIRY, (), expires)

    registry = Registry(catalogue())
    registry.ask("server", of_server)
    return registry, Metering(registry, time.time)


def health_of(readiness: "Readiness") -> Health:
    """What `/readyz` answers: a line for each thing in the way, by what it is about."""
    lines = [f"{about}: {why}" for about, why in sorted(readiness.reasons.items())]
    if not readiness.is_leading:
        lines.append("standing by: another one leads")
    return Health(readiness.is_ready, tuple(lines))
