"""Findings: where, what, and what mends it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from reconciler.findings import Finding, Severity
from reconciler.report.capped import IN_ALL, MORE, capped, gravest_first
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter

MAX_FINDINGS = 200
CARRIED_OUT = MappingProxyType({"capacity": "exceeded", "brake": "held", "clock-ahead": "held"})
"""What is said of gates where a plan is carried out: none of these refuses it."""
_REFUSED: Mapping[str, str] = MappingProxyType({})
_SEVERITY = {
    Severity.ERROR: ("error", Colour.RED),
    Severity.GATE: ("refused", Colour.RED),
    Severity.WARNING: ("warning", Colour.YELLOW),
    Severity.INFO: ("info", Colour.DIM),
}


def findings_text(
    findings: Sequence[Finding], painter: Painter, words: Mapping[str, str] = _REFUSED
) -> str:
    """`path:line:column: severity code: message`, and the hint below.

    Args:
        findings: All of them. Of more than `MAX_FINDINGS` the gravest are shown.
        painter: How words are set off.
        words: What is said of gates, by code, in the place of `refused`.
    """
    lines = []
    shown = capped(findings)
    is_cut = len(shown) > MAX_FINDINGS
    if is_cut:
        shown = [it for it in gravest_first(shown) if it.code != MORE][:MAX_FINDINGS]
    for item in shown:
        place = item.location
        where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
        word, colour = _SEVERITY[item.severity]
        if item.severity is Severity.GATE:
            word = words.get(item.code, word)
        head = painter.paint(f"{word} {item.code}", colour)
        lines.append(f"{escape(where)}: {head}: {escape(item.message)}")
        if item.hint:
            lines.append(painter.paint(f"  hint: {escape(item.hint)}", Colour.DIM))
    if is_cut:
        more = len(findings) - len(shown)
        lines.append(f"and {more} more; -o json lists up to {IN_ALL:,}")
    return "\n".join(lines) + "\n" if lines else ""
