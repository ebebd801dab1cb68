"""`reconcile --watch`: the daemon, its HTTP answers, its log, and its end."""

import _thread
import json
import logging
import os
import random
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from reconciler.apply.targets import ApplyOptions
from reconciler.cli import options
from reconciler.cli.cluster_options import Reach
from reconciler.cli.daemon_options import DaemonOptions
from reconciler.cli.entry import describe, without_passwords
from reconciler.cli.output import emit
from reconciler.cli.report import served_page
from reconciler.daemon.dirty import ALL, GIT, Backoff, DirtySet, format_pause
from reconciler.daemon.http import Certificate, Endpoints, Server, read_secret
from reconciler.daemon.lease import Elector
from reconciler.daemon.log import RoundLog, current_round
from reconciler.daemon.loop import Daemon
from reconciler.daemon.metrics import HealthAnswer, Metering, Page
from reconciler.daemon.observer import HealthState, Observer, Readiness, RoundDone
from reconciler.daemon.page import UNREAD, CachedPage
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import BranchWatch, Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.documents.text import escape
from reconciler.gitio import process as processes
from reconciler.gitio.remotes import BranchHead
from reconciler.gitio.repository import GitRepository
from reconciler.model.errors import UsageError
from reconciler.model.metric import Sample
from reconciler.reconcile.branch import is_in_history, require_at_start
from reconciler.reconcile.reconcile import ReconcileOptions, Round
from reconciler.report.metrics import EXPIRY, READY, catalogue

if TYPE_CHECKING:
    from reconciler.daemon.prometheus import Registry

GRACE_SECONDS = 20.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_REMOTE_SECONDS = 15
"""Default seconds between two polls of a remote."""
_LOCAL_SECONDS = 0.2
"""Seconds between two polls of a repository without a remote."""
_STACK_BYTES = 512 * 1024
"""Stack per thread. Each watch has a thread."""
_LOG_FIELDS = ("round", "cluster", "claim", "watch", "code", "file")

_log = logging.getLogger(__name__)


class Order(Struct, frozen=True):
    """Options of a daemon.

    Attributes:
        begin: Opens the repository. It can fail until the repository exists.
        reach: The clusters, or None if none is named.
        emit: Writes runs as documents, or None for text.
    """

    begin: Callable[[], GitRepository]
    options: ReconcileOptions
    reach: Reach | None
    wanted: ApplyOptions
    daemon: DaemonOptions
    interval: int | None
    applies: bool
    emit: Callable[[Sequence[Round], int], None] | None


class DaemonServer:
    """Answers of the HTTP server. `missing` is why the repository is not open yet."""

    def __init__(self) -> None:
        self._dirty: DirtySet | None = None
        self._health: HealthState | None = None
        self._page: Callable[[], Page | str] = lambda: UNREAD
        self.missing = "not read yet"

    def opened(self, dirty: DirtySet, health: HealthState, page: Callable[[], Page | str]) -> None:
        """Answer for a running daemon."""
        self._dirty, self._health, self._page = dirty, health, page

    def endpoints(self, metrics: Callable[[], bytes], secret: Path | None) -> Endpoints:
        """Return the endpoints of the server."""
        read = partial(read_secret, secret) if secret is not None else None
        if read is not None:
            read()
        return Endpoints(
            metrics, self._healthy, self.ready, self._moved, read, lambda: self._page()
        )

    def _healthy(self) -> HealthAnswer:
        return HealthAnswer(self._health is None or self._health.healthy())

    def ready(self) -> HealthAnswer:
        """Answer `/readyz`."""
        if self._health is None:
            return HealthAnswer(is_well=False, lines=(f"git: {self.missing}",))
        return answer_of(self._health.ready())

    def _moved(self) -> None:
        if self._dirty is not None:
            self._dirty.mark(GIT, "hook")


def answer_of(readiness: Readiness) -> HealthAnswer:
    """Return the answer of `/readyz`: a line for each reason."""
    lines = [f"{subject}: {why}" for subject, why in sorted(readiness.reasons.items())]
    if not readiness.is_leading and readiness.is_ready:
        lines.append("standing by: another one leads")
    return HealthAnswer(readiness.is_ready, tuple(lines))


def begin_metering(
    ready: Callable[[], HealthAnswer], certificate: Certificate | None = None
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


def run_daemon(order: Order) -> int:
    """Run until a signal, and serve HTTP if an address is given. Return the exit code.

    The server starts before the repository is opened, so that probes report a repository that is
    missing.
    """
    if order.daemon.elects and order.reach is None:
        raise UsageError("--leader-elect needs a management cluster", "--kubeconfig PATH")
    answers, daemon = DaemonServer(), order.daemon
    if daemon.address is None:
        return _run(order, Observer(), answers)
    certificate = Certificate(*daemon.certificate) if daemon.certificate else None
    registry, observer = begin_metering(answers.ready, certificate)
    endpoints = answers.endpoints(registry.text, daemon.secret)
    server = Server(daemon.address, endpoints, certificate)
    try:
        return _run(order, observer, answers)
    finally:
        server.close()


def _run(order: Order, observer: Observer, answers: DaemonServer) -> int:
    start_log(order.daemon.log_format)
    threading.stack_size(_STACK_BYTES)
    dirty = DirtySet(float(order.daemon.resync))
    clusters = RoundClusters(order.reach.open()) if order.reach is not None else None
    elector = None
    if order.daemon.elects and clusters is not None:
        identity = f"{socket.gethostname()}_{os.getpid()}_{uuid4().hex[:8]}"
        elector = Elector(clusters.clusters.management, identity, dirty, dirty.wake)
    shutdown = ShutdownSignals(dirty.stop, elector.release if elector is not None else lambda: None)
    with handling(shutdown):
        repository = _opened(order, dirty, answers)
        if repository is not None:
            _daemon(order, repository, clusters, elector, dirty, observer, answers).run()
    if elector is not None:
        elector.release()
    _log.info("ended")
    return shutdown.code


def _daemon(
    order: Order,
    repository: GitRepository,
    clusters: RoundClusters | None,
    elector: Elector | None,
    dirty: DirtySet,
    observer: Observer,
    answers: DaemonServer,
) -> Daemon:
    watches = Watches(clusters, dirty, observer, _spawn, random.random)
    work = DaemonRounds(
        repository,
        partial(is_in_history, repository),
        order.options,
        clusters,
        replace(order.wanted, root=repository.git.root.path),
        applies=order.applies,
        now=options.now,
        deleted=watches.deleted_uids,
    )
    health = HealthState(dirty.time.monotonic, dirty.resync)
    if elector is not None:
        health.leader, health.refusal = elector.leader, elector.failure
    report = _RoundWriter(order, repository.tidy)
    daemon = Daemon(work, watches, dirty, health, observer, report, random.random, clusters)
    every = order.interval or (_REMOTE_SECONDS if repository.remote is not None else _LOCAL_SECONDS)
    poll = BranchWatch(
        BranchHead(repository), work.head, every, dirty, random.random, health.branch
    )
    _spawn(poll.run, "branch")
    if elector is not None:
        daemon.leads = elector.leads
        _spawn(elector.run, "lease")
    else:
        dirty.mark(ALL, "start", 0.0)
    render = partial(served_page, repository)
    answers.opened(dirty, health, CachedPage(work.revision, render))
    return daemon


def _spawn(work: Callable[[], None], name: str) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


class _RoundWriter:
    """Writer of runs to the log and to stdout.

    With a JSON log and text output, stdout stays empty, because both can share a file.

    Attributes:
        tidy: Called after each full run.
    """

    def __init__(self, order: Order, tidy: Callable[[], None]) -> None:
        self._order = order
        self.tidy = tidy
        self._log = RoundLog()
        self._is_text = order.emit is None and order.daemon.log_format != "json"

    def __call__(self, done: RoundDone) -> None:
        if self._order.emit is not None and done.rounds:
            self._order.emit(done.rounds, done.code)
        lines = self._log.write(done)
        if self._is_text:
            emit("".join(line.shown for line in lines), flushes=True)
        _log.info(
            "round ended: %s, %.2f s", done.ending, done.seconds, extra={"round": done.number}
        )
        if done.clusters is None:
            self.tidy()


def _opened(order: Order, dirty: DirtySet, answers: DaemonServer) -> GitRepository | None:
    """Open the repository, with retries until it exists. Return None on shutdown."""
    backoff = Backoff(random.random)
    is_first = True
    while not dirty.is_stopping:
        try:
            repository = order.begin()
            if not order.options.any_branch:  # another branch would only repeat this message
                require_at_start(repository)
            return repository
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            is_first, pause = False, backoff.pause()
            _log.warning("%s; next try in %s", describe(failed).line, format_pause(pause))
            answers.missing = f"not read yet: {describe(failed).line}"
            dirty.pause(pause)
    return None


class _Lines(logging.Formatter):
    """Formatter that writes one line per record, without control characters and passwords."""

    def format(self, record: logging.LogRecord) -> str:
        words = "".join(f" {key}={escape(str(it))}" for key, it in _fields(record).items())
        message = escape(without_passwords(record.getMessage()))
        line = f"{_time(record)} {record.levelname}{words} {message}"
        return f"{line}\n{self._traceback(record)}" if _shows(record) else line

    def _traceback(self, record: logging.LogRecord) -> str:
        return without_passwords(self.formatException(record.exc_info)) if record.exc_info else ""


class _Json(_Lines):
    def format(self, record: logging.LogRecord) -> str:
        document = {"time": _time(record), "level": record.levelname.lower(), **_fields(record)}
        document["message"] = escape(without_passwords(record.getMessage()))
        if _shows(record):
            document["traceback"] = self._traceback(record)
        return json.dumps(document)


def start_log(form: str) -> None:
    """Configure the log of the daemon. With `--debug`, it includes debug records of all code."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Json() if form == "json" else _Lines())
    logging.basicConfig(level=logging.getLogger().level, handlers=[handler], force=True)
    own = logging.getLogger("reconciler")
    if own.getEffectiveLevel() > logging.INFO:
        own.setLevel(logging.INFO)


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the fields of a log line. Lines during a run have the fields of that run."""
    found = {name: getattr(record, name) for name in _LOG_FIELDS if hasattr(record, name)}
    number = current_round()
    return found if number is None else {"round": number, **found}


def _shows(record: logging.LogRecord) -> bool:
    """Report whether a record shows its traceback, which needs `--debug`."""
    return bool(record.exc_info) and logging.getLogger().isEnabledFor(logging.DEBUG)


def _time(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"


@dataclass(slots=True)
class ShutdownSignals:
    """Shutdown by signals: the first one requests the end, the next one interrupts running work.

    Attributes:
        stop: Starts no more work. Called in its own thread, because a handler must not take a lock.
        release: Releases resources, even if the work is interrupted.
        leave: Ends the process with a code, regardless of running work.
        code: The exit code, also of work that ends while it is interrupted.
    """

    stop: Callable[[], None]
    release: Callable[[], None]
    sleep: Callable[[float], None] = time.sleep
    leave: Callable[[int], object] = os._exit
    # Not `threading`, whose locks the interrupted code can hold.
    begin: Callable[[Callable[[], None]], object] = lambda work: _thread.start_new_thread(work, ())
    code: int = 0
    _received: list[int] = field(default_factory=list)

    def receive(self, number: int) -> None:
        """Handle a signal."""
        self._received.append(number)
        if len(self._received) > 1:
            self.code = 128 + number
            self.begin(self._cut)
        else:
            self.begin(self.stop)
            self.begin(self._cut_later)

    def _cut_later(self) -> None:
        """Interrupt running work after a delay. The next start continues every step."""
        self.sleep(GRACE_SECONDS)
        self._cut()

    def _cut(self) -> None:
        with suppress(Exception):
            processes.end_all()
        with suppress(Exception):
            self.release()
        self.leave(self.code)


@contextmanager
def handling(shutdown: ShutdownSignals) -> Iterator[None]:
    """Handle termination signals this way while the block runs."""

    def handle(number: int, frame: object) -> None:
        del frame
        shutdown.receive(number)

    if threading.current_thread() is not threading.main_thread():  # only in tests
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
