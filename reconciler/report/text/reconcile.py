"""`reconcile`: what became of the plan. The plan and the clusters have texts of their own."""

from reconciler.model.proposed import Proposed
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


def proposed_sentence(base: str, commit: str, branches: tuple[str, str], how: Proposed) -> str:
    """What became of the branch of a pull request.

    Args:
        base: The head of the branch that is reconciled.
        commit: The last commit on it; empty for none.
        branches: The branch that is reconciled, and the one that gets the commits.
        how: What was done.
    """
    branch, to = branches
    if how is Proposed.NOTHING:
        return f"Branch {to} is not needed."
    if how is Proposed.WITHDRAWN:
        return f"Removed branch {to}: nothing of what it held is left to be done on {base[:12]}."
    if how is Proposed.STANDS:
        return f"Branch {to} holds this already. It counts once it is merged into {branch}."
    what = f"Committed {commit[:12]} on {base[:12]}: branch {to}."
    return f"{what} It counts once it is merged into {branch}."


def reconcile_text(sentence: str, painter: Painter) -> str:
    """What a reconcile did, in one of the sentences above."""
    return f"{painter.paint(escape(sentence), Colour.BOLD)}\n"
