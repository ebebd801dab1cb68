"""Assembly of the page."""

from collections.abc import Sequence
from functools import cache

from reconciler.apply.targets import balancer_records
from reconciler.documents.validators import folder
from reconciler.history.applied import ApplyResult, headroom
from reconciler.history.commits import Caused, History
from reconciler.history.events import lives
from reconciler.history.queries import forecast
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation
from reconciler.report.page.document import page_document
from reconciler.report.page.html import Given, Material, Parts, page_html
from reconciler.review.result import Compared

MAX_COMMITS = 20_000
MAX_LIVES = 200_000
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
    told, is_whole = _describe(history)
    kept = history.rows[:MAX_COMMITS]
    found, reach = lives(evaluation.state.records, kept, history.known, MAX_LIVES)
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


def _describe(history: History) -> tuple[list[Caused], bool]:
    """What happened, and whether that is all."""
    told: list[Caused] = []
    kept: frozenset[str] = frozenset()
    for item in history.told():
        if not kept and len(history.rows) > MAX_COMMITS:
            kept = frozenset(row.id for row in history.rows[:MAX_COMMITS])
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
