"""A round: the functions of a single run, limited to the dirty clusters."""

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import floor

from msgspec.structs import replace

from reconciler.apply.elastic import StatusMessage
from reconciler.apply.fleet import Scope
from reconciler.apply.growth import all_growers
from reconciler.apply.targets import ApplyOptions, round_inputs
from reconciler.daemon.dirty import GIT, Dirty
from reconciler.daemon.reach import RoundClusters
from reconciler.gitio.repository import Repository
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import BugError
from reconciler.model.objects import MANAGEMENT, Ref
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.retention import next_due
from reconciler.reconcile.discovery import Looked, LookOptions, ObservingRun, whole_of
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, Round, reconcile, rounds

LATE = 0.05
"""Seconds added to timers, because API servers report whole seconds."""


@dataclass
class DaemonRounds:
    """The rounds of one process; `now` is None for a fixed time, `looked` if Git failed."""

    repository: Repository
    is_in: Callable[[str, str], bool]
    options: ReconcileOptions
    clusters: RoundClusters | None
    apply_options: ApplyOptions
    applies: bool = True
    now: Callable[[], float] | None = time.time
    deleted: Callable[[], frozenset[str]] = frozenset
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    bugs: list[BugError] = field(default_factory=list)
    looked: Looked | None = None
    unasked: dict[str, str] = field(default_factory=dict)
    short: set[str] = field(default_factory=set)  # the last read failed, or found too few addresses
    newest: Evaluation | None = None  # after the last round
    _whole: Callable[[str], Evaluation] = field(init=False)
    _done: Reconciled | None = None
    _run: ObservingRun | None = None
    _base: str = ""
    _asked: Container[str] | None = None
    _applied: Mapping[str, object] | None = None
    _words: dict[Ref, tuple[StatusMessage, ...]] = field(default_factory=dict)
    _written: Mapping[Ref, tuple[StatusMessage, ...]] = field(default_factory=dict)
    _pending: dict[str, float] = field(default_factory=dict)
    _served: list[tuple[str, float]] = field(default_factory=list)
    _looked_at: float = 0.0

    def __post_init__(self) -> None:
        self._whole = whole_of(self.repository)

    def head(self) -> str:
        """Return the revision of the last round; empty before the first. Any thread may call."""
        return self._done.head.id if self._done is not None else ""

    def revision(self) -> str:
        """Return the newest revision that was read; empty before the first. Any thread may call."""
        return (self.newest.tree.revision or "") if self.newest is not None else ""

    def rounds(self, dirty: Dirty) -> Iterator[Round]:
        """Plan, commit, and apply; twice if the commit released addresses that are free at once."""
        self.bugs.clear()
        self.looked = None
        if self.clusters is not None:
            self.clusters.begin(dirty.clusters)
        most = 1 if self.clusters is None or not self.applies else 2
        return rounds(
            partial(self._reconcile, dirty), partial(self._apply, dirty), most, self._take_served
        )

    def timers(self) -> Iterator[tuple[str, str, float]]:
        """Return the marks that the last round needs: cluster, reason, and seconds until then."""
        if self.now is None or self.newest is None:
            return
        now = self.now()
        due = next_due(self.newest.state, int(now))
        if due is not None:
            yield GIT, "due", due - now
        past = now - self._looked_at
        for name, seconds in (self.looked.again if self.looked is not None else {}).items():
            yield name, "growth", max(seconds - past, 0.0) + LATE
        missing = self._run.missing if self._run and self.applies else None
        if missing is not None:
            yield MANAGEMENT, "intake", max(missing - past, 0.0) + LATE

    def _reconcile(self, dirty: Dirty) -> Reconciled:
        options = replace(self.options, now=self.now)
        clusters = self.clusters
        if clusters is None:
            self._done = reconcile(self.repository, options, self.sleep)
            self.newest = self._whole(self._done.head.id)
            return self._done
        # API servers report whole seconds, so timers begin at a whole second.
        self._looked_at = floor(self.now()) if self.now is not None else 0
        look = LookOptions(
            self.apply_options,
            self.applies,
            only=partial(self._to_look, dirty),
            deleted=self.deleted(),
        )
        self._asked = ()  # a revision with invalid Settings is planned without observing clusters
        self._run = run = ObservingRun(
            self.repository, self._whole, clusters, look, self.now, self.bugs
        )
        self._done = run.reconcile(options, self.sleep)
        self._note(run.looked, dirty.since)
        return self._done

    def _to_look(self, dirty: Dirty, evaluation: Evaluation) -> Container[str] | None:
        self._asked = None
        if dirty.clusters is not None and self._applied is not None:
            now = round_inputs(evaluation, self.apply_options.default_port)
            found = dirty.clusters | self._changed(now)
            if evaluation.tree.revision != self._base:
                found |= self.short  # another commit may have freed addresses
            self._asked = found
        self._base = evaluation.tree.revision or ""
        return self._asked

    def _changed(self, now: Mapping[str, object]) -> frozenset[str]:
        before = self._applied or {}
        return frozenset(it for it in {*now, *before} if now.get(it) != before.get(it))

    def _note(self, looked: Looked, since: float) -> None:
        self.looked = looked
        evaluation = self.newest = self._whole(self.head())
        every = [*all_growers(evaluation)]
        growers = dict.fromkeys(item.cluster for item in every)
        asked = self._asked
        for name in growers if asked is None else [it for it in growers if it in asked]:
            self.unasked.pop(name, None)
            self.short.discard(name)
        self.unasked |= looked.unasked
        self.short |= looked.unasked.keys()
        for name, figures in looked.figures.items():
            if figures.blocked:
                self.short.add(name)
            if figures.need > figures.blocked:
                self._pending.setdefault(name, since)
            elif not (figures.pending and figures.in_flight):
                self._pending.pop(name, None)
        refs = {item.ref for item in every}
        words = {**self._words, **looked.words}
        self._words = {ref: it for ref, it in words.items() if ref in refs}
        self.short &= growers.keys()
        self.unasked = {name: why for name, why in self.unasked.items() if name in growers}

    def _apply(self, dirty: Dirty, done: Reconciled) -> Sequence[Applied] | None:
        run = self._run
        if self.clusters is None or not self.applies or run is None:
            return None
        held = self.clusters.held()
        if MANAGEMENT in held:
            self._applied = None  # every cluster is applied to when it answers again
            why = "the management cluster does not answer"
            return [Applied(MANAGEMENT, ClusterState.UNREACHABLE, error=why)]
        evaluation = self._whole(done.head.id)
        now = round_inputs(evaluation, self.apply_options.default_port)
        names = None
        if dirty.clusters is not None and self._applied is not None:
            names = dirty.clusters | self._changed(now)
            names |= {MANAGEMENT} if self._messages() != self._written else set()
        if names is not None and not names - held.keys():
            self._applied = now
            run.remember()
            return []
        applied = run.apply(done.head.id, self.is_in, Scope(names, self._words, without=held))
        self._count_served(applied)
        own = next((item for item in applied if item.cluster == MANAGEMENT), None)
        if own is not None and not own.is_failed:
            self._written = self._messages()
        self._applied = None if own is not None and not own.uid else now
        return applied

    def _messages(self) -> Mapping[Ref, tuple[StatusMessage, ...]]:
        return {ref: words for ref, words in self._words.items() if words}

    def _count_served(self, applied: Iterable[Applied]) -> None:
        for item in applied:
            if not item.is_failed and item.cluster in self._pending:
                waited = self.monotonic() - self._pending.pop(item.cluster)
                self._served.append((item.cluster, waited))

    def _take_served(self) -> Sequence[tuple[str, float]]:
        taken, self._served = self._served, []
        return taken
