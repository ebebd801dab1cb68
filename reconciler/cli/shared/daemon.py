"""`reconcile --watch`: the daemon and its HTTP server, wired to this machine."""

import logging
import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from reconciler.adapters.git.remotes import BranchHead
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.http.server import Certificate
from reconciler.cli.shared import clock, logs, streams
from reconciler.cli.shared.cluster_options import Reach
from reconciler.cli.shared.ending import Ending, ending
from reconciler.cli.shared.failures import told
from reconciler.cli.shared.listening import Listening
from reconciler.cli.shared.output import emit
from reconciler.cli.shared.report_page import served_page
from reconciler.cli.shared.watch_options import Watch
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.reconcile import ReconcileOptions
from reconciler.commands.rewritten import is_in_history
from reconciler.commands.rounds import Round
from reconciler.commands.watching.dirty import ALL, GIT, Backoff, DirtySet, format_pause
from reconciler.commands.watching.health import Health, Readiness
from reconciler.commands.watching.lease import Elector
from reconciler.commands.watching.log import RoundLog
from reconciler.commands.watching.loop import Daemon
from reconciler.commands.watching.metrics import Metering
from reconciler.commands.watching.observer import Observer, RoundDone
from reconciler.commands.watching.page import UNREAD, CachedPage
from reconciler.commands.watching.reach import RoundClusters
from reconciler.commands.watching.watch import BranchWatch, Watches
from reconciler.commands.watching.work import Work
from reconciler.model.metric import Sample
from reconciler.ports import UsageError
from reconciler.ports.health import Health as Answer
from reconciler.ports.page import Page
from reconciler.report.metrics import EXPIRY, READY, catalogue

if TYPE_CHECKING:
    from reconciler.adapters.metrics import Registry

INTERVAL = 15
"""Default seconds between two polls of a remote."""
LOCAL_SECONDS = 0.2
"""Seconds between two polls of a repository without a remote."""
STACK = 512 * 1024
"""Bytes of stack per thread: each watch has a thread."""

_log = logging.getLogger(__name__)


class Order(Struct, frozen=True):
    """The options of a daemon.

    Attributes:
        begin: Opens the repository; may fail until it exists.
        reach: The clusters; None if none is named.
        interval: Seconds between two polls of the remote.
        emit: Writes rounds as documents; None for text.
    """

    begin: Callable[[], GitRepository]
    options: ReconcileOptions
    reach: Reach | None
    wish: ApplyOptions
    watch: Watch
    interval: int | None
    applies: bool = True
    emit: Callable[[Sequence[Round], int], None] | None = None


class Server:
    """The answers of the HTTP server, before and after the repository is opened."""

    def __init__(self) -> None:
        """Answer that nothing was read yet."""
        self.dirty: DirtySet | None = None
        self._health: Health | None = None
        self._page: Callable[[], Page | str] = lambda: UNREAD
        self._missing = "not read yet"

    def opened(self, dirty: DirtySet, health: Health, page: Callable[[], Page | str]) -> None:
        """Answer for a daemon that runs."""
        self.dirty, self._health, self._page = dirty, health, page

    def not_opened(self, why: str) -> None:
        """Answer why the repository is not open."""
        self._missing = f"not read yet: {why}"

    def healthy(self) -> Answer:
        """Answer `/healthz`."""
        return Answer(self._health is None or self._health.healthy())

    def ready(self) -> Answer:
        """Answer `/readyz`."""
        if self._health is None:
            return Answer(is_well=False, lines=(f"git: {self._missing}",))
        return answer_of(self._health.ready())

    def moved(self) -> None:
        """Handle a webhook."""
        if self.dirty is not None:
            self.dirty.mark(GIT, "hook")

    def report(self) -> Page | str:
        """Answer `/report`."""
        return self._page()


def answer_of(readiness: Readiness) -> Answer:
    """Return the answer of `/readyz`: a line for each reason."""
    lines = [f"{subject}: {why}" for subject, why in sorted(readiness.reasons.items())]
    if not readiness.is_leading and readiness.is_ready:
        lines.append("standing by: another one leads")
    return Answer(readiness.is_ready, tuple(lines))


def begin_metering(
    ready: Callable[[], Answer], certificate: Certificate | None = None
) -> "tuple[Registry, Metering]":
    """Return a registry with all metrics, and the observer that feeds it."""
    from reconciler.adapters.metrics import Registry  # prometheus_client takes 60 ms

    def of_server() -> Iterator[Sample]:
        yield Sample(READY, (), int(ready().is_well))
        if certificate is not None and (expires := certificate.expires()) is not None:
            yield Sample(EXPIRY, (), expires)

    registry = Registry(catalogue())
    registry.ask("server", of_server)
    return registry, Metering(registry, time.time)


def run_daemon(order: Order, listening: Listening) -> int:
    """Run until a signal, and serve HTTP if an address is given; return the exit code.

    The server starts before the repository is opened, so that probes report a repository that is missing.
    """
    if order.watch.elects and order.reach is None:
        raise UsageError("--leader-elect needs a management cluster", "--kubeconfig PATH")
    answers = Server()
    if listening.address is None:
        return _run(order, Observer(), answers)
    certificate = listening.open_certificate()
    registry, observer = begin_metering(answers.ready, certificate)
    server = listening.serve(
        *(registry.text, answers.healthy, answers.ready, answers.moved, certificate),
        answers.report,
    )
    try:
        return _run(order, observer, answers)
    finally:
        if server is not None:
            server.close()


def _run(order: Order, observer: Observer, answers: Server) -> int:
    logs.start(order.watch.log_format)
    threading.stack_size(STACK)
    dirty = DirtySet(float(order.watch.resync))
    clusters = RoundClusters(order.reach.open()) if order.reach is not None else None
    elector = None
    if order.watch.elects and clusters is not None:
        identity = f"{socket.gethostname()}_{os.getpid()}_{uuid4().hex[:8]}"
        elector = Elector(clusters.clusters.management, identity, dirty, dirty.wake)
    ways = Ending(dirty.stop, elector.release if elector is not None else lambda: None)
    with ending(ways):
        repository = _opened(order, dirty, answers)
        if repository is not None:
            _daemon(order, repository, clusters, elector, dirty, observer, answers).run()
    if elector is not None:
        elector.release()
    _log.info("ended")
    return ways.code


def _daemon(
    order: Order,
    repository: GitRepository,
    clusters: RoundClusters | None,
    elector: Elector | None,
    dirty: DirtySet,
    observer: Observer,
    answers: Server,
) -> Daemon:
    """Return the daemon; its threads run."""
    watches = Watches(clusters, dirty, observer, spawn, random.random)
    work = Work(
        repository,
        partial(is_in_history, repository),
        order.options,
        clusters,
        replace(order.wish, root=repository.git.root.path),
        applies=order.applies,
        now=clock.now,
        deleted=watches.deleted_uids,
    )
    health = Health(dirty.time.monotonic, dirty.resync)
    if elector is not None:
        health.leader, health.refusal = elector.leader, elector.failure
    report = Report(order, repository.tidy)
    daemon = Daemon(work, watches, dirty, health, observer, report, random.random, clusters)
    every = order.interval or (INTERVAL if repository.remote is not None else LOCAL_SECONDS)
    poll = BranchWatch(
        BranchHead(repository), work.head, every, dirty, random.random, health.branch
    )
    spawn(poll.run, "branch")
    if elector is not None:
        daemon.leads = elector.leads
        spawn(elector.run, "lease")
    else:
        dirty.mark(ALL, "start", 0.0)
    render = partial(served_page, repository)
    answers.opened(dirty, health, CachedPage(work.revision, render, spawn))
    return daemon


def spawn(work: Callable[[], None], name: str) -> None:
    """Run a function in a thread that ends with the process."""
    threading.Thread(target=work, name=name, daemon=True).start()


class Report:
    """Writes rounds to the log and to stdout.

    With a JSON log and text output, stdout stays empty: both may share a file.
    """

    def __init__(self, order: Order, tidy: Callable[[], None]) -> None:
        """Build it; `tidy` is called after each full round."""
        self._order = order
        self._tidy = tidy
        self._log = RoundLog()
        self._is_text = order.emit is None and order.watch.log_format != "json"

    def __call__(self, done: RoundDone) -> None:
        """Write a round."""
        if self._order.emit is not None and done.rounds:
            self._order.emit(done.rounds, done.code)
        lines = self._log.write(done)
        if self._is_text:
            emit("".join(line.shown for line in lines))
            streams.flush()
        _log.info(
            "round ended: %s, %.2f s", done.ending, done.seconds, extra={"round": done.number}
        )
        if done.clusters is None:
            self._tidy()


def _opened(order: Order, dirty: DirtySet, answers: Server) -> GitRepository | None:
    """Open the repository, again until it exists; return None if the end comes first."""
    backoff = Backoff(random.random)
    is_first = True
    while not dirty.is_stopping:
        try:
            return order.begin()
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            is_first, pause = False, backoff.pause()
            _log.warning("%s; next try in %s", told(failed).line, format_pause(pause))
            answers.not_opened(told(failed).line)
            dirty.pause(pause)
    return None
