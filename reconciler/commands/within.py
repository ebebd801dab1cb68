"""Whether a change stays within what one team may do by itself: all of its files are looked at."""

from collections.abc import Sequence

from msgspec.structs import replace

from reconciler.comparison import Base, Compared
from reconciler.model.contract import Within
from reconciler.ownership import Rules, contracts_of
from reconciler.ports import GitError, LimitError, Repository, Source
from reconciler.within import Touched, within


def with_within(
    compared: Compared, base: Base, sides: tuple[Repository, Source, Source]
) -> Compared:
    """A comparison that says so; nothing where no team has a folder of its own.

    Args:
        compared: All that is told of the change.
        base: What it is compared with.
        sides: The repository, the base, and the change.
    """
    evaluation = compared.evaluation
    # Where they differ, those of the base.
    contracts = evaluation.tree.contracts or contracts_of(evaluation.documents)
    if not any(contract.folders for contract in contracts):
        return compared

    touched = _touched(*sides)
    if isinstance(touched, str):
        return replace(compared, within=Within("", (touched,)))
    return replace(compared, within=within(base, compared, Rules(contracts), touched))


def _touched(repository: Repository, base: Source, change: Source) -> Sequence[Touched] | str:
    """All files that differ, or why it cannot be told."""
    start, end = base.revision(), change.revision()
    if start is None or end is None:
        return "a work tree is nothing that can be merged"
    if repository.roots.own:
        return "what changes beside the root is not looked at"
    try:
        changes, _ = repository.changed(start.id, end.id)
    except (GitError, LimitError):
        return "not all that changes can be told"

    return [
        Touched(it.path, all(side is None or side.is_file for side in (it.old, it.new)))
        for it in changes
    ]
