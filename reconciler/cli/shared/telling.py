"""What a daemon tells of itself, put together: its registry, its observer, its health."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from reconciler.cli.shared.daemon import Order, Running, run_daemon
from reconciler.cli.shared.listening import Listening
from reconciler.model.metric import Sample
from reconciler.ports.health import Health

if TYPE_CHECKING:
    from reconciler.adapters.http.files import Certificate
    from reconciler.adapters.metrics import Registry
    from reconciler.commands.watching.metering import Metering
    from reconciler.commands.watching.observer import Readiness


def run_listening(order: Order, listening: Listening) -> int:
    """Run a daemon, and serve what it tells where somebody shall be listened to; the exit code.

    It is served from before the repository is there, so that probes are told what is missing.
    """
    if listening.address is None:
        return run_daemon(order)
    running: list[Running] = []
    missing = ["not read yet"]

    def healthy() -> Health:
        return Health(all(it.health.healthy() for it in running))

    def ready() -> Health:
        found = [health_of(it.health.ready()) for it in running]
        return found[0] if found else Health(is_well=False, lines=(f"git: {missing[-1]}",))

    def not_opened(why: str) -> None:
        missing[:] = [f"not read yet: {why}"]

    def moved() -> None:
        for it in running:
            it.hook()

    certificate = listening.open_certificate()
    registry, observer = begin_metering(ready, certificate)
    server = listening.serve(registry.text, healthy, ready, moved, certificate)
    try:
        listened = replace(order, observer=observer, missing=not_opened)
        return run_daemon(listened, running.append)
    finally:
        if server is not None:
            server.close()


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
    if not readiness.is_leading and readiness.is_ready:
        lines.append("standing by: another one leads")
    return Health(readiness.is_ready, tuple(lines))
