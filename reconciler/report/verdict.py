"""Verdict on a change, and all of its findings."""

from collections import Counter

from reconciler.documents.findings import Finding, Severity
from reconciler.planning.digest import summary
from reconciler.planning.evaluate import Evaluation
from reconciler.report.findings import GRAVITY, capped, gravest_first, listed_counts

_SAYS = {
    Severity.ERROR: "the content is wrong",
    Severity.GATE: "the content is right, but a gate stops it",
    None: "passes",
}


def verdict(evaluation: Evaluation, inherited: int = 0) -> tuple[Severity | None, str, str]:
    """Return what stops a change, verdict, and counts. `inherited` counts findings of the base."""
    counts = Counter(item.severity for item in (*evaluation.findings, *evaluation.gates))
    worst = next((item for item in GRAVITY[:2] if counts[item]), None)
    is_told = counts or evaluation.moves or inherited or "transferred" in summary(evaluation)
    says = _SAYS[worst] if is_told else "fine"
    listed = listed_counts(counts) or "no findings"
    return worst, says, f"{listed} of its own" if inherited else listed


def all_found(evaluation: Evaluation) -> list[Finding]:
    """Return all findings and exceeded limits, most severe first, as services truncate lists."""
    return gravest_first([*evaluation.findings, *evaluation.gates])


def all_listed(evaluation: Evaluation) -> list[Finding]:
    """Return the findings and exceeded limits that an output lists, most severe first."""
    return gravest_first(capped([*evaluation.findings, *evaluation.gates]))
