"""Findings: where, what, and what mends it."""

from collections.abc import Sequence

from reconciler.findings import Finding, Severity
from reconciler.report.escape import escape
from reconciler.report.found import gravest_first
from reconciler.report.text.table import Colour, Painter

MAX_FINDINGS = 200
_SEVERITY = {
    Severity.ERROR: ("error", Colour.RED),
    Severity.GATE: ("refused", Colour.RED),
    Severity.WARNING: ("warning", Colour.YELLOW),
    Severity.INFO: ("info", Colour.DIM),
}


def findings_text(findings: Sequence[Finding], painter: Painter) -> str:
    """`path:line:column: severity code: message`, and the hint below.

    Of more than `MAX_FINDINGS` the gravest are shown.
    """
    lines = []
    shown = findings
    if len(findings) > MAX_FINDINGS:
        shown = gravest_first(findings)[:MAX_FINDINGS]
    for item in shown:
        place = item.location
        where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
        word, colour = _SEVERITY[item.severity]
        head = painter.paint(f"{word} {item.code}", colour)
        lines.append(f"{escape(where)}: {head}: {escape(item.message)}")
        if item.hint:
            lines.append(painter.paint(f"  hint: {escape(item.hint)}", Colour.DIM))
    if len(findings) > MAX_FINDINGS:
        lines.append(f"and {len(findings) - MAX_FINDINGS} more; -o json has them all")
    return "\n".join(lines) + "\n" if lines else ""
