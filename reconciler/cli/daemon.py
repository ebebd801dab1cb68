"""`reconcile --watch`: the daemon, its HTTP answers, and its log."""

import json
import logging
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from reconciler.apply.target import ApplyOptions
from reconciler.cli import options, output
from reconciler.cli.cluster_options import Reach, Watch
from reconciler.cli.failures import ShutdownSignals, describe, ending, without_passwords
from reconciler.cli.listening import Listening
from reconciler.cli.output import emit
from reconciler.cli.report import served_page
from reconciler.daemon.dirty import ALL, GIT, Backoff, DirtySet, format_pause
from reconciler.daemon.http import Certificate
from reconciler.daemon.lease import Elector
from reconciler.daemon.log import RoundLog, current_round
from reconciler.daemon.loop import Daemon
from reconciler.daemon.metrics import HealthAnswer as Answer
from reconciler.daemon.metrics import Metering, Page
from reconciler.daemon.observer import HealthState, Observer, Readiness, RoundDone
from reconciler.daemon.page import UNREAD, CachedPage
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import BranchWatch, Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.documents.text import escape
from reconciler.gitio.remotes import BranchHead
from reconciler.gitio.repository import GitRepository
from reconciler.model.errors import UsageError
from reconciler.model.metric import Sample
from reconciler.reconcile.branch import is_in_history
from reconciler.reconcile.reconcile import ReconcileOptions, Round
from reconciler.report.metrics import EXPIRY, READY, catalogue

if TYPE_CHECKING:
    from reconciler.daemon.prometheus import Registry


_ABOUT = ("round", "cluster", "claim", "watch", "code", "file")


class _Lines(logging.Formatter):
    """Formatter that writes one line per record, without control characters and passwords."""

    def format(self, record: logging.LogRecord) -> str:
        about = _about(record)
        words = "".join(f" {name}={escape(str(value))}" for name, value in about.items())
        said = escape(without_passwords(record.getMessage()))
        line = f"{_time(record)} {record.levelname}{words} {said}"
        return f"{line}\n{self._steps(record)}" if _shows(record) else line

    def _steps(self, record: logging.LogRecord) -> str:
        return without_passwords(self.formatException(record.exc_info)) if record.exc_info else ""


class _Json(_Lines):
    """Formatter that writes JSON."""

    def format(self, record: logging.LogRecord) -> str:
        told = {"time": _time(record), "level": record.levelname.lower()}
        told |= _about(record)
        told["message"] = escape(without_passwords(record.getMessage()))
        if _shows(record):
            told["traceback"] = self._steps(record)
        return json.dumps(told)


def start(form: str) -> None:
    """Configure the log of the daemon. With `--debug`, it includes debug records of all code."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == "json" else _Lines())
    logging.basicConfig(level=logging.getLogger().level, handlers=[handler], force=True)
    own = logging.getLogger("reconciler")
    if own.getEffectiveLevel() > logging.INFO:
        own.setLevel(logging.INFO)


def _about(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of a log line. Lines during a run have the fields of that run."""
    about = {name: getattr(record, name) for name in _ABOUT if hasattr(record, name)}
    number = current_round()
    return about if number is None else {"round": number, **about}


def _shows(record: logging.LogRecord) -> bool:
    """Report whether a record shows its traceback, which needs `--debug`."""
    return bool(record.exc_info) and logging.getLogger().isEnabledFor(logging.DEBUG)


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"


INTERVAL = 15
"""Default seconds between two polls of a remote."""
LOCAL_SECONDS = 0.2
"""Seconds between two polls of a repository without a remote."""
STACK = 512 * 1024
"""Bytes of stack per thread. Each watch has a thread."""

_log = logging.getLogger(__name__)


class Order(Struct, frozen=True):
    """Options of a daemon.

    Attributes:
        begin: Opens the repository. It can fail until the repository exists.
        reach: The clusters, or None if none is named.
        interval: Seconds between two polls of the remote.
        emit: Writes runs as documents, or None for text.
    """

    begin: Callable[[], GitRepository]
    options: ReconcileOptions
    reach: Reach | None
    wish: ApplyOptions
    watch: Watch
    interval: int | None
    applies: bool = True
    emit: Callable[[Sequence[Round], int], None] | None = None


class DaemonServer:
    """Answers of the HTTP server, before and after the repository is opened."""

    def __init__(self) -> None:
        """Answer that nothing was read yet."""
        self.dirty: DirtySet | None = None
        self._health: HealthState | None = None
        self._page: Callable[[], Page | str] = lambda: UNREAD
        self._missing = "not read yet"

    def opened(self, dirty: DirtySet, health: HealthState, page: Callable[[], Page | str]) -> None:
        """Answer for a running daemon."""
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
    from reconciler.daemon.prometheus import Registry  # prometheus_client takes 60 ms

    def of_server() -> Iterator[Sample]:
        yield Sample(READY, (), int(ready().is_well))
        if certificate is not None and (expires := certificate.expires()) is not None:
            yield Sample(EXPIRY, (), expires)

    registry = Registry(catalogue())
    registry.ask("server", of_server)
    return registry, Metering(registry, time.time)


def run_daemon(order: Order, listening: Listening) -> int:
    """Run until a signal, and serve HTTP if an address is given. Return the exit code.

    The server starts before the repository is opened, so that probes report a repository that is
    missing.
    """
    if order.watch.elects and order.reach is None:
        raise UsageError("--leader-elect needs a management cluster", "--kubeconfig PATH")
    answers = DaemonServer()
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


def _run(order: Order, observer: Observer, answers: DaemonServer) -> int:
    start(order.watch.log_format)
    threading.stack_size(STACK)
    dirty = DirtySet(float(order.watch.resync))
    clusters = RoundClusters(order.reach.open()) if order.reach is not None else None
    elector = None
    if order.watch.elects and clusters is not None:
        identity = f"{socket.gethostname()}_{os.getpid()}_{uuid4().hex[:8]}"
        elector = Elector(clusters.clusters.management, identity, dirty, dirty.wake)
    ways = ShutdownSignals(dirty.stop, elector.release if elector is not None else lambda: None)
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
    answers: DaemonServer,
) -> Daemon:
    """Return the daemon, with its threads running."""
    watches = Watches(clusters, dirty, observer, spawn, random.random)
    work = DaemonRounds(
        repository,
        partial(is_in_history, repository),
        order.options,
        clusters,
        replace(order.wish, root=repository.git.root.path),
        applies=order.applies,
        now=options.now,
        deleted=watches.deleted_uids,
    )
    health = HealthState(dirty.time.monotonic, dirty.resync)
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
    """Writer of runs to the log and to stdout.

    With a JSON log and text output, stdout stays empty, because both can share a file.
    """

    def __init__(self, order: Order, tidy: Callable[[], None]) -> None:
        """Store the options. `tidy` is called after each full run."""
        self._order = order
        self._tidy = tidy
        self._log = RoundLog()
        self._is_text = order.emit is None and order.watch.log_format != "json"

    def __call__(self, done: RoundDone) -> None:
        """Write a run."""
        if self._order.emit is not None and done.rounds:
            self._order.emit(done.rounds, done.code)
        lines = self._log.write(done)
        if self._is_text:
            emit("".join(line.shown for line in lines))
            output.flush()
        _log.info(
            "round ended: %s, %.2f s", done.ending, done.seconds, extra={"round": done.number}
        )
        if done.clusters is None:
            self._tidy()


def _opened(order: Order, dirty: DirtySet, answers: DaemonServer) -> GitRepository | None:
    """Open the repository, with retries until it exists. Return None on shutdown."""
    backoff = Backoff(random.random)
    is_first = True
    while not dirty.is_stopping:
        try:
            return order.begin()
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            is_first, pause = False, backoff.pause()
            _log.warning("%s; next try in %s", describe(failed).line, format_pause(pause))
            answers.not_opened(describe(failed).line)
            dirty.pause(pause)
    return None
