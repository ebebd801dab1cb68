"""A look at clusters as one run of reconcile takes it, and what is told afterwards."""

from collections.abc import Callable, Mapping

from reconciler.clusters.elastic.model import Word
from reconciler.commands.looking.elastic import Looked, LookOptions, look
from reconciler.evaluate import Evaluation
from reconciler.model.look import Look
from reconciler.model.resource import Ref
from reconciler.ports import BugError, Clusters


class Looker:
    """What `ReconcileOptions.look` asks for.

    Attributes:
        looked: What was seen last; before the first look, nothing.
    """

    def __init__(
        self,
        whole: Callable[[str], Evaluation],
        clusters: Callable[[], Clusters],
        options: LookOptions,
        now: Callable[[], float],
    ) -> None:
        """Build it.

        Args:
            whole: The evaluation of all of a revision, by its id: one that was read in part does
                not know all tenants.
            clusters: How clusters are reached.
            options: How they are looked at.
            now: This machine's clock, for a management cluster that tells no time.
        """
        self._whole = whole
        self._clusters = clusters
        self._options = options
        self._now = now
        self.looked = Looked()

    def __call__(self, evaluation: Evaluation) -> Look:
        """Look at clusters, for what is at the head of the branch by now."""
        revision = evaluation.tree.revision
        whole = evaluation if revision is None else self._whole(revision)
        self.looked = look(whole, self._clusters(), self._options)
        return Look(self.looked.at or int(self._now()), self.looked.changes)

    @property
    def words(self) -> Mapping[Ref, tuple[Word, ...]]:
        """What `apply_fleet` tells of the tenants that were looked at."""
        return self.looked.words

    @property
    def bugs(self) -> tuple[BugError, ...]:
        """Bugs of ours that were met."""
        return self.looked.bugs
