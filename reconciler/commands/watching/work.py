"""What a round does: the very functions that a single run calls, restricted to what was touched."""

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reconciler.clusters.elastic.model import Figures
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.commands.applying.extent import Extent
from reconciler.commands.applying.fleet import apply_fleet
from reconciler.commands.applying.intake import copied_uids
from reconciler.commands.applying.targets import Standing, standing
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.looking.elastic import LookOptions
from reconciler.commands.looking.run import Asking, LookingRun, Newest
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.commands.rounds import Round, rounds
from reconciler.commands.watching.events import Cause, Event, Scope
from reconciler.commands.watching.notes import uid_of
from reconciler.commands.watching.witness import Witness
from reconciler.engine.due import due_instants
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Manifest
from reconciler.ports import BugError, Clusters, Facts, Repository, Revision

LATE = 0.01
"""Seconds by which a cluster is looked at late: a trace too early, and it would have to be again."""


@dataclass(frozen=True, slots=True)
class Site:
    """What is worked on.

    Attributes:
        is_in: Whether a revision is contained in another.
        facts: Opens the cache.
        clusters: How clusters are reached; None when none is named.
        looking: The same, for looks.
        applies: Whether they are applied to.
        now: This machine's clock.
        witness: What watches saw.
        looked_at: Told of the branch as it was read whole, in each round; it raises nothing.
        demand_seen: Told what a cluster that was looked at asks for; it raises nothing.
        growth_served: Told after how many seconds that was applied; it raises nothing.
        monotonic: The clock that rounds are measured by.
    """

    repository: Repository
    is_in: Callable[[str, str], bool]
    facts: Callable[[], Facts]
    options: ReconcileOptions
    clusters: Clusters | None
    wish: ApplyOptions
    applies: bool = True
    looking: Clusters | None = None
    now: Callable[[], float] | None = time.time
    witness: Witness = field(default_factory=Witness)
    looked_at: Callable[[Evaluation], None] = lambda _evaluation: None
    demand_seen: Callable[[str, Figures], None] = lambda _cluster, _asked: None
    growth_served: Callable[[str, float], None] = lambda _cluster, _seconds: None
    monotonic: Callable[[], float] = time.monotonic


class _But(Container[str]):
    """All clusters but some, or some but those."""

    def __init__(self, names: frozenset[str] | None, without: frozenset[str]) -> None:
        self._names = names
        self._without = without

    def __contains__(self, name: object) -> bool:
        is_meant = self._names is None or name in self._names
        return is_meant and name not in self._without


@dataclass
class Work:
    """The rounds of one process: what they did is where the next ones begin.

    Attributes:
        bugs: Those that were met in the last round while clusters were asked.
    """

    site: Site
    bugs: list[BugError] = field(default_factory=list)
    _done: Reconciled | None = None
    _whole: Newest = field(init=False)
    _standing: Standing | None = None
    _run: LookingRun | None = None
    _pending: dict[str, float] = field(default_factory=dict)
    _looked_at: float = 0.0
    _deleted: tuple[Manifest, ...] = ()

    def __post_init__(self) -> None:
        self._whole = Newest(self.site.repository, lambda: self.site.facts())

    def head(self) -> str:
        """The revision that was fetched or published last; empty before the first."""
        done = self._done
        return done.head.id if done is not None else ""

    def rounds(self, scope: Scope, down: frozenset[str]) -> Iterator[Round]:
        """Git, where it is touched, and clusters; once more when addresses come free at once.

        Args:
            scope: What is touched.
            down: Clusters that do not answer: nobody waits for them.
        """
        self.bugs.clear()
        most = 1 if self.site.clusters is None or not self.site.applies or not scope.plans else 2
        return rounds(partial(self._git, scope), partial(self._clusters, scope, down), most)

    def evaluation(self) -> Evaluation | None:
        """What was last planned."""
        return self._done.evaluation if self._done is not None else None

    def later(self) -> Iterator[tuple[Event, float]]:
        """What comes by itself after the last round, each with the seconds until then."""
        now, done = self.site.now, self._done
        if now is None or done is None:
            return
        at = now()
        due = [it for it in due_instants(self._at(done.head).state) if it > at]
        if due:
            yield Event(Cause.DUE), min(due) - at
        past = self.site.monotonic() - self._looked_at
        for name, seconds in (self._run.looker.looked.again if self._run else {}).items():
            yield Event(Cause.SERVICES, name), max(seconds - past, 0.0) + LATE

    def _git(self, scope: Scope) -> Reconciled:
        site, before = self.site, self._done
        self._run = None
        if before is not None and not scope.plans:
            head = before.head
            return Reconciled(head, None, 1, self._at(head), exit_code(self._at(head)))
        options = replace(site.options, now=site.now)
        if site.clusters is None:
            self._done = reconcile(site.repository, options, facts=site.facts())
            return self._done
        self._run = run = self._begun(site.clusters, scope)
        self._done = run.reconcile(options, site.facts())
        self._seen(run.looker.looked.figures, scope)
        if run.looker.intake.at:
            self._taken_in(self._done.head)
        return self._done

    def _seen(self, figures: Mapping[str, Figures], scope: Scope) -> None:
        """Tell what clusters ask for, and keep since when they need more."""
        for name, asked in figures.items():
            self.site.demand_seen(name, asked)
            if asked.need > asked.blocked:
                self._pending.setdefault(name, scope.since)

    def _taken_in(self, head: Revision) -> None:
        """Forget what went, as far as Git has no copy of it any more: a look took it in."""
        if self._deleted:
            copied = copied_uids(self._whole(head.id))
            gone = (uid for item in self._deleted if (uid := uid_of(item)) not in copied)
            self.site.witness.settled(gone)

    def _served(self, applied: Iterable[Applied]) -> None:
        """Tell after how long clusters have what they asked for."""
        for item in applied:
            if not item.is_failed and item.cluster in self._pending:
                since = self._pending.pop(item.cluster)
                self.site.growth_served(item.cluster, self.site.monotonic() - since)

    def _begun(self, clusters: Clusters, scope: Scope) -> LookingRun:
        site = self.site
        self._looked_at, self._deleted = site.monotonic(), site.witness.deleted()
        asked = LookOptions(
            site.wish,
            writes=site.applies,
            waited=site.witness.waited(),
            only=scope.asked,
            deleted=self._deleted,
        )
        looking = site.looking or clusters
        return LookingRun(
            Asking(self._whole, lambda: clusters, lambda: looking, asked, site.now, self.bugs)
        )

    def _clusters(
        self, scope: Scope, down: frozenset[str], done: Reconciled
    ) -> Sequence[Applied] | None:
        site = self.site
        if site.clusters is None or not site.applies:
            return None
        evaluation = self._at(done.head)
        now = standing(evaluation, site.wish.default_port)
        changed = now.touched(self._standing)
        is_whole = scope.clusters is None or changed is None
        names = None if is_whole else frozenset({*(scope.clusters or ()), *(changed or ())})
        if MANAGEMENT in down:
            # Nothing can be done without it. When it answers again, it is as at the start.
            self._standing = None
            return []
        if names is not None and not names - down:
            self._standing = now
            return []
        meant = _But(names, down)
        if self._run is not None:
            applied = self._run.apply(done.head.id, site.is_in, meant)
        else:  # nothing was looked at: what was last planned is applied
            applied = apply_fleet(evaluation, site.clusters, site.wish, site.is_in, Extent(meant))
        self._served(applied)
        is_away = any(item.cluster == MANAGEMENT and not item.uid for item in applied)
        self._standing = None if is_away else now
        return applied

    def _at(self, head: Revision) -> Evaluation:
        """The revision as it stands; it follows from its id alone, and is read once."""
        found = self._whole(head.id)
        self.site.looked_at(found)
        return found
