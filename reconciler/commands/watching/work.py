"""What a round does: the very functions that a single run calls, restricted to what was touched."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.commands.applying.expiry import still_announced
from reconciler.commands.applying.extent import Extent
from reconciler.commands.applying.fleet import apply_fleet
from reconciler.commands.applying.targets import Standing, standing
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.reading.whole import evaluate_source
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.commands.review import with_changes_by_hand
from reconciler.commands.rounds import Round, rounds
from reconciler.commands.watching.events import Scope
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import BugError, Clusters, Facts, Repository, Revision

Ask = Callable[[ReconcileOptions, Scope], ReconcileOptions]
"""Adds to the options of a reconcile what clusters are asked for by the events of a round."""


@dataclass(frozen=True, slots=True)
class Site:
    """What is worked on.

    Attributes:
        is_in: Whether a revision is contained in another.
        facts: Opens the cache.
        clusters: How clusters are reached; None when none is named.
        applies: Whether they are applied to.
        ask: What a look at clusters adds.
        looked_at: Told of the branch as it was read whole, in each round; it raises nothing.
    """

    repository: Repository
    is_in: Callable[[str, str], bool]
    facts: Callable[[], Facts]
    options: ReconcileOptions
    clusters: Clusters | None
    wish: ApplyOptions
    applies: bool = True
    ask: Ask = lambda options, _scope: options
    looked_at: Callable[[Evaluation], None] = lambda _evaluation: None


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
    _read: dict[str, Evaluation] = field(default_factory=dict)
    _standing: Standing | None = None

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

    def _git(self, scope: Scope) -> Reconciled:
        site, before = self.site, self._done
        if before is not None and not scope.plans:
            head = before.head
            return Reconciled(head, None, 1, self._at(head), exit_code(self._at(head)))
        options, clusters = site.options, site.clusters
        if clusters is not None:
            asked = partial(self._announced, clusters)
            options = replace(site.ask(options, scope), still_announced=asked)
        self._done = reconcile(site.repository, options, facts=site.facts())
        return self._done

    def _announced(self, clusters: Clusters, found: Evaluation) -> dict[str, str]:
        return still_announced(found, clusters, self.site.wish, self.bugs)

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
        extent = Extent(_But(names, down))
        applied = apply_fleet(evaluation, site.clusters, site.wish, site.is_in, extent)
        is_away = any(item.cluster == MANAGEMENT and not item.uid for item in applied)
        self._standing = None if is_away else now
        return applied

    def _at(self, head: Revision) -> Evaluation:
        """The revision as it stands; it follows from its id alone, and is read once."""
        if head.id not in self._read:
            source = self.site.repository.source(head.id)
            read = with_changes_by_hand(self.site.repository, source, evaluate_source(source))
            self._read = {head.id: read}
        self.site.looked_at(self._read[head.id])
        return self._read[head.id]
