"""Removals of records that an Override let pass when they came: they are settled, whatever came later.

Where reconcile has nothing to commit over such a removal, its last commit stays before it, and the
Override expires or is removed. What was let go then is not taken away by hand once more.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice

from msgspec.structs import replace

from reconciler.commands.reading.overrides import read_overrides
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind
from reconciler.model.settings import Settings
from reconciler.ports import FilteredError, GitError, LimitError, Repository, Source, Step
from reconciler.records.by_hand import Records, lets_pass, taken_away

MOST_STEPS = 200
"""So many commits that touch records are looked at; with more of them nothing is settled."""


def without_let_go(
    repository: Repository,
    line: tuple[Source, Settings],
    last: str,
    records: Records,
    allows: Callable[[str], bool],
) -> Records:
    """Records since a commit, without those whose removal somebody was allowed.

    A removal counts as allowed when each commit of the line that touched the record since then
    was: an Override that stood before it named the record or its claim. In doubt none is.

    Args:
        repository: Where the commits are.
        line: The branch's newest revision and its Settings: what is on its line is looked at.
        last: The commit; it has to be on the line.
        records: Those that differ since then.
        allows: What the Overrides of now let pass: that is told as such.
    """
    wanted = {
        path: claim
        for path, claim in taken_away(records).items()
        if not lets_pass(records, claim, path, allows)
    }
    if not wanted:
        return records
    let_go = _allowed(repository, line, last, records, wanted)
    if not let_go:
        return records
    left = {path: item for path, item in records.before.items() if path not in let_go}
    now = {path: item for path, item in records.now.items() if path not in let_go}
    return replace(records, before=left, now=now)


def _allowed(
    repository: Repository,
    line: tuple[Source, Settings],
    last: str,
    records: Records,
    wanted: Mapping[str, Key | str],
) -> set[str]:
    """Paths of those whose removal was allowed when it came, and nothing else touched them."""
    allowed: dict[str, bool] = {}
    for step in _steps(line):
        if step.id == last:
            return {path for path, is_so in allowed.items() if is_so}
        if _hides(step, records):
            break
        touched = [it.path for it in step.changed if it.path in wanted]
        if not touched:
            continue
        if not step.id:  # of a work tree nothing came yet
            break
        if (allows := _allowing(repository, step.id)) is None:
            break
        for path in touched:
            is_let = lets_pass(records, wanted[path], path, allows)
            allowed[path] = is_let and allowed.get(path, True)
    return set()  # the commit is not on the line, or too far back, or something is in doubt


def _allowing(repository: Repository, commit: str) -> Callable[[str], bool] | None:
    """What the Overrides that a commit has let pass; None where nobody can read it."""
    try:
        return partial(read_overrides(repository.source(commit)).allow, OverrideKind.RECORD)
    except FilteredError:
        raise  # it is there, and was not fetched
    except GitError:  # it has no date, or another thing that a commit needs
        return None


def _hides(step: Step, records: Records) -> bool:
    """It removes a file that stood there between: a record may have been moved, and went as that."""
    return any(
        it.new is None and it.old is not None and it.path not in records.before
        for it in step.changed
    )


def _steps(line: tuple[Source, Settings]) -> Iterator[Step]:
    """The commits of a line that touch records, the newest first, as far as they can be looked at."""
    source, settings = line
    with suppress(LimitError):
        yield from islice(source.past([settings.records, settings.observed]), MOST_STEPS)
