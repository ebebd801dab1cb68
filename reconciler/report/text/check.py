"""`check`: all that was found, and what it comes to."""

from reconciler.evaluate import Evaluation
from reconciler.report.found import verdict
from reconciler.report.text.findings import findings_text
from reconciler.report.text.plan import counted
from reconciler.report.text.table import Colour, Painter


def check_text(evaluation: Evaluation, painter: Painter) -> str:
    """All findings and gates, and the verdict."""
    found = [*evaluation.findings, *evaluation.gates]
    return f"{findings_text(found, painter)}{verdict_text(evaluation, painter)}"


def verdict_text(evaluation: Evaluation, painter: Painter) -> str:
    """What a check comes to, on one line."""
    worst, says, listed = verdict(evaluation)
    sign = (
        painter.paint(f"✗ {says}", Colour.RED)
        if worst
        else painter.paint(f"✓ {says}", Colour.GREEN)
    )
    return f"{sign}: {listed}; {counted(evaluation)}\n"
