"""`reconcile`: what became of the plan. The plan and the clusters have texts of their own."""

from reconciler.evaluate import Evaluation
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter


def published_sentence(base: str, commit: str, where: str) -> str:
    """What was committed, on what, and where it was published."""
    return f"Committed {commit[:12]} on {base[:12]} and published it: {where}."


def nothing_sentence(evaluation: Evaluation, base: str, *, has_wrong_settings: bool) -> str:
    """Why nothing was committed."""
    if evaluation.brake is not None:
        return "Nothing was committed: a brake stopped the plan."
    if has_wrong_settings:
        return "Nothing was committed: the Settings are wrong."
    return f"Nothing to commit on {base[:12]}."


def reconcile_text(sentence: str, painter: Painter) -> str:
    """What a reconcile did, in one of the sentences above."""
    return f"{painter.paint(escape(sentence), Colour.BOLD)}\n"
