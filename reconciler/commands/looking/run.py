"""A run of reconcile that asks clusters: single runs and rounds of a daemon are the same."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from reconciler.clusters.outcome import Applied
from reconciler.commands.applying.cluster_identity import server_now
from reconciler.commands.applying.expiry import still_announced
from reconciler.commands.applying.fleet import Scope, apply_fleet
from reconciler.commands.by_hand import as_reconciled
from reconciler.commands.looking.elastic import LookOptions
from reconciler.commands.looking.looker import Looker
from reconciler.commands.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.evaluate import Evaluation
from reconciler.ports import BugError, Clusters, Repository


@dataclass
class Newest:
    """Revisions read whole. One follows from its id alone, so the newest is not read again."""

    repository: Repository
    _read: dict[str, Evaluation] = field(default_factory=dict)

    def __call__(self, head: str) -> Evaluation:
        """All that a revision holds."""
        if head not in self._read:
            self._read = {head: as_reconciled(self.repository.source(head), self.repository)}
        return self._read[head]


class Asking(Struct, frozen=True):
    """Who asks which clusters.

    Attributes:
        whole: Reads a revision whole.
        clusters: How they are reached.
        options: How they are looked at.
        now: This machine's clock; None where time stands still.
        bugs: Gets those of ours that are met while clusters are asked.
    """

    whole: Newest
    clusters: Callable[[], Clusters]
    options: LookOptions
    now: Callable[[], float] | None
    bugs: list[BugError]


class LookingRun:
    """One run, from its look to what is remembered of it.

    Attributes:
        looker: What was seen.
    """

    def __init__(self, asking: Asking) -> None:
        """Begin it; nothing is asked yet."""
        self._asking = asking
        whole, options = asking.whole, asking.options
        self.looker = Looker(whole.repository, whole, asking.clusters, options, asking.now)

    def reconcile(
        self,
        options: ReconcileOptions,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Reconciled:
        """Git, with what clusters show, and after they were asked about what would come free."""
        asking = self._asking
        asked = replace(
            options,
            look=self.looker,
            server_now=lambda: server_now(asking.clusters()),
            still_announced=self._still_announced,
        )
        done = reconcile(asking.whole.repository, asked, sleep)
        asking.bugs.extend(self.looker.bugs)
        return self.looker.told(done)

    def apply(
        self,
        head: str,
        is_in: Callable[[str, str], bool],
        scope: Scope | None = None,
    ) -> list[Applied]:
        """The clusters, or some of them; then what the next look has to know is noted.

        Args:
            head: What is applied.
            is_in: Whether a revision is contained in another one.
            scope: What it is about; None for all clusters, with what was seen now.
        """
        asking = self._asking
        evaluation, scope = asking.whole(head), scope or Scope(words=self.looker.words)
        scope = replace(scope, readings=self.looker.looked.readings)
        applied = apply_fleet(evaluation, asking.clusters(), asking.options.apply, is_in, scope)
        self.looker.remember()
        return applied

    def _still_announced(self, found: Evaluation) -> dict[str, str]:
        asking = self._asking
        return still_announced(found, asking.clusters(), asking.options.apply, asking.bugs)
