"""A run of reconcile that asks clusters: single runs and rounds of a daemon are the same."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from reconciler.clusters.deletions import LEAST
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.intake import findings_of
from reconciler.clusters.outcome import Applied
from reconciler.commands.applying.cluster_identity import server_now
from reconciler.commands.applying.expiry import still_announced
from reconciler.commands.applying.fleet import Scope, apply_fleet
from reconciler.commands.applying.intake import (
    IntakeLook,
    last_named,
    look_for_intake,
    remember_intake,
)
from reconciler.commands.by_hand import as_reconciled
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.looking.elastic import Looked, LookOptions, look
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.counting import tidied
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.model.look import Look
from reconciler.model.resource import Ref
from reconciler.ports import BugError, ClusterError, Clusters, Repository

_log = logging.getLogger(__name__)


class Looker:
    """The look of `ReconcileOptions.look`: the demand of tenants, and objects that are not in Git.

    Attributes:
        looked: The demand of tenants in the last look.
        intake: The objects that live only in the management cluster.
    """

    def __init__(
        self,
        repository: Repository,
        whole: Callable[[str], Evaluation],
        clusters: Callable[[], Clusters],
        options: LookOptions,
        now: Callable[[], float] | None,
    ) -> None:
        """Build it.

        Args:
            repository: Has the commits of earlier looks.
            whole: Returns the evaluation of a revision by its id.
            clusters: How clusters are reached.
            options: How clusters are looked at.
            now: The clock of this machine, for a management cluster without one; None for a fixed
                time.
        """
        self._repository = repository
        self._whole = whole
        self._clusters = clusters
        self._options = options
        self._wish = options.apply if options.writes else replace(options.apply, dry_run=True)
        self._now = now
        self._failures: list[ClusterError] = []
        self.looked = Looked()
        self.intake = IntakeLook()

    def __call__(self, evaluation: Evaluation) -> Look:
        """Look at clusters for the head of the branch."""
        revision = evaluation.tree.revision
        whole = evaluation if revision is None else self._whole(revision)
        self.looked = look(whole, self._clusters(), self._options)
        self.intake = self._taken_in(whole)
        changes = tidied(whole.tree, (*self.looked.changes, *self.intake.taken.changes))
        at = max(self.looked.at, self.intake.at) or int(self._now() if self._now is not None else 0)
        return Look(at, changes, self.intake.taken.seen)

    def _taken_in(self, whole: Evaluation) -> IntakeLook:
        self._failures.clear()
        revision, observed = whole.tree.revision, whole.tree.settings.observed
        named = last_named(self._repository, revision, observed) if revision else ""
        deleted = self._options.deleted
        try:
            return look_for_intake(whole, self._clusters(), self._wish, named, deleted)
        except ClusterError as failed:  # the demand of tenants counts anyway
            self._failures.append(failed)
            return IntakeLook()

    def told(self, done: Reconciled) -> Reconciled:
        """Add the findings of the look to the result of a run."""
        found = list(self._findings(done.evaluation))
        if not found:
            return done
        evaluation = done.evaluation
        gates = [it for it in found if it.severity is Severity.GATE]
        findings = [it for it in found if it.severity is not Severity.GATE]
        evaluation = replace(
            evaluation,
            findings=ordered([*evaluation.findings, *findings]),
            gates=ordered([*evaluation.gates, *gates]),
        )
        return replace(done, evaluation=evaluation, code=exit_code(evaluation))

    def _findings(self, evaluation: Evaluation) -> Iterator[Finding]:
        settings = evaluation.tree.settings
        yield from findings_of(self.intake.taken, settings)
        for failed in self._failures:
            message = f"objects of the management cluster could not be listed: {failed}"
            yield warning("intake-doubt", Location(settings.observed), message)
        for why in dict.fromkeys(self.looked.unasked.values()):
            message = f"{why}; its tenant neither grows nor shrinks until then"
            yield warning("demand-unasked", Location(settings.observed), message)

    @property
    def missing(self) -> float | None:
        """Seconds until a missing object counts as deleted; None if none is missing."""
        ends = (
            since + LEAST - self.intake.at for since in self.intake.taken.state.missing.values()
        )
        return min((left for left in ends if left > 0), default=None)

    def remember(self) -> None:
        """Write the state for the next look into the management cluster.

        If that fails, the next look starts to count from the beginning.
        """
        try:
            remember_intake(self.intake, self._clusters(), self._wish)
        except ClusterError as failed:
            _log.warning("the state of the look cannot be written: %s", failed)

    @property
    def words(self) -> Mapping[Ref, tuple[Word, ...]]:
        """Messages of tenants for their status and Events."""
        return self.looked.words

    @property
    def bugs(self) -> tuple[BugError, ...]:
        """Bugs that were met."""
        ours = (failed for failed in self._failures if isinstance(failed, BugError))
        return (*self.looked.bugs, *ours)


@dataclass
class Newest:
    """Reads revisions. The newest is kept, because its evaluation depends only on its id."""

    repository: Repository
    _read: dict[str, Evaluation] = field(default_factory=dict)

    def __call__(self, head: str) -> Evaluation:
        """Return the evaluation of a revision."""
        if head not in self._read:
            self._read = {head: as_reconciled(self.repository.source(head), self.repository)}
        return self._read[head]


class LookingRun:
    """One run, from its look to the state for the next one.

    Attributes:
        looker: The look.
    """

    def __init__(
        self,
        whole: Newest,
        clusters: Callable[[], Clusters],
        options: LookOptions,
        now: Callable[[], float] | None,
        bugs: list[BugError],
    ) -> None:
        """Begin a run.

        Args:
            whole: Reads a revision.
            clusters: How clusters are reached.
            options: How clusters are looked at.
            now: The clock of this machine; None for a fixed time.
            bugs: Gets bugs that are met while clusters are asked.
        """
        self._whole, self._clusters, self._options, self._bugs = whole, clusters, options, bugs
        self.looker = Looker(whole.repository, whole, clusters, options, now)

    def reconcile(
        self,
        options: ReconcileOptions,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Reconciled:
        """Look, plan, and commit; ask clusters about addresses that would become free."""
        asked = replace(
            options,
            look=self.looker,
            server_now=lambda: server_now(self._clusters()),
            still_announced=self._still_announced,
        )
        done = reconcile(self._whole.repository, asked, sleep)
        self._bugs.extend(self.looker.bugs)
        return self.looker.told(done)

    def apply(
        self,
        head: str,
        is_in: Callable[[str, str], bool],
        scope: Scope | None = None,
    ) -> list[Applied]:
        """Apply to the clusters, and write the state for the next look.

        Args:
            head: The revision to apply.
            is_in: Returns whether a revision contains another.
            scope: The clusters; None for all, with the messages of this look.
        """
        evaluation, scope = self._whole(head), scope or Scope(words=self.looker.words)
        scope = replace(scope, readings=self.looker.looked.readings)
        applied = apply_fleet(evaluation, self._clusters(), self._options.apply, is_in, scope)
        self.looker.remember()
        return applied

    def _still_announced(self, found: Evaluation) -> dict[str, str]:
        return still_announced(found, self._clusters(), self._options.apply, self._bugs)
