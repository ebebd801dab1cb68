"""A revision evaluated by itself, for a verb that only reads."""

from pathlib import Path

from reconciler.adapters.git.opening import uncommitted
from reconciler.cli.shared.opening import open_source
from reconciler.cli.shared.output import painter, tell_errors
from reconciler.cli.shared.progress import progress
from reconciler.commands.reading.reader import evaluate_source
from reconciler.evaluate import Evaluation
from reconciler.settings import looked_at


def evaluated(repo: Path, rev: str, color: str, *, worktree: bool) -> Evaluation:
    """The evaluation of a revision. Its errors are told on stderr.

    Args:
        repo: As `--repo`.
        rev: As `--rev`.
        color: As `--color`.
        worktree: As `--worktree`.
    """
    read = open_source(repo, rev, worktree=worktree)
    with progress("reading"):
        evaluation = evaluate_source(read.source)
    tell_errors(evaluation.findings, painter(color))
    return evaluation


def uncommitted_evaluation(repo: Path, evaluation: Evaluation) -> Evaluation | None:
    """What the work tree comes to, where it has files that are not committed; else None.

    Args:
        repo: As `--repo`.
        evaluation: Of its HEAD.
    """
    read = open_source(repo, "HEAD", worktree=False)
    if not uncommitted(read.repository, looked_at(evaluation.tree.settings)):
        return None
    return evaluate_source(open_source(repo, "HEAD", worktree=True).source)
