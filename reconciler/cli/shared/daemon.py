"""`reconcile --watch`: the daemon, wired to this machine."""

import logging
import os
import random
import socket
import threading
from collections.abc import Callable, Sequence
from typing import ParamSpec
from uuid import uuid4

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.where import BranchHead
from reconciler.adapters.memory import drop_waste, give_back, keep_little
from reconciler.cli.shared import clock, logs, streams
from reconciler.cli.shared.cluster_options import Reach
from reconciler.cli.shared.ending import Ending, ending
from reconciler.cli.shared.failures import told
from reconciler.cli.shared.output import emit
from reconciler.cli.shared.watch_options import Watch
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.reconcile import ReconcileOptions
from reconciler.commands.rounds import Round
from reconciler.commands.watching.backoff import Backoff, spelled
from reconciler.commands.watching.branch import BranchWatch
from reconciler.commands.watching.daemon import Daemon
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.health import Health
from reconciler.commands.watching.inbox import Inbox
from reconciler.commands.watching.lease import Elector
from reconciler.commands.watching.notes import Notes, NotingClusters
from reconciler.commands.watching.observer import Nobody, Observer, RoundDone
from reconciler.commands.watching.pace import Pace, PacedClusters
from reconciler.commands.watching.round_log import RoundLog
from reconciler.commands.watching.schedule import Schedule
from reconciler.commands.watching.watches import Watches
from reconciler.commands.watching.witness import Witness
from reconciler.commands.watching.work import Site, Work
from reconciler.ports import Clusters, UsageError

INTERVAL = 15
"""Seconds between two looks at a remote, when nobody says."""
LOCAL_SECONDS = 0.2
"""Between two looks at a repository that is the truth itself."""
STACK = 512 * 1024
"""Bytes of stack for each thread: there is one for each watch, and none goes deep."""

P = ParamSpec("P")
_log = logging.getLogger(__name__)


class Order(Struct, frozen=True):
    """What a daemon is asked to do.

    Attributes:
        begin: Opens the repository; may fail until it is there.
        reach: The clusters; None when none is named.
        interval: Seconds between two looks at the remote.
        emit: Gives out a round for machines; None for text.
        observer: Is told what happens.
        missing: Is told why the repository is not there yet, after each try.
    """

    begin: Callable[[], GitRepository]
    options: ReconcileOptions
    reach: Reach | None
    wish: ApplyOptions
    watch: Watch
    interval: int | None
    applies: bool = True
    emit: Callable[[Sequence[Round], int], None] | None = None
    observer: Observer = field(default_factory=Nobody)
    missing: Callable[[str], None] = lambda _why: None


class Running(Struct, frozen=True):
    """A daemon that is about to run, for those who serve it by HTTP: its seams.

    Attributes:
        hook: Somebody says that the branch moved.
        repository: What is read and written.
        revision: The newest that was read whole; empty before the first.
    """

    daemon: Daemon
    health: Health
    inbox: Inbox
    repository: GitRepository
    revision: Callable[[], str]

    def hook(self) -> None:
        """Look at the branch now."""
        self.inbox.put(Event(Cause.HOOK))


def run_daemon(order: Order, serve: Callable[[Running], None] = lambda _running: None) -> int:
    """Run until a signal asks for the end; the exit code.

    Args:
        order: What it is asked to do.
        serve: Begins to serve, in threads of its own.
    """
    if order.watch.elects and order.reach is None:
        raise UsageError("--leader-elect needs a management cluster", "--kubeconfig PATH")
    logs.start(order.watch.log_format)
    threading.stack_size(STACK)
    keep_little()
    inbox = Inbox()
    clusters = order.reach.open() if order.reach is not None else None
    elector = _elector(clusters, inbox) if order.watch.elects and clusters is not None else None
    ways = Ending(inbox.stop, elector.release if elector is not None else _nothing)
    with ending(ways):
        repository = _opened(order, inbox)
        if repository is not None:
            _made(order, repository, clusters, elector, inbox, serve).run()
    if elector is not None:
        elector.release()
    _log.info("ended")
    return ways.code


def _made(
    order: Order,
    repository: GitRepository,
    clusters: Clusters | None,
    elector: Elector | None,
    inbox: Inbox,
    serve: Callable[[Running], None],
) -> Daemon:
    """The daemon, all of whose threads run."""
    notes, witness, chance = Notes(), Witness(inbox.time.monotonic), random.random
    pace = Pace(inbox.time.monotonic, chance)
    if order.reach is not None:
        pace.timeout = order.reach.timeout_seconds
    paced = None if clusters is None else PacedClusters(clusters, pace)
    noting = None if paced is None else NotingClusters(paced, notes)
    wish = replace(order.wish, root=repository.git.root.path)
    site = Site(
        *(repository, repository.is_in, order.options, noting, wish),
        applies=order.applies,
        looking=None if paced is None else NotingClusters(paced, notes, looks=True),
        now=clock.now,
        witness=witness,
        looked_at=_guarded(order.observer.looked_at),
        looked=_guarded(order.observer.looked),
        demand_seen=_guarded(order.observer.demand_seen),
        growth_served=_guarded(order.observer.growth_served),
        monotonic=inbox.time.monotonic,
        chance=chance,
    )
    work, resync = Work(site), float(order.watch.resync)
    leads = elector.leads if elector is not None else _always
    health = Health(inbox.time.monotonic, resync)
    if elector is not None:
        health.leader, health.refusal = elector.leader, elector.failure
    daemon = Daemon(
        work,
        Watches(clusters, notes, inbox, order.observer, spawn, chance, witness),
        inbox,
        Schedule(resync),
        health,
        order.observer,
        Teller(order, repository.tidy),
        chance,
        work.later,
        leads,
        pace,
    )
    every = order.interval or (INTERVAL if repository.remote is not None else LOCAL_SECONDS)
    look = BranchWatch(BranchHead(repository), work.head, every, inbox, chance, health.branch)
    spawn(look.run, "branch")
    if elector is not None:
        spawn(elector.run, "lease")
    else:
        inbox.put(Event(Cause.START))
    serve(Running(daemon, health, inbox, repository, work.read))
    return daemon


def _elector(clusters: Clusters, inbox: Inbox) -> Elector:
    identity = f"{socket.gethostname()}_{os.getpid()}_{uuid4().hex[:8]}"
    return Elector(clusters.management, identity, inbox, inbox.wake)


def spawn(work: Callable[[], None], name: str) -> None:
    """A thread that ends with the process, whatever it waits for."""
    threading.Thread(target=work, name=name, daemon=True).start()


def _guarded(told: Callable[P, None]) -> Callable[P, None]:
    """Tell an observer. What befalls it is no matter of the round."""

    def tell(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            told(*args, **kwargs)
        except Exception:  # noqa: BLE001 - it only looks on
            _log.warning("a bug of an observer", exc_info=True)

    return tell


def _nothing() -> None:
    """Nothing is given back."""


def _always() -> bool:
    return True


class Teller:
    """Gives out what rounds did: into the log, and on stdout a document for each, or the same lines.

    A log of JSON has them all, and may share its file with stdout: then stdout stays empty.
    """

    def __init__(self, order: Order, tidy: Callable[[], None]) -> None:
        """Nothing was told yet; `tidy` is called after each round over everything."""
        self._order = order
        self._tidy = tidy
        self._log = RoundLog()
        self._is_text = order.emit is None and order.watch.log_format != "json"

    def __call__(self, done: RoundDone) -> None:
        """Give out a round, and let go of what it has left in memory."""
        if self._order.emit is not None and done.rounds:
            self._order.emit(done.rounds, done.code)
        told = self._log.tell(done)
        if self._is_text:
            emit("".join(line.shown for line in told))
            streams.flush()
        _log.info(
            "round ended: %s, %.2f s", done.ending, done.seconds, extra={"round": done.number}
        )
        if done.clusters is None:
            self._tidy()
            give_back()
        else:
            drop_waste()


def _opened(order: Order, inbox: Inbox) -> GitRepository | None:
    """The repository, as soon as it is there; None when the end came first."""
    backoff = Backoff(random.random)
    is_first = True
    while not inbox.is_stopping:
        try:
            return order.begin()
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            is_first, pause = False, backoff.pause()
            _log.warning("%s; next try in %s", told(failed).line, spelled(pause))
            order.missing(told(failed).line)
            inbox.pause(pause)
    return None
