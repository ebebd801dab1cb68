"""What a round does: the very functions that a single run calls, restricted to what was touched."""

import random
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from reconciler.clusters.elastic.model import Figures, Word
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied, State
from reconciler.commands.applying.extent import Extent
from reconciler.commands.applying.fleet import apply_fleet
from reconciler.commands.applying.intake import copied_uids
from reconciler.commands.applying.targets import Standing, standing
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.looking.elastic import LookOptions
from reconciler.commands.looking.run import Asking, LookingRun, Newest
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.commands.rounds import Round, rounds
from reconciler.commands.watching.attention import LATE, Attention
from reconciler.commands.watching.events import Cause, Event, Scope
from reconciler.commands.watching.notes import uid_of
from reconciler.commands.watching.silent import SILENT, Answering
from reconciler.commands.watching.witness import Witness
from reconciler.engine.due import next_due
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import BugError, Clusters, Repository, Revision


class Site(Struct, frozen=True):
    """What is worked on.

    Attributes:
        is_in: Whether a revision is contained in another.
        clusters: How clusters are reached; None when none is named.
        looking: The same, for looks.
        applies: Whether they are applied to.
        now: This machine's clock.
        witness: What watches saw.
        looked_at: Told of the branch as it was read whole, in each round; it raises nothing.
        looked: Told after each look who could not be asked when they were looked at last, and
            why; and who of them did not let themselves be asked. It raises nothing.
        demand_seen: Told what a cluster that was looked at asks for; it raises nothing.
        growth_served: Told after how many seconds that was applied; it raises nothing.
        monotonic: The clock that rounds are measured by.
        sleep: Waits before a race that was lost is run again.
        chance: Gives a number in [0, 1).
    """

    repository: Repository
    is_in: Callable[[str, str], bool]
    options: ReconcileOptions
    clusters: Clusters | None
    wish: ApplyOptions
    applies: bool = True
    looking: Clusters | None = None
    now: Callable[[], float] | None = time.time
    witness: Witness = msgspec.field(default_factory=Witness)
    looked_at: Callable[[Evaluation], None] = lambda _evaluation: None
    looked: Callable[[Mapping[str, str], Set[str]], None] = lambda _unasked, _away: None
    demand_seen: Callable[[str, Figures], None] = lambda _cluster, _asked: None
    growth_served: Callable[[str, float], None] = lambda _cluster, _seconds: None
    monotonic: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


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
    _attention: Attention = field(init=False)
    _told: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    _pending: dict[str, float] = field(default_factory=dict)
    _waits: list[tuple[str, float]] = field(default_factory=list)
    _looked_at: float = 0.0
    _deleted: tuple[Manifest, ...] = ()
    _newest: str = ""

    def __post_init__(self) -> None:
        self._whole = Newest(self.site.repository)
        self._attention = Attention(self.site.monotonic, self.site.chance)

    def head(self) -> str:
        """The revision that was fetched or published last; empty before the first."""
        done = self._done
        return done.head.id if done is not None else ""

    def read(self) -> str:
        """The newest revision that was read whole; empty before the first. Any thread may ask."""
        return self._newest

    def rounds(self, scope: Scope, down: frozenset[str]) -> Iterator[Round]:
        """Git, where it is touched, and clusters; once more when addresses come free at once.

        Args:
            scope: What is touched.
            down: Clusters that do not answer: nobody waits for them.
        """
        self.bugs.clear()
        self._attention.begin(scope.asked, down)
        most = 1 if self.site.clusters is None or not self.site.applies or not scope.plans else 2
        git, clusters = partial(self._git, scope, down), partial(self._clusters, scope, down)
        return rounds(git, clusters, most, self._taken_waits)

    def evaluation(self) -> Evaluation | None:
        """What was last planned."""
        return self._done.evaluation if self._done is not None else None

    def later(self) -> Iterator[tuple[Event, float]]:
        """What comes by itself after the last round, each with the seconds until then."""
        now, done = self.site.now, self._done
        if now is None or done is None:
            return
        at = now()
        due = next_due(self._at(done.head).state, int(at))
        if due is not None:
            yield Event(Cause.DUE), due - at
        for name, seconds in self._attention.again():
            yield Event(Cause.AGAIN, name), seconds
        missing = self._run.looker.missing if self._run and self.site.applies else None
        if missing is not None:
            past = self.site.monotonic() - self._looked_at
            yield Event(Cause.INTAKE, MANAGEMENT), max(missing - past, 0.0) + LATE

    def _git(self, scope: Scope, down: frozenset[str]) -> Reconciled:
        site, before = self.site, self._done
        self._run = None
        if before is not None and not scope.plans:
            head = before.head
            return Reconciled(head, None, 1, self._at(head), exit_code(self._at(head)))
        options = replace(site.options, now=site.now)
        if site.clusters is None:
            self._done = reconcile(site.repository, options, site.sleep)
            return self._done
        self._run = run = self._begun(site.clusters, scope, down)
        self._done = run.reconcile(options, site.sleep)
        self._seen(run.looker.looked.figures, scope)
        found = self._whole(self._done.head.id)
        self._attention.looked(run.looker.looked, found, self._looked_at)
        site.looked(dict(self._attention.unasked), self._attention.away)
        if run.looker.intake.at:
            self._taken_in(self._done.head)
        return self._done

    def _seen(self, figures: Mapping[str, Figures], scope: Scope) -> None:
        """Tell what clusters ask for, and keep since when they need more."""
        for name, asked in figures.items():
            self.site.demand_seen(name, asked)
            if asked.need > asked.blocked:
                self._pending.setdefault(name, scope.since)
            elif not (asked.pending and asked.in_flight):
                self._pending.pop(name, None)  # it ended without us

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
                waited = self.site.monotonic() - self._pending.pop(item.cluster)
                self._waits.append((item.cluster, waited))
                self.site.growth_served(item.cluster, waited)

    def _taken_waits(self) -> Sequence[tuple[str, float]]:
        """How long what was served had been waited for; each is told once."""
        taken, self._waits = self._waits, []
        return taken

    def _begun(self, clusters: Clusters, scope: Scope, down: frozenset[str]) -> LookingRun:
        site = self.site
        self._looked_at, self._deleted = site.monotonic(), site.witness.deleted()
        asked = LookOptions(
            site.wish,
            writes=site.applies,
            waited=site.witness.waited(),
            only=scope.asked,
            also=self._attention.also,
            deleted=self._deleted,
        )
        there, looking = Answering(clusters, down), Answering(site.looking or clusters, down)
        return LookingRun(
            Asking(self._whole, lambda: there, lambda: looking, asked, site.now, self.bugs)
        )

    def _clusters(
        self, scope: Scope, down: frozenset[str], done: Reconciled
    ) -> Sequence[Applied] | None:
        site = self.site
        if site.clusters is None or not site.applies:
            return None
        evaluation = self._at(done.head)
        now, words = standing(evaluation, site.wish.default_port), dict(self._attention.words)
        names = self._touched(scope, now)
        if MANAGEMENT in down:
            # Nothing can be done without it. When it answers again, it is as at the start.
            self._standing = None
            return [Applied(MANAGEMENT, State.UNREACHABLE, error=SILENT)]
        if names is not None and not names - down:
            self._standing = now
            if self._run is not None:
                self._run.looker.remember()
            return []
        extent = Extent(_But(names, down), words)
        if self._run is not None:
            applied = self._run.apply(done.head.id, site.is_in, extent)
        else:  # nothing was looked at: what was last planned is applied
            applied = apply_fleet(evaluation, site.clusters, site.wish, site.is_in, extent)
        self._served(applied)
        self._attention.applied(applied)
        own = next((item for item in applied if item.cluster == MANAGEMENT), None)
        self._told = words if own is not None and not own.is_failed else self._told
        self._standing = None if own is not None and not own.uid else now
        return applied

    def _touched(self, scope: Scope, now: Standing) -> frozenset[str] | None:
        """The clusters that are applied to; None for all."""
        changed = now.touched(self._standing)
        if scope.clusters is None or changed is None:
            return None
        news = {MANAGEMENT} if _spoken(self._attention.words) != _spoken(self._told) else set()
        return frozenset({*scope.clusters, *changed, *news})

    def _at(self, head: Revision) -> Evaluation:
        """The revision as it stands; it follows from its id alone, and is read once."""
        found = self._whole(head.id)
        self._newest = head.id
        self.site.looked_at(found)
        return found


def _spoken(words: Mapping[Ref, tuple[Word, ...]]) -> Mapping[Ref, tuple[Word, ...]]:
    """Those of whom anything is told."""
    return {ref: told for ref, told in words.items() if told}
