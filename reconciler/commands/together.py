"""A change beside others that wait for their merge: each of them merged and reconciled in thought."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from reconciler.commands.by_hand import with_changes_by_hand
from reconciler.commands.merging import Merge
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.verdicts import note_made
from reconciler.commands.writing import Planned, Wishes, commit_of, is_carried_out
from reconciler.evaluate import Evaluation, let_pass
from reconciler.ports import (
    GateError,
    GitError,
    LimitError,
    Repository,
    Revision,
    UnmergedError,
    UsageError,
)
from reconciler.together import Plans, Together, beside


class Thought(Struct, frozen=True):
    """What merges and commits without a trace.

    Attributes:
        repository: One that keeps nothing of what is made.
        merge: Merges a revision, the second, into the first.
    """

    repository: Repository
    merge: Merge


def beside_others(
    thought: Thought, base: str, change: Revision, others: Sequence[str]
) -> Iterator[Together]:
    """Look at a change beside each of some others, in the order in which they are named.

    Whatever cannot be looked at says why, and is in nobody's way.

    Args:
        thought: Where they are.
        base: What all of them go to.
        change: The change.
        others: The names of the others.
    """
    try:
        work = _Work(thought, thought.repository.resolve(base))
        ours = work.merged(work.base, change)
    except (GitError, LimitError, GateError) as failure:
        yield from (Together(name, why=str(failure)) for name in others)
        return
    for name in dict.fromkeys(others):
        yield _beside(work, change, ours, name)


class _Work(Struct, frozen=True):
    thought: Thought
    base: Revision

    def merged(self, onto: Revision, change: Revision) -> "_Planned":
        """A change merged onto a revision, and planned.

        Raises:
            GitError: Git fails.
            UnmergedError: They conflict.
        """
        repository, made = self.thought.repository, change
        if not repository.is_in(onto.id, change.id):
            _, made = self.thought.merge(onto, change)
        source = repository.source(made.id)
        planned = evaluate_source(source)
        return _Planned(made, with_changes_by_hand(repository, source, planned))

    def reconciled(self, planned: "_Planned") -> Revision:
        """The revision that reconcile makes of a merge; the merge itself where that is nothing."""
        asked = Planned(planned.revision, planned.evaluation)
        passed = let_pass(planned.evaluation)
        if not is_carried_out(asked, passed):
            return planned.revision
        made = self.thought.repository.commit(commit_of(asked, passed, Wishes()))
        note_made(self.thought.repository, made)
        return made


class _Planned(Struct, frozen=True):
    """A merge, and the evaluation of it."""

    revision: Revision
    evaluation: Evaluation


def _beside(work: _Work, change: Revision, ours: _Planned, name: str) -> Together:
    """The change beside one other; why it was not looked at, where that cannot be."""
    try:
        other = work.thought.repository.resolve(name)
    except (GitError, LimitError, UsageError) as failure:
        return Together(name, why=str(failure))
    if other.id == change.id:
        return Together(name, other.id, why="it is the change itself")
    try:
        theirs = work.merged(work.base, other)
        plans = Plans(
            ours.evaluation,
            theirs.evaluation,
            work.merged(work.reconciled(theirs), change).evaluation,
            work.merged(work.reconciled(ours), other).evaluation,
        )
    except UnmergedError as failure:
        why = "" if failure.paths else str(failure)
        return Together(name, other.id, why=why, conflicts=failure.paths)
    except (GitError, LimitError, GateError) as failure:
        return Together(name, other.id, why=str(failure))
    return beside(name, other.id, plans)
