"""Evaluations as workflow commands of GitHub Actions: annotations at the lines of a change."""

from collections import Counter

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.report.escape import escape
from reconciler.report.found import all_found
from reconciler.report.text.check import verdict_text
from reconciler.report.text.findings import findings_text
from reconciler.report.text.table import Painter

# GitHub shows so many annotations of a kind for one step, and drops all others without a word.
ANNOTATIONS = 10
_KIND = {
    Severity.ERROR: "error",
    Severity.GATE: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def github_text(evaluation: Evaluation) -> str:
    """The gravest findings as annotations, the others as lines of the log, then the verdict."""
    annotations, others = [], []
    given: Counter[str] = Counter()
    for item in all_found(evaluation):
        kind = _KIND[item.severity]
        given[kind] += 1
        if given[kind] <= ANNOTATIONS:
            annotations.append(_annotation(kind, item))
        else:
            others.append(item)
    plain = Painter(is_on=False)
    rest = findings_text(others, plain)
    return f"{''.join(annotations)}{rest}{verdict_text(evaluation, plain)}"


def _annotation(kind: str, item: Finding) -> str:
    place = item.location
    properties = {
        "file": escape(place.path) if place.path != "." else "",
        "line": str(place.line or ""),
        "col": str(place.column or ""),
        "title": item.code,
    }
    listed = ",".join(
        f"{name}={value.translate(_PROPERTY)}" for name, value in properties.items() if value
    )
    message = escape(item.message)
    if item.hint:
        message = f"{message}\nhint: {escape(item.hint)}"
    return f"::{kind} {listed}::{message.translate(_DATA)}\n"
