"""A look at clusters as one run of reconcile takes it, and what is told afterwards."""

import logging
from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from reconciler.clusters.deletions import LEAST
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.intake import findings_of
from reconciler.commands.applying.intake import (
    IntakeLook,
    last_named,
    look_for_intake,
    remember_intake,
)
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.looking.elastic import Looked, LookOptions, look
from reconciler.commands.reconcile import Reconciled
from reconciler.counting import tidied
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.model.look import Look
from reconciler.model.resource import Ref
from reconciler.ports import BugError, ClusterError, Clusters, Repository

_log = logging.getLogger(__name__)


class Looker:
    """What `ReconcileOptions.look` asks for: growth of tenants, and objects that are not in Git.

    Attributes:
        looked: What was seen of tenants last; before the first look, nothing.
        intake: What was seen of objects that live in the management cluster alone.
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
            repository: Tells what earlier looks saw.
            whole: The evaluation of all of a revision, by its id: one that was read in part does
                not know all tenants.
            clusters: How clusters are reached.
            options: How they are looked at.
            now: This machine's clock, for a management cluster that tells no time. None where time
                stands still.
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
        """Look at clusters, for what is at the head of the branch by now."""
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
        except ClusterError as failed:  # growth was looked at all the same
            self._failures.append(failed)
            return IntakeLook()

    def told(self, done: Reconciled) -> Reconciled:
        """What a run did, with what its look has to tell."""
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
            message = f"the management cluster was not asked what lives in it alone: {failed}"
            yield warning("intake-doubt", Location(settings.observed), message)
        for why in dict.fromkeys(self.looked.unasked.values()):
            message = f"{why}; nobody grows or shrinks there until it can be"
            yield warning("demand-unasked", Location(settings.observed), message)

    @property
    def missing(self) -> float | None:
        """After how many seconds what is missing now counts as gone; None when nothing waits."""
        ends = (
            since + LEAST - self.intake.at for since in self.intake.taken.state.missing.values()
        )
        return min((left for left in ends if left > 0), default=None)

    def remember(self) -> None:
        """Note in the management cluster what the next look has to know, once all is published.

        Where it cannot be noted, the next look begins to wait anew.
        """
        try:
            remember_intake(self.intake, self._clusters(), self._wish)
        except ClusterError as failed:
            _log.warning("what was looked at is not remembered: %s", failed)

    @property
    def words(self) -> Mapping[Ref, tuple[Word, ...]]:
        """What `apply_fleet` tells of the tenants that were looked at."""
        return self.looked.words

    @property
    def bugs(self) -> tuple[BugError, ...]:
        """Bugs of ours that were met."""
        ours = (failed for failed in self._failures if isinstance(failed, BugError))
        return (*self.looked.bugs, *ours)
