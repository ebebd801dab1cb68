"""`reconcile --watch`: its options, the daemon, its HTTP answers, its log, and its end."""

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
from typing import Any
from uuid import uuid4

import click
from msgspec import Struct

from reconciler.apply.targets import ApplyOptions
from reconciler.cli import options
from reconciler.cli.cluster_options import require_clusters, require_reach
from reconciler.cli.entry import describe, without_passwords
from reconciler.cli.options import Decorator, gathered, option, parse_seconds
from reconciler.cli.output import emit
from reconciler.cli.report import served_page
from reconciler.daemon import http
from reconciler.daemon.dirty import ALL, GIT, Backoff, DirtySet, format_pause
from reconciler.daemon.lease import Elector
from reconciler.daemon.log import ROUND, RoundLog
from reconciler.daemon.loop import Daemon
from reconciler.daemon.metrics import Metering, Registry
from reconciler.daemon.observer import HealthAnswer, HealthState, Observer, RoundDone
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.watch import BranchWatch, Watches
from reconciler.daemon.work import DaemonRounds
from reconciler.documents.text import escape
from reconciler.gitio import process
from reconciler.gitio.remotes import branch_head
from reconciler.gitio.repository import Repository
from reconciler.kube.clusters import KubeClusters
from reconciler.model.errors import UsageError
from reconciler.model.metric import Sample
from reconciler.reconcile.branch import is_in_history, require_at_start
from reconciler.reconcile.reconcile import ReconcileOptions, Round
from reconciler.report.metrics import EXPIRY, READY, catalogue

GRACE_SECONDS = 20.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_REMOTE_SECONDS = 15
"""Default seconds between two polls of a remote."""
_LOCAL_SECONDS = 0.2
"""Seconds between two polls of a repository without a remote."""
_STACK_BYTES = 512 * 1024
"""Stack per thread. Each watch has a thread."""
_LOG_FIELDS = ("round", "cluster", "claim", "watch", "code", "file")

_FILE = click.Path(dir_okay=False, path_type=Path)
_MAX_PORT = 65_535

_log = logging.getLogger(__name__)


class DaemonOptions(Struct, frozen=True):
    """Options of a daemon. The certificate is a pair of PEM files: certificate and key."""

    resync: int
    elects: bool = False
    log_format: str = "text"
    address: tuple[str, int] | None = None
    certificate: tuple[Path, Path] | None = None
    secret: Path | None = None


def _daemon_options(
    watch: bool,
    resync: str | None,
    leader_elect: bool,
    log_format: str | None,
    listen: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    hook_secret_file: Path | None,
) -> DaemonOptions | None:
    if (tls_cert is None) != (tls_key is None):
        raise UsageError("--tls-cert and --tls-key need each other", "pass both, or neither")
    if listen is None and (tls_cert is not None or hook_secret_file is not None):
        message = "--tls-cert and --hook-secret-file need --listen"
        raise UsageError(message, "add --listen 127.0.0.1:8080")
    if listen is not None:
        require_clusters("--listen")
    address = parse_address(listen) if listen is not None else None
    if not watch:
        names = ("--resync", "--leader-elect", "--log-format", "--listen")
        for name, value in zip(names, (resync, leader_elect, log_format, listen), strict=True):
            if value:
                hint = "add --watch, or use --metrics-file PATH" if name == "--listen" else ""
                raise UsageError(f"{name} needs --watch", hint)
        return None
    pair = (tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    seconds = parse_seconds("--resync", resync or "10m")
    form = log_format or "text"
    return DaemonOptions(seconds, leader_elect, form, address, pair, hook_secret_file)


daemon_options: Decorator[Any] = gathered(
    "daemon",
    _daemon_options,
    option("--watch", is_flag=True, help="Keep running, and react to Git and clusters."),
    option(
        "--resync",
        metavar="DURATION",
        help="With --watch: read everything again at this interval.  [10m]",
    ),
    option("--leader-elect", is_flag=True, help="With --watch: run only while holding the Lease."),
    option(
        "--log-format",
        type=click.Choice(["text", "json"]),
        help="With --watch: log format. json leaves stdout empty.  [text]",
    ),
    option(
        "--listen", metavar="HOST:PORT", help="Serve metrics, health, the report, and the webhook."
    ),
    option("--tls-cert", type=_FILE, help="Serve HTTPS with this certificate (PEM)."),
    option("--tls-key", type=_FILE, help="Use this key with --tls-cert."),
    option(
        "--hook-secret-file",
        type=_FILE,
        help="Accept webhooks (POST /hook) signed with this secret.",
    ),
)
"""Adds the options, and passes them as `daemon`, or None without `--watch`."""


def are_asked(reach: KubeClusters, *, applies: bool, watches: bool) -> bool:
    """Report whether a reconcile reads clusters: without an apply, only those that are named."""
    if watches and not applies and reach.is_named_by_person:
        message = "--watch with --no-apply cannot watch the clusters that the options name"
        hint = "omit --no-apply, use --interval in place of --watch, or name no cluster"
        raise UsageError(message, hint)
    is_asked = reach.is_named if applies else reach.is_named_by_person
    if is_asked:
        require_reach()
    return is_asked


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of `127.0.0.1:8080`, `[::1]:8080`, or `:8080` (all IPv4 addresses)."""
    host, colon, port = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    bare = host[1:-1] if is_bracketed else host
    is_port = port.isascii() and port.isdigit() and len(port) <= len(str(_MAX_PORT))
    if not colon or not is_port or int(port) > _MAX_PORT or (":" in bare) != is_bracketed:
        raise UsageError(f"--listen {text!r} is not HOST:PORT", "write 127.0.0.1:8080 or [::]:8080")
    return bare, int(port)


class Order(Struct, frozen=True):
    """Work of a daemon. `emit` writes runs as documents, and is None for text."""

    begin: Callable[[], Repository]
    options: ReconcileOptions
    reach: KubeClusters | None
    wanted: ApplyOptions
    daemon: DaemonOptions
    interval: int | None
    applies: bool
    emit: Callable[[Sequence[Round], int], None] | None


@dataclass(slots=True)
class _DaemonServer:
    dirty: DirtySet
    health: HealthState
    page: Callable[[], http.Page | str] = lambda: http.UNREAD


def begin_metering(
    ready: Callable[[], HealthAnswer], certificate: http.Certificate | None = None
) -> tuple[Registry, Observer]:
    """Return a registry with all metrics, and the observer that feeds it."""

    def of_server() -> Iterator[Sample]:
        yield Sample(READY, (), int(ready().is_well))
        if certificate is not None and (expires := certificate.expires()) is not None:
            yield Sample(EXPIRY, (), expires)

    registry = Registry(catalogue())
    registry.ask("server", of_server)
    return registry, Metering(registry, time.time)


def run_daemon(order: Order) -> int:
    """Run until a signal. The server starts first, to report a repository that is missing."""
    if order.daemon.elects and (order.reach is None or order.reach.management() is None):
        raise UsageError("--leader-elect needs a management cluster", "--kubeconfig PATH")
    daemon, dirty = order.daemon, DirtySet(float(order.daemon.resync))
    answers = _DaemonServer(dirty, HealthState(dirty.time.monotonic, dirty.resync))
    if daemon.address is None:
        return _run(order, Observer(), answers)
    certificate = http.Certificate(*daemon.certificate) if daemon.certificate else None
    registry, observer = begin_metering(answers.health.ready, certificate)
    secret = partial(http.read_secret, daemon.secret) if daemon.secret is not None else None
    if secret is not None:
        secret()
    endpoints = http.Endpoints(
        *(registry.text, lambda: HealthAnswer(answers.health.healthy()), answers.health.ready),
        *(partial(dirty.mark, GIT, "hook"), secret, lambda: answers.page()),
    )
    server = http.Server(daemon.address, endpoints, certificate)
    try:
        return _run(order, observer, answers)
    finally:
        server.close()


def _run(order: Order, observer: Observer, answers: _DaemonServer) -> int:
    start_log(order.daemon.log_format)
    threading.stack_size(_STACK_BYTES)
    dirty = answers.dirty
    clusters = RoundClusters(order.reach) if order.reach is not None else None
    elector = None
    if order.daemon.elects and clusters is not None:
        identity = f"{socket.gethostname()}_{os.getpid()}_{uuid4().hex[:8]}"
        elector = Elector(clusters.clusters.management, identity, dirty, dirty.wake)
    shutdown = ShutdownSignals(dirty.stop, elector.release if elector is not None else lambda: None)
    with handling(shutdown):
        repository = _opened(order, answers)
        if repository is not None:
            _daemon(order, repository, clusters, elector, observer, answers).run()
    if elector is not None:
        elector.release()
    _log.info("ended")
    return shutdown.code


def _daemon(
    order: Order,
    repository: Repository,
    clusters: RoundClusters | None,
    elector: Elector | None,
    observer: Observer,
    answers: _DaemonServer,
) -> Daemon:
    dirty = answers.dirty
    watches = Watches(clusters, dirty, observer, _spawn, random.random)
    work = DaemonRounds(
        repository,
        partial(is_in_history, repository),
        order.options,
        clusters,
        order.wanted,
        applies=order.applies,
        now=options.now,
        deleted=watches.deleted_uids,
    )
    health = answers.health
    if elector is not None:
        health.leader, health.refusal = elector.leader, elector.failure
    writer = _round_writer(order, repository.tidy)
    daemon = Daemon(work, watches, dirty, health, observer, writer, random.random, clusters)
    every = order.interval or (_REMOTE_SECONDS if repository.remote is not None else _LOCAL_SECONDS)
    poll = BranchWatch(
        partial(branch_head, repository), work.head, every, dirty, random.random, health.branch
    )
    _spawn(poll.run, "branch")
    if elector is not None:
        daemon.leads = elector.leads
        _spawn(elector.run, "lease")
    else:
        dirty.mark(ALL, "start", 0.0)
    answers.page = http.CachedPage(work.revision, partial(served_page, repository))
    return daemon


def _spawn(work: Callable[[], None], name: str) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


def _round_writer(order: Order, tidy: Callable[[], None]) -> Callable[[RoundDone], None]:
    """Return a function that writes runs. With a JSON log and text output, stdout stays empty."""
    log = RoundLog()
    is_text = order.emit is None and order.daemon.log_format != "json"

    def write(done: RoundDone) -> None:
        if order.emit is not None and done.rounds:
            order.emit(done.rounds, done.code)
        lines = log.write(done)
        if is_text:
            emit("".join(line.shown for line in lines), flushes=True)
        extra = {"round": done.number}
        _log.info("round ended: %s, %.2f s", done.ending, done.seconds, extra=extra)
        if done.clusters is None:
            tidy()

    return write


def _opened(order: Order, answers: _DaemonServer) -> Repository | None:
    backoff = Backoff(random.random)
    is_first = True
    while not answers.dirty.is_stopping:
        try:
            repository = order.begin()
            if not order.options.any_branch:  # another branch would only repeat this message
                require_at_start(repository)
            answers.health.waits("not read yet")
            return repository
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            is_first, pause = False, backoff.pause()
            _log.warning("%s; next try in %s", describe(failed).line, format_pause(pause))
            answers.health.waits(f"not read yet: {describe(failed).line}")
            answers.dirty.pause(pause)
    return None


class _LogFormatter(logging.Formatter):
    def __init__(self, form: str) -> None:
        super().__init__()
        self._is_json = form == "json"

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        time = f"{at:%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"
        fields = {name: getattr(record, name) for name in _LOG_FIELDS if hasattr(record, name)}
        if (number := ROUND.get()) is not None:
            fields = {"round": number, **fields}
        message, steps = escape(without_passwords(record.getMessage())), ""
        if record.exc_info and logging.getLogger().isEnabledFor(logging.DEBUG):
            steps = without_passwords(self.formatException(record.exc_info))
        if self._is_json:
            document = {"time": time, "level": record.levelname.lower(), **fields}
            document |= {"message": message, **({"traceback": steps} if steps else {})}
            return json.dumps(document)
        words = "".join(f" {key}={escape(str(it))}" for key, it in fields.items())
        line = f"{time} {record.levelname}{words} {message}"
        return f"{line}\n{steps}" if steps else line


def start_log(form: str) -> None:
    """Configure the log of the daemon. With `--debug`, it includes debug records of all code."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_LogFormatter(form))
    logging.basicConfig(level=logging.getLogger().level, handlers=[handler], force=True)
    own = logging.getLogger("reconciler")
    if own.getEffectiveLevel() > logging.INFO:
        own.setLevel(logging.INFO)


@dataclass(slots=True)
class ShutdownSignals:
    """The first signal requests the end, the next one interrupts running work."""

    stop: Callable[[], None]  # in its own thread, because a handler must not take a lock
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
            process.end_all()
        with suppress(Exception):
            self.release()
        self.leave(self.code)


@contextmanager
def handling(shutdown: ShutdownSignals) -> Iterator[None]:
    """Handle termination signals this way while the block runs."""

    def handle(number: int, frame: object) -> None:
        del frame
        shutdown.receive(number)

    is_main = threading.current_thread() is threading.main_thread()  # except in tests
    before = {number: signal.getsignal(number) for number in _SIGNALS if is_main}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
