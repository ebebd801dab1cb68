"""A revision reviewed beside its base; the reviewer is loaded while git is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from reconciler.cli.shared.opening import Trust, open_source, tell_if_slow
from reconciler.cli.shared.progress import progress
from reconciler.ports import Repository, Source, UsageError

if TYPE_CHECKING:
    from reconciler.comparison import Compared


class Reviewed(Struct, frozen=True):
    """A review, the files that it is of, the folder that is the root, and what has both sides."""

    compared: "Compared"
    source: Source
    root: str
    repository: Repository


def reviewed(
    repo: Path,
    rev: str,
    base: str | None,
    *,
    worktree: bool,
    whole: bool = False,
    trust: Trust = Trust.FULL,
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
        whole: Read every file; else only those that the cache does not know to be settled.
        trust: What the run makes of the cache.
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
    read = open_source(repo, rev, worktree=worktree, trust=trust, fetches=fetches, says=False)
    if base is not None:
        from reconciler.cli.shared.ahead import asked_ahead

        with asked_ahead(read, base, is_known=not whole):
            from reconciler.cli.shared.comparing import load_rest

            load_rest()
    from reconciler.cli.shared.comparing import compared_with, tell_unread

    tell_if_slow()
    facts = None if whole else read.facts()
    with progress("planning"):
        compared, repository = compared_with(read, base, facts, at, also, proposed)
    if rev == "HEAD" and not worktree:
        tell_unread(read, compared.evaluation)
    return Reviewed(compared, read.source, read.repository.git.root.path, repository)
