"""Simulated merges and other open changes."""

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.findings import Location, error, ordered
from reconciler.gitio.interface import BranchCommit, Changed, Revision, Source
from reconciler.gitio.repository import Repository
from reconciler.model.errors import GitError, UnmergedError, UsageError
from reconciler.model.settings import PATH, Settings
from reconciler.planning.read import SourceView
from reconciler.review.result import Compared


class _MergeResult(SourceView):
    def __init__(self, of: Source, merge: str, head: str) -> None:
        super().__init__(of)
        self.merge, self.head = merge, head

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        for step in self.of.past(paths):
            yield replace(step, id=self.head) if step.id == self.merge else step


class Merged(Struct, frozen=True):
    """A change with the simulated merge.

    `source` has the files of the merge, or of the change if it has all of its base or conflicts.
    `head` is the merged commit, or empty.
    """

    repository: Repository
    source: Source
    head: str = ""
    conflicts: tuple[str, ...] = ()
    why: str = ""

    def reviewed(self, compared: Compared, base: str) -> Compared:
        """Return a review of the merge as a review of the change."""
        evaluation = compared.evaluation
        if self.head:
            evaluation = replace(evaluation, tree=replace(evaluation.tree, revision=self.head))
        found = list(evaluation.findings)
        for at, item in enumerate(found):
            if item.code == "base-ahead" and self.why:
                message = f"{item.message}, and they could not be merged: {self.why}"
                found[at] = replace(item, message=message)
        for path in self.conflicts:
            message = f"the file was changed here and in {base}, and Git cannot merge the two"
            hint = f"run git merge {base}, resolve the conflict, and commit"
            found.append(error("merge-conflict", Location(path, 1, 1), message, hint))
        return replace(compared, evaluation=replace(evaluation, findings=ordered(found)))


Merge = Callable[[Revision, Revision], tuple[Repository, Revision]]
"""Merges the second revision into the first. Returns the merge, and its repository."""


def merged(repository: Repository, source: Source, base: str, merge: Merge) -> Merged:
    """Simulate the merge of a change into its base. A work tree stays as it is."""
    head, onto = source.revision(), repository.source(base).revision()
    if head is None or onto is None:
        return Merged(repository, source)
    try:
        if repository.is_in(onto.id, head.id):
            return Merged(repository, source)
        there, made = merge(onto, head)
    except UnmergedError as failure:
        return Merged(repository, source, conflicts=failure.paths, why=str(failure))
    except GitError as failure:  # the clone is too shallow
        return Merged(repository, source, why=str(failure))
    source = cast("Source", _MergeResult(there.source(made.id), made.id, head.id))
    return Merged(there, source, head.id)


def changed_since(
    repository: Repository, base: Source, source: Source, settings: Settings
) -> tuple[list[Changed], bool]:
    """Return files that differ since the merge base, and whether the change has all of it."""
    is_committed = source.revision() is not None
    head = source if is_committed else repository.source("HEAD")
    start, end = base.revision(), head.revision()
    if start is None or end is None:
        raise UsageError("a work tree cannot be a base", "name a revision with --base")
    read = (PATH, *settings.folders, settings.records)
    committed, is_contained = repository.changed(start.id, end.id, read, settings.limits)
    if is_committed:
        return committed, is_contained
    found = {change.path: change for change in committed}
    step = next(iter(source.past([*settings.folders, settings.records, PATH])), None)
    for change in step.changed if step is not None and not step.id else ():
        before = found.get(change.path)
        found[change.path] = change if before is None else replace(before, new=change.new)
        if before is not None and _is_as_it_was(base, source, found[change.path]):
            del found[change.path]
    return [found[path] for path in sorted(found)], is_contained


def line_of(repository: Repository, base: Source, change: Source) -> Source:
    """Return the source with the commits of a change. A merge is replaced by its merged side."""
    onto, revision = base.revision(), change.revision()
    if onto is None or revision is None:
        return change
    parents = repository.made(revision.id).parents
    is_merge = len(parents) == 2 and parents[0] == onto.id
    return repository.source(parents[1]) if is_merge else change


def _is_as_it_was(base: Source, source: Source, change: Changed) -> bool:
    if change.old is None or change.new is None:
        return change.old is change.new
    is_file = change.old.is_file and change.new.is_file
    return is_file and base.read([change.old]) == source.read([change.new])
