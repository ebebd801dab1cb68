"""Who has which addresses, and what happened to them, as JSON and CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reconciler.addresses import IPRange
from reconciler.asking.causes import Cause
from reconciler.asking.happenings import Happening
from reconciler.asking.holders import Holder
from reconciler.asking.parts import Part
from reconciler.asking.rows import Row
from reconciler.findings import Location
from reconciler.model.instant import format_instant
from reconciler.report.escape import escape
from reconciler.report.free_runs import ends
from reconciler.report.machine import envelope

Told = tuple[Happening, Cause | None]

HOLDER_COLUMNS = (
    "start", "end", "state", "space", "pool", "holder", "team", "claim", "record", "since",
    "until", "document", "commit", "date", "author", "request",
)  # fmt: skip
HISTORY_COLUMNS = (
    "date", "what", "start", "end", "holder", "team", "claim", "pool", "commit", "author",
    "request", "cause_commit", "cause_author", "cause", "former_holder",
)  # fmt: skip
# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@")


def holders_document(
    asked: str,
    revision: str | None,
    holders: Iterable[Holder],
    brought: dict[str, Told],
    history: Sequence[Told] | None,
) -> dict[str, Any]:
    """What some addresses are; with `history`, all that ever happened to them."""
    return {
        **envelope("Holders"),
        "revision": revision,
        "asked": asked,
        "items": [_holder(it, _of(it, brought)) for it in holders],
        "history": None if history is None else [happening_item(it) for it in history],
    }


def history_document(revision: str, told: Iterable[Told]) -> dict[str, Any]:
    """What happened, newest first."""
    return {
        **envelope("History"),
        "revision": revision,
        "items": [happening_item(it) for it in told],
    }


def happening_item(told: Told) -> dict[str, Any]:
    """What happened to the addresses of a claim in a commit."""
    item, cause = told
    fact = item.fact
    return {
        "what": item.what.value,
        "claim": fact.claim,
        "holder": fact.owner,
        "team": fact.team,
        "pool": fact.pool if item.range is not None else None,
        "range": _range(item.range),
        "from": _range(item.source),
        "formerHolder": item.giver or None,
        "heir": item.heir.name if item.heir is not None else None,
        "commit": _row(item.row),
        "cause": _cause(cause),
    }


def holder_rows(holders: Iterable[Holder], brought: dict[str, Told]) -> Iterator[str]:
    """Lines of CSV, the first one names the columns."""
    yield _line(HOLDER_COLUMNS)
    for holder in holders:
        item = _holder(holder, _of(holder, brought))
        commit = item["brought"]["commit"] if item["brought"] else {}
        yield _line(
            [
                *(item[name] for name in HOLDER_COLUMNS[:11]),
                _place(item["document"]),
                *(commit.get(name) for name in ("id", "date", "author", "request")),
            ]
        )


def happening_rows(told: Iterable[Told]) -> Iterator[str]:
    """Lines of CSV, the first one names the columns."""
    yield _line(HISTORY_COLUMNS)
    for one in told:
        item = happening_item(one)
        span, commit, cause = item["range"] or {}, item["commit"], item["cause"] or {}
        brought = cause.get("commit") or {}
        yield _line(
            [
                *(commit["date"], item["what"], span.get("start"), span.get("end")),
                *(item["holder"], item["team"], item["claim"], item["pool"], commit["id"]),
                *(commit["author"], brought.get("request") or commit["request"]),
                *(brought.get("id"), brought.get("author"), _place(cause)),
                item["formerHolder"],
            ]
        )


def former_holder(holder: Holder, told: Told | None) -> str:
    """Of whom addresses were before their holder; empty where the newest commit does not tell."""
    if holder.giver is not None:
        return holder.giver.short
    return told[0].giver if told is not None else ""


def _of(holder: Holder, brought: dict[str, Told]) -> Told | None:
    record = holder.part.record
    return brought.get(record.path) if record is not None else None


def _holder(holder: Holder, told: Told | None) -> dict[str, Any]:
    part = holder.part
    record = part.record
    return {
        **ends(part.range),
        "state": part.sort.value,
        "space": part.space or None,
        "pool": str(part.pool) if part.pool is not None else None,
        "holder": record.owner.short if record is not None else part.title or None,
        "formerHolder": former_holder(holder, told) or None,
        "team": record.owner.team if record is not None else None,
        "claim": str(record.claim) if record is not None else None,
        "record": record.path if record is not None else None,
        "whole": _range(record.range) if record is not None else None,
        "since": record.since if record is not None else None,
        "until": format_instant(holder.until) if holder.until is not None else None,
        "announced": record is not None and record.announced,
        "document": _location(holder.document or (None if record is not None else part.source)),
        "before": _neighbour(holder.before),
        "after": _neighbour(holder.after),
        "brought": None
        if told is None
        else {"what": told[0].what.value, "commit": _row(told[0].row), "cause": _cause(told[1])},
    }


def _neighbour(part: Part | None) -> dict[str, Any] | None:
    if part is None:
        return None
    holder = part.record.owner.short if part.record is not None else part.title or None
    return {**ends(part.range), "state": part.sort.value, "holder": holder}


def _range(item: IPRange | None) -> dict[str, str] | None:
    return None if item is None else ends(item)


def _location(place: Location | None) -> dict[str, Any] | None:
    return None if place is None else {"path": place.path, "line": place.line}


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "date": format_instant(row.clock),
        "author": row.author,
        "subject": row.subject,
        "request": row.request or None,
    }


def _cause(cause: Cause | None) -> dict[str, Any] | None:
    if cause is None:
        return None
    approval = cause.approval
    return {
        "commit": _row(cause.row),
        "path": cause.path or None,
        "line": cause.line or None,
        "override": approval and {"commit": _row(approval.row), "path": approval.path},
    }


def _place(place: dict[str, Any] | None) -> str:
    return f"{place['path']}:{place['line']}" if place and place.get("path") else ""


def _line(cells: Iterable[object]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return written.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else escape(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text
