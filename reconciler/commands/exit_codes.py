"""The exit codes that an evaluation, and an apply, lead to."""

from collections.abc import Sequence

from reconciler.clusters.outcome import Applied
from reconciler.evaluate import Evaluation
from reconciler.findings import has_error
from reconciler.ports import ExitCode


def exit_code(evaluation: Evaluation) -> ExitCode:
    """1 for wrong content, 3 for right content that a gate stops, else 0."""
    if has_error(evaluation.findings):
        return ExitCode.WRONG
    return ExitCode.GATE if evaluation.gates else ExitCode.OK


def reconciled_code(
    code: ExitCode, evaluation: Evaluation, applied: Sequence[Applied] | None
) -> ExitCode:
    """70 for a bug, 5 when some cluster failed or could not be asked, else the code of the plan.

    Args:
        code: Of the plan.
        evaluation: What was planned.
        applied: What became of the clusters; None when none was applied to.
    """
    if any(cluster.is_bug for cluster in applied or ()):
        return ExitCode.BUG
    if any(cluster.is_failed for cluster in applied or ()) or evaluation.tree.held_back:
        return ExitCode.CLUSTER
    return code


def applied_code(evaluation: Evaluation, applied: Sequence[Applied]) -> ExitCode:
    """70 for a bug, 5 when some cluster failed, 1 for wrong content, else 0."""
    if any(cluster.is_bug for cluster in applied):
        return ExitCode.BUG
    if any(cluster.is_failed for cluster in applied):
        return ExitCode.CLUSTER
    code = exit_code(evaluation)
    return code if code is ExitCode.WRONG else ExitCode.OK
