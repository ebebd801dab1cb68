"""A revision compared with its base, and the files that a comparison does not read."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from reconciler.adapters.git.merging import merge, quarantined
from reconciler.adapters.git.opening import uncommitted
from reconciler.cli.shared.clock import source_at
from reconciler.cli.shared.opening import Read, open_source
from reconciler.cli.shared.output import note
from reconciler.cli.shared.progress import progress
from reconciler.evaluate import Evaluation
from reconciler.findings import few
from reconciler.ports import Repository, Source, UsageError
from reconciler.report.escape import escape
from reconciler.review.checks import review
from reconciler.review.merging import merged
from reconciler.review.other_changes import Simulation, Together, compare_with_others
from reconciler.review.result import Compared
from reconciler.settings import looked_at


class Reviewed(Struct, frozen=True):
    """A review, the files that it is of, the folder that is the root, and what has both sides."""

    compared: Compared
    source: Source
    root: str
    repository: Repository


def reviewed(
    repo: Path,
    rev: str,
    base: str | None,
    *,
    worktree: bool,
    at: str | None = None,
    also: Sequence[str] = (),
    fetches: bool = False,
    proposed: str | None = None,
) -> Reviewed:
    """The evaluation of a revision beside its base, when there is one.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        base: As `--base`.
        worktree: As `--worktree`.
        at: As `--at`.
        also: As `--also`.
        fetches: As `--fetch-missing`.
        proposed: As `--proposed`.

    Raises:
        UsageError: There is nothing that others could be merged beside.
    """
    if also and (base is None or worktree):
        raise UsageError("--also needs --base, and no --worktree", "name what all are merged into")
    if proposed is not None and base is None:
        raise UsageError("--proposed needs --base", "name what the proposal is merged into")
    read = open_source(repo, rev, worktree=worktree, fetches=fetches)
    with progress("planning"):
        compared, repository = _compared_with(read, base, at, also, proposed)
    if rev == "HEAD" and not worktree:
        _tell_unread(read, compared.evaluation)
    return Reviewed(compared, read.source, read.repository.git.root.path, repository)


def _compared_with(
    read: Read,
    base: str | None,
    at: str | None,
    also: Sequence[str],
    proposed: str | None,
) -> tuple[Compared, Repository]:
    """The comparison of a revision with its base, and what has both; by itself without one.

    Args:
        read: The revision.
        base: As `--base`.
        at: As `--at`.
        also: As `--also`.
        proposed: As `--proposed`.
    """
    if base is None:
        source = source_at(read.source, at)
        return review(source, read.repository, None), read.repository
    compared, repository = _beside(read, base, at, proposed)
    return replace(compared, also=tuple(_others(read, base, also))), repository


def _beside(
    read: Read, base: str, at: str | None, proposed: str | None
) -> tuple[Compared, Repository]:
    """The evaluation of a revision as it will be merged, and what has the merge."""
    found = merged(read.repository, read.source, base, partial(merge, read.repository))
    compared = review(source_at(found.source, at), found.repository, base, proposed)
    return found.reviewed(compared, base), found.repository


def _others(read: Read, base: str, also: Sequence[str]) -> Iterator[Together]:
    """The change beside others that wait for their merge."""
    change = read.source.revision()
    if not also or change is None:
        return
    apart = quarantined(read.repository)
    simulation = Simulation(apart, partial(merge, apart))
    yield from compare_with_others(simulation, base, change, also)


def _tell_unread(read: Read, evaluation: Evaluation) -> None:
    """Say which files of the work tree were not looked at: who looks at a revision may forget."""
    if not (found := uncommitted(read.repository, looked_at(evaluation.tree.settings))):
        return
    are, were = ("1 file is", "was") if len(found) == 1 else (f"{len(found)} files are", "were")
    listed = escape(few(found))
    note(f"note: {are} not committed, and {were} not looked at: {listed}; --worktree reads them")
