"""A revision evaluated for a verb that only reads: by itself, or beside its base."""

from pathlib import Path

from reconciler.cli.shared.clock import source_at
from reconciler.cli.shared.opening import open_source
from reconciler.cli.shared.output import painter, tell_errors
from reconciler.cli.shared.progress import progress
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.whole import evaluate_source
from reconciler.commands.review import review
from reconciler.comparison import Compared
from reconciler.evaluate import Evaluation


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
    trusts: bool = True,
    at: str | None = None,
) -> Compared:
    """The evaluation of a revision beside its base, when there is one.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        base: As `--base`.
        worktree: As `--worktree`.
        whole: Read every file; else only those that the cache does not know to be settled.
        trusts: Believe a cache; else only what is read now.
        at: As `--at`.
    """
    read = open_source(repo, rev, worktree=worktree, trusts=trusts)
    source = source_at(read.source, at)
    with progress("planning"):
        return review(source, read.repository, base, None if whole else read.facts())
