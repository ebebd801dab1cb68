"""Tables, colors, and findings."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType

from reconciler.documents.findings import Finding, Severity
from reconciler.documents.text import escape
from reconciler.model.pool import Tier
from reconciler.report.findings import IN_ALL, MORE, capped, gravest_first, where


class Colour(StrEnum):
    """ANSI codes of terminal colors."""

    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    BOLD = "1"
    DIM = "2"


TIER_COLOURS = {
    Tier.OK: None,
    Tier.WARNING: Colour.YELLOW,
    Tier.CRITICAL: Colour.YELLOW,
    Tier.EXHAUSTED: Colour.RED,
}


class Painter:
    """Adds colors, or leaves text unchanged."""

    def __init__(self, *, is_on: bool) -> None:
        self._is_on = is_on

    def paint(self, text: str, *colours: Colour | None) -> str:
        """Return a text in colors."""
        codes = ";".join(colour.value for colour in colours if colour is not None)
        return f"\x1b[{codes}m{text}\x1b[0m" if self._is_on and codes else text


Cell = str | tuple[str, Colour | None]


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    painter: Painter,
    right: Collection[int] = (),
    hidden: Collection[int] = (),
) -> str:
    """Return rows below headers, texts escaped. `right` are flush-right columns, from 0."""
    pairs = ([(it, None) if isinstance(it, str) else it for it in row] for row in rows)
    cells = [[(escape(text), colour) for text, colour in row] for row in pairs]
    if not cells:
        return ""
    if headers:
        cells.insert(0, [(name, Colour.DIM) for name in headers])
    widths = [max(len(row[at][0]) for row in cells) for at in range(len(cells[0]))]
    lines = []
    for row in cells:
        parts = []
        for at, (text, colour) in enumerate(row):
            if at in hidden:
                continue
            padding = " " * (widths[at] - len(text))
            painted = painter.paint(text, colour)
            parts.append(padding + painted if at in right else painted + padding)
        lines.append("   ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def limited(lines: Sequence[str], most: int, more: str) -> list[str]:
    """Return at most `most` lines, and then `more` with the number of the others for `{}`."""
    left = len(lines) - most
    return [*lines[:most], more.format(left)] if left > 0 else list(lines)


MAX_FINDINGS = 200
CARRIED_OUT = MappingProxyType({"capacity": "exceeded", "brake": "held", "clock-ahead": "held"})
"""Words for gates that do not stop a run, instead of `refused`."""
SEVERITIES = {
    Severity.ERROR: ("error", Colour.RED),
    Severity.GATE: ("refused", Colour.RED),
    Severity.WARNING: ("warning", Colour.YELLOW),
    Severity.INFO: ("info", Colour.DIM),
}


def findings_text(
    findings: Sequence[Finding], painter: Painter, words: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return at most `MAX_FINDINGS` findings. `words` replaces severities by code."""
    lines = []
    shown = capped(findings)
    is_cut = len(shown) > MAX_FINDINGS
    if is_cut:
        shown = [it for it in gravest_first(shown) if it.code != MORE][:MAX_FINDINGS]
    for at, item in enumerate(shown, 1):
        word, colour = SEVERITIES[item.severity]
        word = words.get(item.code, word) if item.severity is Severity.GATE else word
        head = painter.paint(f"{word} {item.code}", colour)
        lines.append(f"{escape(where(item.location))}: {head}: {escape(item.message)}")
        after = [it.hint for it in shown[at : at + 1] if it.code == item.code]
        if item.hint and item.hint not in after:
            lines.append(painter.paint(f"  hint: {escape(item.hint)}", Colour.DIM))
    if is_cut:
        more = len(findings) - len(shown)
        lines.append(f"and {more} more; -o json lists up to {IN_ALL:,}")
    return "\n".join(lines) + "\n" if lines else ""


def explain_text(findings: Iterable[Finding], painter: Painter) -> str:
    """Return the line after findings that names `ipam explain`, if a finding has no hint."""
    if all(item.hint or item.severity is Severity.INFO for item in findings):
        return ""
    return painter.paint("Run 'ipam explain CODE' for cause and fix.", Colour.DIM) + "\n"
