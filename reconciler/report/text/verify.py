"""`verify`: a line for each commit, and a sum."""

from collections.abc import Sequence

from reconciler.model.instant import format_instant
from reconciler.model.verdict import Verdict
from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter
from reconciler.report.verification import Verified

_SHOWN = 5
_WIDTH = max(len(verdict) for verdict in Verdict)


def verified_text(item: Verified, painter: Painter) -> str:
    """One commit: what became of it, when and by whom it was made, and what differs."""
    wrong = Colour.RED if item.is_wrong else Colour.YELLOW
    colour = Colour.GREEN if item.verdict is Verdict.SAME else wrong
    date = format_instant(item.clock) if item.clock is not None else "no date"
    verdict = painter.paint(item.verdict.ljust(_WIDTH), colour)
    lines = [f"{verdict}  {item.commit[:12]}  {date}  {escape(item.subject)}"]
    if item.verdict is Verdict.FOREIGN:
        says = ", though it says that reconcile made it" if item.claims else ""
        lines.append(f"  by {escape(item.author) or 'nobody'}{says}")
    if item.verdict is Verdict.NOT_COMPARABLE:
        lines.append(f"  made by version {escape(item.version)}")
    lines += [f"  {escape(path)}" for path in item.files[:_SHOWN]]
    more = len(item.files) - _SHOWN
    return "\n".join([*lines, *([f"  and {more} more"] if more > 0 else []), ""])


def verification_text(found: Sequence[Verified], painter: Painter) -> str:
    """How many there are of each sort."""
    counts = {verdict: sum(item.verdict is verdict for item in found) for verdict in Verdict}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    bad = any(item.is_wrong for item in found)
    text = f"{len(found)} commits: {told}." if found else "No commit touches records."
    return f"{painter.paint(text, Colour.RED if bad else Colour.BOLD)}\n"
