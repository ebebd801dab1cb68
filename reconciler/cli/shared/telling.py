"""What a daemon tells of itself, put together: its registry, its observer, its health."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reconciler.adapters.http.server import Certificate
from reconciler.cli.shared.daemon import Order, Running, run_daemon, spawn
from reconciler.cli.shared.listening import Listening
from reconciler.cli.shared.report_page import served_page
from reconciler.commands.watching.kept_page import UNREAD, KeptPage
from reconciler.commands.watching.metering import Metering
from reconciler.commands.watching.observer import Readiness
from reconciler.model.metric import Sample
from reconciler.ports.health import Health
from reconciler.ports.page import Page
from reconciler.report.metrics import EXPIRY, READY, catalogue

if TYPE_CHECKING:
    from reconciler.adapters.metrics import Registry


def run_listening(order: Order, listening: Listening) -> int:
    """Run a daemon, and serve what it tells where somebody shall be listened to; the exit code.

    It is served from before the repository is there, so that probes are told what is missing.
    """
    if listening.address is None:
        return run_daemon(order)
    told = _Told()
    certificate = listening.open_certificate()
    registry, observer = begin_metering(told.ready, certificate)
    server = listening.serve(
        *(registry.text, told.healthy, told.ready, told.moved, certificate), told.report
    )
    try:
        listened = replace(order, observer=observer, missing=told.not_opened)
        return run_daemon(listened, told.begun)
    finally:
        if server is not None:
            server.close()


class _Told:
    """What who asks is told: before the repository is there, and when the daemon runs."""

    def __init__(self) -> None:
        self._running: Running | None = None
        self._page: KeptPage | None = None
        self._missing = "not read yet"

    def begun(self, running: Running) -> None:
        """The daemon runs."""
        self._running = running
        make = partial(served_page, running.repository)
        self._page = KeptPage(running.revision, make, spawn)

    def not_opened(self, why: str) -> None:
        self._missing = f"not read yet: {why}"

    def healthy(self) -> Health:
        return Health(self._running is None or self._running.health.healthy())

    def ready(self) -> Health:
        if self._running is None:
            return Health(is_well=False, lines=(f"git: {self._missing}",))
        return health_of(self._running.health.ready())

    def moved(self) -> None:
        if self._running is not None:
            self._running.hook()

    def report(self) -> Page | str:
        return self._page() if self._page is not None else UNREAD


def begin_metering(
    ready: Callable[[], Health], certificate: Certificate | None = None
) -> "tuple[Registry, Metering]":
    """A registry with all metrics, and the observer that moves them.

    Args:
        ready: Whether the work can be done; asked whenever somebody reads the metrics.
        certificate: The one that is shown; None without TLS.
    """
    # The library is for those who ask for it.
    from reconciler.adapters.metrics import Registry

    def of_server() -> Iterator[Sample]:
        yield Sample(READY, (), int(ready().is_well))
        if certificate is not None and (expires := certificate.expires()) is not None:
            yield Sample(EXPIRY, (), expires)

    registry = Registry(catalogue())
    registry.ask("server", of_server)
    return registry, Metering(registry, time.time)


def health_of(readiness: Readiness) -> Health:
    """What `/readyz` answers: a line for each thing in the way, by what it is about."""
    lines = [f"{about}: {why}" for about, why in sorted(readiness.reasons.items())]
    if not readiness.is_leading and readiness.is_ready:
        lines.append("standing by: another one leads")
    return Health(readiness.is_ready, tuple(lines))
