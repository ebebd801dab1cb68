"""Evaluations for forges, which know files by their path from the top of the repository."""

from urllib.parse import quote

from msgspec.structs import replace

from reconciler.evaluate import Evaluation
from reconciler.findings import Finding
from reconciler.model.cause import Cause
from reconciler.model.settings import PATH
from reconciler.report.markdown import MARKER
from reconciler.review.result import Compared

WHOLE = "."
"""The place of what is about a repository as a whole."""


def at_top(compared: Compared, root: str) -> Compared:
    """The same, with the places of findings and the names of files as they are from the top.

    What a message or a hint names stays as it is from the root, where a person works.

    Args:
        compared: What counts from the root.
        root: The folder that is the root; empty for the top.
    """
    if not root:
        return compared
    return replace(
        compared,
        evaluation=_moved(compared.evaluation, root),
        inherited=tuple(_placed(item, root) for item in compared.inherited),
        causes=tuple(_caused(item, root) for item in compared.causes),
    )


def marked(text: str, root: str) -> str:
    """A comment in Markdown that a job finds again among those of other roots."""
    return text.replace(MARKER, MARKER.replace("ipam", f"ipam {quote(root)}"), 1) if root else text


def _placed(found: Finding, root: str) -> Finding:
    path = found.location.path
    inside = PATH if path == WHOLE else path
    return replace(found, location=found.location._replace(path=f"{root}/{inside}"))


def _caused(cause: Cause, root: str) -> Cause:
    place = cause.place
    if place is None:
        return cause
    return replace(cause, place=place._replace(path=f"{root}/{place.path}"))


def _moved(evaluation: Evaluation, root: str) -> Evaluation:
    tree = evaluation.tree
    sources = tuple(replace(item, path=f"{root}/{item.path}") for item in tree.sources)
    return replace(
        evaluation,
        findings=tuple(_placed(item, root) for item in evaluation.findings),
        gates=tuple(_placed(item, root) for item in evaluation.gates),
        tree=replace(tree, sources=sources),
    )
