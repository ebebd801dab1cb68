"""What a change is: commits since its base, and what a work tree adds to them."""

from msgspec.structs import replace

from reconciler.model.settings import PATH, Settings
from reconciler.ports import Changed, Repository, Source, UsageError


def changed_since(
    repository: Repository, base: Source, source: Source, settings: Settings
) -> tuple[list[Changed], bool]:
    """Files that differ since a change and its base parted, and whether it has all of the base.

    Args:
        repository: Where the base is.
        base: The base: a revision.
        source: The change: a revision, or a work tree, which stands for its HEAD and what is not
            committed yet of what is read.
        settings: Where files are.

    Raises:
        GitError: The work tree has no commit that the base could be compared with.
    """
    is_committed = source.revision() is not None
    head = source if is_committed else repository.source("HEAD")
    start, end = base.revision(), head.revision()
    if start is None or end is None:
        raise UsageError("a work tree is no base", "name a revision with --base")
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
    """What has the commits of a change: of a merge into the base the side that is merged."""
    onto, revision = base.revision(), change.revision()
    if onto is None or revision is None:
        return change
    parents = repository.made(revision.id).parents
    is_merge = len(parents) == 2 and parents[0] == onto.id
    return repository.source(parents[1]) if is_merge else change


def _is_as_it_was(base: Source, source: Source, change: Changed) -> bool:
    """A file that was changed, and then set back without a commit."""
    if change.old is None or change.new is None:
        return change.old is change.new
    is_file = change.old.is_file and change.new.is_file
    return is_file and base.read([change.old]) == source.read([change.new])
