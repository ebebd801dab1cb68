"""Check and plan: one evaluation of a revision, beside its base when there is one."""

from reconciler.commands.beside import beside
from reconciler.commands.by_hand import as_reconciled, with_overrides
from reconciler.commands.causes import with_causes
from reconciler.commands.reading.reader import evaluate_source
from reconciler.comparison import Compared
from reconciler.evaluate import Evaluation
from reconciler.ports import Repository, Source


def review(
    source: Source,
    repository: Repository | None = None,
    base: str | None = None,
    proposed: str | None = None,
) -> Compared:
    """Evaluate a revision, and compare it with its base.

    Args:
        source: The files of the revision.
        repository: Where the base is; needed with `base` only.
        base: The revision that the change is made to. Its Settings judge the change; only the
            folders are those of the change.
        proposed: The tip of the branch that nobody but reconcile may push to; with `base` only.
    """
    if base is None or repository is None:
        return Compared(with_overrides(_alone(source, repository)))
    # A plan of a revision by itself is made far more often, and needs none of it.

    return beside(source, repository, base, proposed)


def _alone(source: Source, repository: Repository | None) -> Evaluation:
    """The evaluation of a revision beside what reconcile made last, with causes."""
    if repository is None:
        return evaluate_source(source)
    return with_causes(as_reconciled(source, repository), repository, source)
