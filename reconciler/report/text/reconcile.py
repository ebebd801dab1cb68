"""`reconcile`: what became of the plan. The plan and the clusters have texts of their own."""

from reconciler.report.escape import escape
from reconciler.report.text.table import Colour, Painter

_BRAKED = " A brake holds all releases back."


def published_sentence(base: str, commit: str, where: str, *, is_braked: bool) -> str:
    """What was committed, on what, and where it was published."""
    what = f"Committed {commit[:12]} on {base[:12]} and published it: {where}."
    return f"{what}{_BRAKED if is_braked else ''}"


def unpushed_sentence(base: str, commit: str, branch: str, *, is_braked: bool) -> str:
    """What was committed, on what, in a checkout that has nowhere to push it."""
    what = (
        f"Committed {commit[:12]} on {base[:12]}: branch {branch} of this checkout, which follows"
    )
    what += " no remote, so nothing was pushed."
    return f"{what}{_BRAKED if is_braked else ''}"


def nothing_sentence(base: str, *, is_braked: bool, has_wrong_settings: bool) -> str:
    """Why nothing was committed."""
    if has_wrong_settings:
        return "Nothing was committed: the Settings are wrong."
    return f"Nothing to commit on {base[:12]}.{_BRAKED if is_braked else ''}"


def reconcile_text(sentence: str, painter: Painter) -> str:
    """What a reconcile did, in one of the sentences above."""
    return f"{painter.paint(escape(sentence), Colour.BOLD)}\n"
