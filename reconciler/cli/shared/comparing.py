"""A revision compared with its base, and what of it is not looked at."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reconciler.adapters.git.pending import uncommitted
from reconciler.cli.shared.clock import source_at
from reconciler.cli.shared.opening import Read
from reconciler.cli.shared.output import note
from reconciler.commands.review import review
from reconciler.comparison import Compared
from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.findings import few
from reconciler.ports import Facts, Repository, Revision
from reconciler.report.escape import escape
from reconciler.settings import looked_at

if TYPE_CHECKING:
    from reconciler.adapters.git.repository import GitRepository
    from reconciler.together import Together


def load_rest() -> None:
    """Load what a comparison with a base will load anyway."""
    import reconciler.commands.beside
    import reconciler.commands.merging  # noqa: F401 - for who goes on

    families()


def compared_with(
    read: Read,
    base: str | None,
    facts: Facts | None,
    at: str | None,
    also: Sequence[str],
    proposed: str | None,
) -> tuple[Compared, Repository]:
    """The comparison of a revision with its base, and what has both; by itself without one.

    Args:
        read: The revision.
        base: As `--base`.
        facts: The cache; None to read every file.
        at: As `--at`.
        also: As `--also`.
        proposed: As `--proposed`.
    """
    if base is None:
        source = source_at(read.source, at)
        return review(source, read.repository, None, facts), read.repository
    compared, repository = _beside(read, base, at, facts, proposed)
    return replace(compared, also=tuple(_others(read, base, also))), repository


def _beside(
    read: Read, base: str, at: str | None, facts: Facts | None, proposed: str | None
) -> tuple[Compared, Repository]:
    """The evaluation of a revision as it will be merged, and what has the merge."""
    # A plan without a base needs none of it.
    from reconciler.commands.merging import merged

    found = merged(read.repository, read.source, base, partial(_merge, read.repository))
    compared = review(source_at(found.source, at), found.repository, base, facts, proposed)
    return found.told(compared, base), found.repository


def _merge(
    repository: "GitRepository", base: Revision, head: Revision
) -> "tuple[GitRepository, Revision]":
    from reconciler.adapters.git.merging import merge  # a change that has the whole base needs none

    return merge(repository, base, head)


def _others(read: Read, base: str, also: Sequence[str]) -> "Iterator[Together]":
    """The change beside others that wait for their merge."""
    change = read.source.revision()
    if not also or change is None:
        return
    from reconciler.adapters.git.merging import merge, quarantined
    from reconciler.commands.together import Thought, beside_others

    apart = quarantined(read.repository)
    thought = Thought(apart, partial(merge, apart), read.facts())
    yield from beside_others(thought, base, change, also)


def tell_unread(read: Read, evaluation: Evaluation) -> None:
    """Say which files of the work tree were not looked at: who looks at a revision may forget."""
    if not (found := uncommitted(read.repository, looked_at(evaluation.tree.settings))):
        return
    are, were = ("1 file is", "was") if len(found) == 1 else (f"{len(found)} files are", "were")
    listed = escape(few(found))
    note(f"note: {are} not committed, and {were} not looked at: {listed}; --worktree reads them")
