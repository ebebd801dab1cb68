"""What a filter left out of the clone is fetched while a verb runs, if `--fetch-missing` says so."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from reconciler.adapters.git.opening import bring
from reconciler.cli.shared.opening import open_here
from reconciler.cli.shared.progress import progress
from reconciler.ports import FilteredError

T = TypeVar("T")

_MOST = 8
"""Rounds: what is read says what is read next. Two do, mostly: Settings, and all else."""


def fetching(repo: Path, look: Callable[[], T]) -> T:
    """What a look at a repository comes to; what it lacks is fetched, and it looks again.

    Args:
        repo: As `--repo`.
        look: Reads, and writes nothing.

    Raises:
        GitError: It cannot be fetched.
    """
    for _ in range(_MOST):
        try:
            return look()
        except FilteredError as lacking:
            with progress("fetching"):
                bring(open_here(repo), lacking.ids)
    return look()
