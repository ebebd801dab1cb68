"""The causes of what a change decides, with the commit of the change that each is of."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from msgspec.structs import replace

from reconciler.caused import causes
from reconciler.comparison import Base, Compared
from reconciler.evaluate import Evaluation
from reconciler.model.cause import Cause
from reconciler.ports import Source

MOST_STEPS, MOST_PATHS = 200, 1_000
"""So many commits of a change are looked at, for so many files: more are no arguments of a call."""


def with_caused(
    compared: Compared,
    base: Base,
    planned: Callable[[], Evaluation],
    changed: Iterable[str],
    line: Source,
) -> Compared:
    """A comparison with the cause of each decision.

    Args:
        compared: The comparison.
        base: What it is compared with.
        planned: The evaluation of the base.
        changed: Paths of the files that differ.
        line: What has the commits of the change.
    """
    found = causes(base, compared.evaluation, planned, changed)
    return replace(compared, causes=_with_commits(found, line))


def _with_commits(found: Sequence[Cause], line: Source) -> tuple[Cause, ...]:
    paths = (it.place.path for it in found if it.place is not None)
    wanted = list(islice(dict.fromkeys(paths), MOST_PATHS))
    asked, commits = frozenset(wanted), dict[str, str]()
    for step in islice(line.past(wanted), MOST_STEPS) if wanted else ():
        for item in step.changed:
            if item.path in asked:
                commits.setdefault(item.path, step.id)
        if len(commits) == len(wanted):
            break
    return tuple(
        replace(it, commit=commits.get(it.place.path, "")) if it.place is not None else it
        for it in found
    )
