"""The exit code that an evaluation leads to."""

from reconciler.evaluate import Evaluation
from reconciler.findings import Severity
from reconciler.ports import ExitCode


def exit_code(evaluation: Evaluation) -> ExitCode:
    """1 for wrong content, 3 for right content that a gate stops, else 0."""
    if any(found.severity is Severity.ERROR for found in evaluation.findings):
        return ExitCode.WRONG
    return ExitCode.GATE if evaluation.gates else ExitCode.OK
