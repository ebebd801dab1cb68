"""`check`: all that was found, and what it comes to."""

from reconciler.evaluate import Evaluation
from reconciler.model.key import Key
from reconciler.report.found import verdict
from reconciler.report.text.findings import findings_text
from reconciler.report.text.plan import counted, moves_text, pools_text, transfers_text
from reconciler.report.text.table import Colour, Painter


def check_text(evaluation: Evaluation, painter: Painter) -> str:
    """What moves, what goes to another owner, all findings and gates, and the verdict."""
    found = [*evaluation.findings, *evaluation.gates]
    ahead = moves_text(evaluation, painter) + transfers_text(evaluation, painter)
    resized = pools_text(_resized(evaluation), evaluation, painter)
    told = f"{ahead}{findings_text(found, painter)}{resized}"
    return f"{told}{verdict_text(evaluation, painter)}"


def _resized(evaluation: Evaluation) -> list[Key]:
    """Pools that the change gives another size."""
    plan = evaluation.plan
    return [key for key, after in plan.after.items() if plan.before[key].total != after.total]


def verdict_text(evaluation: Evaluation, painter: Painter) -> str:
    """What a check comes to, on one line."""
    worst, says, listed = verdict(evaluation)
    sign = (
        painter.paint(f"✗ {says}", Colour.RED)
        if worst
        else painter.paint(f"✓ {says}", Colour.GREEN)
    )
    moved = f", {len(evaluation.moves)} moved" if evaluation.moves else ""
    return f"{sign}: {listed}; {counted(evaluation)}{moved}\n"
