"""What the page of `report` is made from: one revision, its past, and what reconciling it does."""

from collections.abc import Sequence
from functools import cache

from reconciler.asking.applied import ApplyResult
from reconciler.asking.idle import headroom
from reconciler.asking.lives import lives
from reconciler.clusters.announcing import balancer_records
from reconciler.commands.annals import Caused, History
from reconciler.commands.forecast import forecast
from reconciler.documents.shipped import folder
from reconciler.evaluate import Evaluation
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.report.page.document import page_document
from reconciler.report.page.html import Parts, page_html
from reconciler.report.page.material import Given, Material
from reconciler.review.result import Compared

MOST_COMMITS = 20_000
MOST_LIVES = 200_000
"""Of a longer past the newest part is told."""


def page(found: Material) -> str:
    """The page as a file."""
    return page_html(shipped_parts(), page_document(found))


@cache
def shipped_parts() -> Parts:
    """What ships of the page."""
    there = {item.name: item.read_text("utf-8") for item in folder("page").iterdir()}
    modules = {
        name.removesuffix(".js"): text for name, text in there.items() if name.endswith(".js")
    }
    styles = [there[name] for name in sorted(there) if name.endswith(".css")]
    return Parts(there["template.html"], modules, styles)


def material(
    evaluation: Evaluation,
    compared: Compared,
    history: History,
    base: str | None,
    given: Given,
) -> Material:
    """Gather what a page is made from.

    Args:
        evaluation: Of the revision.
        compared: What `check` makes of it.
        history: Its past.
        base: Id of the base that it is compared with; None for none.
        given: What clusters told.
    """
    told, is_whole = _told(history)
    kept = history.rows[:MOST_COMMITS]
    found, reach = lives(evaluation.state.records, kept, history.known, MOST_LIVES)
    rows = kept[:reach]
    past, ahead = forecast(evaluation, history, None)
    return Material(
        evaluation,
        compared,
        base,
        rows,
        told,
        found,
        is_whole and reach == len(history.rows),
        past,
        {item.pool: item for item in ahead},
        None if given.applied is None else _idle(evaluation.state.records, given.applied),
        given,
    )


def _told(history: History) -> tuple[list[Caused], bool]:
    """What happened, and whether that is all."""
    told: list[Caused] = []
    kept: frozenset[str] = frozenset()
    for item in history.told():
        if not kept and len(history.rows) > MOST_COMMITS:
            kept = frozenset(row.id for row in history.rows[:MOST_COMMITS])
        if kept and item[0].row.id not in kept:
            return told, False
        told.append(item)
    return told, not history.annals.is_cut()


def _idle(records: Sequence[Allocation], result: ApplyResult) -> dict[Key, int]:
    """Addresses of which that apply told that no Service uses them, by pool."""
    by_pool: dict[Key, list[Allocation]] = {}
    for record in records:
        by_pool.setdefault(record.pool, []).append(record)
    return {
        pool: headroom(balancer_records(found), result, "").total.idle
        for pool, found in by_pool.items()
    }
