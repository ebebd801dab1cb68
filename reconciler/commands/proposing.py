"""What a run made where nobody may push to the branch: on a branch of its own, for a pull request."""

from reconciler.commands.writing import has_wrong_settings
from reconciler.evaluate import Evaluation
from reconciler.model.proposed import Proposed
from reconciler.ports import Repository, Revision
from reconciler.ports.proposing import Proposing


def propose(
    repository: Repository,
    to: Proposing,
    base: Revision,
    newest: Revision | None,
    evaluation: Evaluation,
) -> Proposed:
    """Bring what was made to the branch of a pull request. The branch itself stays where it is.

    Args:
        repository: Where the branch is; what is here follows it.
        to: What gets the commits.
        base: The head of the branch.
        newest: The last commit on top of it; None when nothing was made.
        evaluation: What was planned last.

    Raises:
        GitError: The remote fails, or refuses.
        LostRaceError: Somebody moved what gets the commits.
        UsageError: A checkout holds what is not committed; or people committed there.
    """
    settings = evaluation.tree.settings
    repository.require_clean([*settings.folders, settings.records], base)
    repository.follow(base)
    if has_wrong_settings(evaluation):
        return Proposed.NOTHING  # what there is to do, nobody knows
    return to.bring(base, newest)
