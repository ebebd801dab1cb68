"""A change as its merge will be: planned on what its base is by now, and not on what it was."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.reading.through import Through
from reconciler.comparison import Compared
from reconciler.findings import Finding, Location, error, ordered
from reconciler.ports import GitError, Repository, Revision, Source, Step, UnmergedError


class _InThought(Through, frozen=True):
    """A merge that nobody has made yet: what it brings is told as that of its head.

    Attributes:
        merge: The merge.
        head: What is merged.
    """

    merge: str
    head: str

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """The commits that made these files and folders what they are."""
        for step in self.of.past(paths):
            yield replace(step, id=self.head) if step.id == self.merge else step


class Merged(Struct, frozen=True):
    """A change as it will be merged.

    Attributes:
        repository: One that has the merge.
        source: Its files; those of the change alone, where it has all of its base, or cannot be
            merged.
        head: What is merged; empty where nothing had to be.
        conflicts: Files in which the change and its base conflict.
        why: Why it cannot be merged here, or empty.
    """

    repository: Repository
    source: Source
    head: str = ""
    conflicts: tuple[str, ...] = ()
    why: str = ""

    def told(self, compared: Compared, base: str) -> Compared:
        """A review of the files, as one of the change.

        Args:
            compared: The review.
            base: The name of the base.
        """
        evaluation = compared.evaluation
        if self.head:
            evaluation = replace(evaluation, tree=replace(evaluation.tree, revision=self.head))
        found = [*map(self._explained, evaluation.findings), *_conflicts(self.conflicts, base)]
        return replace(compared, evaluation=replace(evaluation, findings=ordered(found)))

    def _explained(self, item: Finding) -> Finding:
        if item.code != "base-ahead" or not self.why:
            return item
        return replace(item, message=f"{item.message}; they are not merged here: {self.why}")


Merge = Callable[[Revision, Revision], tuple[Repository, Revision]]
"""Merges a revision, the second, into the first: a repository that has the merge, and the merge."""


def merged(repository: Repository, source: Source, base: str, merge: Merge) -> Merged:
    """Merge a change into its base, without a trace.

    Args:
        repository: Where both are.
        source: The change; a work tree stays as it is.
        base: The name of the base.
        merge: How they are merged; an `UnmergedError` where they cannot be.
    """
    head, onto = source.revision(), repository.source(base).revision()
    if head is None or onto is None:
        return Merged(repository, source)
    try:
        if repository.is_in(onto.id, head.id):
            return Merged(repository, source)
        there, made = merge(onto, head)
    except UnmergedError as failure:
        return Merged(repository, source, conflicts=failure.paths, why=str(failure))
    except GitError as failure:  # the clone is too shallow to tell
        return Merged(repository, source, why=str(failure))
    return Merged(there, _InThought(there.source(made.id), made.id, head.id), head.id)


def _conflicts(paths: Sequence[str], base: str) -> Iterator[Finding]:
    for path in paths:
        message = f"it was changed here and in {base}, and Git cannot merge the two"
        hint = f"git merge {base}, keep of both what is meant, and commit"
        yield error("merge-conflict", Location(path, 1, 1), message, hint)
