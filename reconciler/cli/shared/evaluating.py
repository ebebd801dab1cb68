"""A revision evaluated for a verb that only reads: by itself, or beside its base."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from reconciler.adapters.git.pending import uncommitted
from reconciler.cli.shared.clock import source_at
from reconciler.cli.shared.opening import Read, Trust, open_source
from reconciler.cli.shared.output import note, painter, tell_errors
from reconciler.cli.shared.progress import progress
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.whole import evaluate_source
from reconciler.commands.review import review
from reconciler.comparison import Compared
from reconciler.evaluate import Evaluation
from reconciler.findings import few
from reconciler.ports import Facts, Repository, Revision, Source, UsageError
from reconciler.report.escape import escape
from reconciler.settings import OVERRIDES, PATH

if TYPE_CHECKING:
    from reconciler.adapters.git.repository import GitRepository
    from reconciler.together import Together


class Reviewed(Struct, frozen=True):
    """A review, the files that it is of, the folder that is the root, and what has both sides."""

    compared: Compared
    source: Source
    root: str
    repository: Repository


def evaluated(
    repo: Path, rev: str, color: str, *, worktree: bool, whole: bool = True
) -> Evaluation:
    """The evaluation of a revision. Its errors are told on stderr.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        color: As `--color`.
        worktree: As `--worktree`.
        whole: Read every file; else only those that the cache does not know to be settled.
    """
    read = open_source(repo, rev, worktree=worktree)
    with progress("reading"):
        if whole:
            evaluation = evaluate_source(read.source)
        else:
            evaluation = evaluate_incrementally(read.source, read.facts())
    tell_errors(evaluation.findings, painter(color))
    return evaluation


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
    read = open_source(repo, rev, worktree=worktree, trust=trust, fetches=fetches)
    facts = None if whole else read.facts()
    with progress("planning"):
        if base is None:
            compared = review(source_at(read.source, at), read.repository, None, facts)
            repository: Repository = read.repository
        else:
            compared, repository = _beside(read, base, at, facts, proposed)
            compared = replace(compared, also=tuple(_others(read, base, also)))
    if rev == "HEAD" and not worktree:
        _tell_unread(read, compared.evaluation)
    return Reviewed(compared, read.source, read.repository.git.root.path, repository)


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


def uncommitted_evaluation(repo: Path, evaluation: Evaluation) -> Evaluation | None:
    """What the work tree comes to, where it has files that are not committed; else None.

    Args:
        repo: As `--repo`.
        evaluation: Of its HEAD.
    """
    read = open_source(repo, "HEAD", worktree=False)
    if not uncommitted(read.repository, _looked_at(evaluation)):
        return None
    return evaluate_source(open_source(repo, "HEAD", worktree=True).source)


def _looked_at(evaluation: Evaluation) -> list[str]:
    """The files and folders that verbs read."""
    settings = evaluation.tree.settings
    return [PATH, OVERRIDES, *settings.folders, settings.records]


def _tell_unread(read: Read, evaluation: Evaluation) -> None:
    """Say which files of the work tree were not looked at: who looks at a revision may forget."""
    if not (found := uncommitted(read.repository, _looked_at(evaluation))):
        return
    are, were = ("1 file is", "was") if len(found) == 1 else (f"{len(found)} files are", "were")
    listed = escape(few(found))
    note(f"note: {are} not committed, and {were} not looked at: {listed}; --worktree reads them")
