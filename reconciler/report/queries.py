"""JSON documents of queries."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from reconciler.addresses import IPRange, cidrs_of, format_address, format_range, format_short
from reconciler.documents.findings import Location
from reconciler.documents.text import escape
from reconciler.gitio.interface import CommitRow, ReplayVerdict
from reconciler.history.applied import Headroom, Idle
from reconciler.history.commits import CommitCause
from reconciler.history.events import RecordEvent
from reconciler.history.forecast import MAX_TENANTS, TREND, Outlook, Past, Rate
from reconciler.history.runs import FreeSpace, ReservedRange, Runs, freeing
from reconciler.history.who import Holder
from reconciler.importing.assembling import Imported, RangeChange
from reconciler.model.claim import Allocation, Claim, current_records
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant, Keep, Refuse, Release
from reconciler.model.pool import Pool, Tier
from reconciler.planning.digest import action_name, giver_of
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, PoolMap
from reconciler.planning.space import AddressUsage, everything, of_pool, percentage
from reconciler.reconcile.simulate import Simulation
from reconciler.reconcile.verify import Verified
from reconciler.report.json import API_VERSION, envelope, listed_findings, plan_document


def free_runs_document(found: FreeSpace) -> dict[str, Any]:
    """Return free ranges as a document."""
    return {
        **envelope("FreeRuns"),
        "revision": found.revision,
        "count": found.wanted.count if found.wanted.prefix is None else None,
        "prefix": found.wanted.prefix,
        "fits": found.fits,
        "items": [_free_runs_pool(runs) for runs in found.pools],
    }


def _free_runs_pool(runs: Runs) -> dict[str, Any]:
    return {
        "pool": str(runs.pool),
        "available": runs.free,
        "closed": runs.closed or None,
        "fits": [
            {"block": ends(fit.block), "run": _sized(fit.run), "isNext": fit.is_next}
            for fit in runs.fits
        ],
        "largest": [_sized(run) for run in runs.largest],
        "held": [_held(item) for item in runs.held],
        "fitsFrom": _instant(runs.fits_from),
    }


def _held(item: ReservedRange) -> dict[str, Any]:
    return {**_sized(item.range), "until": _instant(item.until)}


def _sized(item: IPRange) -> dict[str, Any]:
    return {**ends(item), "count": item.size}


def ends(item: IPRange) -> dict[str, str]:
    """Return the first and the last address."""
    return {
        "start": format_address(item.version, item.first),
        "end": format_address(item.version, item.last),
    }


def _instant(seconds: int | None) -> str | None:
    return None if seconds is None else format_instant(seconds)


_ORDER = ("pool", "record", "in-use", "gateway", "pods", "services")


def standing(evaluation: Evaluation, asked: IPRange) -> dict[str, Any]:
    """Return all objects at some addresses, pools first."""
    there = [item for item in everything(evaluation.state) if item.range.overlaps(asked)]
    there.sort(key=lambda item: (_ORDER.index(item.sort), item))
    pools = {pool.source: pool for pool in evaluation.state.pools.values()}
    return {
        **envelope("Standing"),
        **_ends(asked),
        "items": [_item(item, asked, pools.get(item.source)) for item in there],
    }


def _item(item: AddressUsage, asked: IPRange, pool: Pool | None) -> dict[str, Any]:
    shared = item.range.shared(asked) or asked
    return {
        "sort": item.sort,
        "title": item.title,
        **_ends(shared),
        "whole": _ends(item.range),
        "addressSpaces": list(item.spaces),
        "says": of_pool(pool, shared) if pool is not None and item.sort == "pool" else None,
        "source": {"path": item.source.path, "line": item.source.line},
    }


def _ends(item: IPRange) -> dict[str, str]:
    return {
        "start": format_address(item.version, item.first),
        "end": format_address(item.version, item.last),
    }


def pool_map_document(revision: str | None, maps: Iterable[PoolMap]) -> dict[str, Any]:
    """Return the maps of some pools."""
    return {
        **envelope("PoolMap"),
        "revision": revision,
        "items": [
            {"pool": str(found.pool), "parts": [_part(part) for part in found.parts]}
            for found in maps
        ],
    }


def _part(part: AddressPart) -> dict[str, Any]:
    record = part.record
    return {
        **ends(part.range),
        "count": part.range.size,
        "state": part.sort.value,
        "holder": part.title or None,
        "claim": str(record.claim) if record is not None else None,
    }


CausedEvent = tuple[RecordEvent, CommitCause | None]

HOLDER_COLUMNS = (
    "start", "end", "state", "space", "pool", "holder", "team", "claim", "record", "since",
    "until", "document", "commit", "date", "author", "request",
)  # fmt: skip
HISTORY_COLUMNS = (
    "date", "what", "start", "end", "holder", "team", "claim", "pool", "commit", "author",
    "request", "cause_commit", "cause_author", "cause", "former_holder",
)  # fmt: skip
# Spreadsheets take a cell with this first character for a formula.
_FORMULA = ("=", "+", "-", "@")


def holders_document(
    asked: str,
    revision: str | None,
    holders: Iterable[Holder],
    brought: dict[str, CausedEvent],
    history: Sequence[CausedEvent] | None,
) -> dict[str, Any]:
    """Return the holders of addresses, and optionally all of their history."""
    return {
        **envelope("Holders"),
        "revision": revision,
        "asked": asked,
        "items": [_holder(it, _of(it, brought)) for it in holders],
        "history": None if history is None else [happening_item(it) for it in history],
    }


def history_document(revision: str, told: Iterable[CausedEvent]) -> dict[str, Any]:
    """Return events, newest first."""
    return {
        **envelope("History"),
        "revision": revision,
        "items": [happening_item(it) for it in told],
    }


def happening_item(told: CausedEvent) -> dict[str, Any]:
    """Return the event of a claim's addresses in a commit."""
    item, cause = told
    fact = item.fact
    return {
        "what": item.what.value,
        "claim": fact.claim,
        "holder": fact.owner,
        "team": fact.team,
        "pool": fact.pool if item.range is not None else None,
        "range": _holders_range(item.range),
        "from": _holders_range(item.source),
        "formerHolder": item.giver or None,
        "heir": item.heir.name if item.heir is not None else None,
        "commit": _row(item.row),
        "cause": _cause(cause),
    }


def holder_rows(holders: Iterable[Holder], brought: dict[str, CausedEvent]) -> Iterator[str]:
    """Yield lines of CSV, with column names first."""
    yield _holders_line(HOLDER_COLUMNS)
    for holder in holders:
        item = _holder(holder, _of(holder, brought))
        commit = item["brought"]["commit"] if item["brought"] else {}
        yield _holders_line(
            [
                *(item[name] for name in HOLDER_COLUMNS[:11]),
                _place(item["document"]),
                *(commit.get(name) for name in ("id", "date", "author", "request")),
            ]
        )


def happening_rows(told: Iterable[CausedEvent]) -> Iterator[str]:
    """Yield lines of CSV, with column names first."""
    yield _holders_line(HISTORY_COLUMNS)
    for one in told:
        item = happening_item(one)
        span, commit, cause = item["range"] or {}, item["commit"], item["cause"] or {}
        brought = cause.get("commit") or {}
        yield _holders_line(
            [
                *(commit["date"], item["what"], span.get("start"), span.get("end")),
                *(item["holder"], item["team"], item["claim"], item["pool"], commit["id"]),
                *(commit["author"], brought.get("request") or commit["request"]),
                *(brought.get("id"), brought.get("author"), _place(cause)),
                item["formerHolder"],
            ]
        )


def former_holder(holder: Holder, told: CausedEvent | None) -> str:
    """Return the previous owner of addresses, or empty if the newest commit does not show it."""
    if holder.giver is not None:
        return holder.giver.short
    return told[0].giver if told is not None else ""


def _of(holder: Holder, brought: dict[str, CausedEvent]) -> CausedEvent | None:
    record = holder.part.record
    return brought.get(record.path) if record is not None else None


def _holder(holder: Holder, told: CausedEvent | None) -> dict[str, Any]:
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
        "whole": _holders_range(record.range) if record is not None else None,
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


def _neighbour(part: AddressPart | None) -> dict[str, Any] | None:
    if part is None:
        return None
    holder = part.record.owner.short if part.record is not None else part.title or None
    return {**ends(part.range), "state": part.sort.value, "holder": holder}


def _holders_range(item: IPRange | None) -> dict[str, str] | None:
    return None if item is None else ends(item)


def _location(place: Location | None) -> dict[str, Any] | None:
    return None if place is None else {"path": place.path, "line": place.line}


def _row(row: CommitRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "date": format_instant(row.clock),
        "author": row.author,
        "subject": row.subject,
        "request": row.request or None,
    }


def _cause(cause: CommitCause | None) -> dict[str, Any] | None:
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


def _holders_line(cells: Iterable[object]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return written.getvalue()


def _cell(value: object) -> str:
    text = "" if value is None else escape(str(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def outlook_document(
    revision: str, past: Past, found: Iterable[Outlook], idle: Idle | None = None
) -> dict[str, Any]:
    """Return the forecast of some pools, and the unused addresses if they are known."""
    return {
        **envelope("Forecast"),
        "revision": revision,
        "asOf": format_instant(past.clock),
        "historyDays": past.days,
        "items": [_outlook_pool(item) for item in found],
        "idle": None if idle is None else _idle(idle),
    }


def _idle(idle: Idle) -> dict[str, Any]:
    return {
        "resultRevision": idle.result,
        "isOtherRevision": idle.is_other,
        "tenants": [{"cluster": it.cluster, **_headroom(it)} for it in idle.items],
        "total": _headroom(idle.total),
    }


def _headroom(item: Headroom) -> dict[str, Any]:
    is_known = item.looked or not item.allocated
    return {
        "allocated": item.allocated,
        "used": item.used if is_known else None,
        "idle": item.idle if is_known else None,
        "notLookedAt": item.allocated - item.looked,
        "why": item.why or None,
    }


def _outlook_pool(item: Outlook) -> dict[str, Any]:
    return {
        "pool": str(item.pool),
        "total": item.total,
        "used": item.used,
        "utilizationPercent": percentage(item.used, item.total),
        "levels": [{"level": it.name, "addresses": it.addresses} for it in item.levels],
        "rates": [_rate(item, rate) for rate in item.rates],
        "medianShape": list(item.shape),
        "trend": [
            {"daysAgo": days, "used": used} for days, used in zip(TREND, item.trend, strict=False)
        ],
        "tenantsThatFit": item.fits,
        "moreFit": item.fits >= MAX_TENANTS,
    }


def _rate(item: Outlook, rate: Rate) -> dict[str, Any]:
    weeks = zip(item.levels, rate.weeks, strict=False)
    return {
        "days": rate.days,
        "enoughHistory": rate.change is not None,
        "change": rate.change,
        "weeks": [{"level": level.name, "weeks": count} for level, count in weeks],
    }


def explanation(evaluation: Evaluation, key: Key) -> dict[str, Any]:
    """Return everything that is known of a claim."""
    decision = next((item for item in evaluation.plan.decisions if item.claim == key), None)
    claim = evaluation.state.claims.get(key)
    record = current_records(it for it in evaluation.state.records if it.claim == key).get(key)
    remedies = [decision.hint] if isinstance(decision, Refuse) else []
    return {
        "apiVersion": API_VERSION,
        "kind": "Explanation",
        "claim": str(key),
        "action": action_name(decision, evaluation) if decision else "none",
        "verdict": _verdict(decision, evaluation),
        "asked": _asked(claim) if claim else _gone(evaluation, record),
        "record": record.path if record else None,
        "phase": record.phase.value if record else None,
        "since": record.since if record else None,
        "source": {"path": claim.source.path, "line": claim.source.line} if claim else None,
        "pools": [_explanation_pool(evaluation, pool, claim) for pool in claim.candidates]
        if claim
        else [],
        "remedies": (_remedies(evaluation, claim) if remedies and claim else []) + remedies,
        "patches": [],
    }


def _verdict(decision: Decision | None, evaluation: Evaluation) -> str:
    match decision:
        case Keep(allocation) | Release(allocation) if allocation.range:
            word = "keeps" if isinstance(decision, Keep) else "releases"
            giver = giver_of(decision, evaluation)
            whose = f", from {giver.short} to {allocation.owner.short}" if giver else ""
            return f"{word} {_explanation_range(allocation.range)} of {allocation.pool.name}{whose}"
        case Grant(allocation) if allocation.range:
            return f"gets {_explanation_range(allocation.range)} of {allocation.pool.name}"
        case Refuse(_, reason, message):
            return f"{reason}: {message}"
        case _:
            return "nothing asks for it any more"


def _explanation_range(item: IPRange) -> str:
    if item.size == 1:
        return format_short(item)
    blocks = cidrs_of(item)
    listed = f" ({', '.join(blocks)})" if len(blocks) <= 4 else ""
    return f"{format_short(item)}{listed}"


def _gone(evaluation: Evaluation, record: Allocation | None) -> str:
    """Return why a record has no claim. For growth of an existing tenant, its entry was removed."""
    is_entry = record is not None and record.path in evaluation.state.grown
    return f"nothing: its {'entry' if is_entry else 'document'} is gone"


def _asked(claim: Claim) -> str:
    if claim.pin is not None:
        return f"exactly {format_short(claim.pin)}"
    return "1 address" if claim.size == 1 else f"{claim.size} contiguous addresses"


def _explanation_pool(evaluation: Evaluation, key: Key, claim: Claim | None) -> dict[str, Any]:
    usage = evaluation.plan.after[key]
    return {
        "pool": str(key),
        "available": usage.available,
        "largestFreeBlock": usage.largest,
        "total": usage.total,
        "fits": claim is not None and usage.largest >= claim.size,
    }


def _remedies(evaluation: Evaluation, claim: Claim) -> list[str]:
    """Return fixes that do not touch a pool, best first: a smaller size, or released ranges."""
    found = []
    largest = max((evaluation.plan.after[key].largest for key in claim.candidates), default=0)
    if 0 < largest < claim.size and claim.pin is None:
        found.append(f"ask for at most {largest}: that is the largest free run")
    return [*found, *freeing(evaluation, claim)]


def simulation_document(result: Simulation) -> dict[str, Any]:
    """Return a simulation as a document."""
    refused, stopped = result.refused, result.stopped
    return {
        "apiVersion": API_VERSION,
        "kind": "Simulation",
        "requested": result.requested,
        "fit": result.fit,
        "passes": result.passes,
        "steps": [
            {
                "tenants": step.tenants,
                "pool": str(step.pool),
                "allocated": step.allocated,
                "held": step.held,
                "total": step.total,
                "utilizationPercent": step.percent,
                "tier": step.tier.value,
                "tiers": reached_tiers(step.tier),
            }
            for step in result.steps
        ],
        "refused": None
        if refused is None
        else {
            "claim": str(refused.claim),
            "reason": refused.reason,
            "message": refused.message,
            "hint": refused.hint,
        },
        "stopped": None
        if stopped is None
        else {"code": stopped.code, "message": stopped.message, "hint": stopped.hint},
    }


def reached_tiers(tier: Tier) -> str:
    """Return all reached tiers, matching the True conditions of a pool."""
    reached = [item.value for item in Tier if 0 < item.rank <= tier.rank]
    return "+".join(reached) or "none"


def verification_document(
    revision: str, found: Sequence[Verified], exit_code: int
) -> dict[str, Any]:
    """Return the verification of all commits, newest first."""
    counts = {verdict.value: 0 for verdict in ReplayVerdict}
    for item in found:
        counts[item.verdict.value] += 1
    return {
        **envelope("Verification"),
        "revision": revision,
        "exitCode": int(exit_code),
        "summary": counts,
        "commits": [_commit(item) for item in found],
    }


def _commit(item: Verified) -> dict[str, Any]:
    return {
        "commit": item.commit,
        "verdict": item.verdict.value,
        "wrong": item.is_wrong,
        "date": None if item.clock is None else format_instant(item.clock),
        "author": item.author,
        "subject": item.subject,
        "version": item.version or None,
        "files": list(item.files),
    }


def import_document(result: Imported, written: Sequence[str], exit_code: int) -> dict[str, Any]:
    """Return old and new range of each import, conflicts, files, and the resulting plan.

    Args:
        result: The import.
        written: Paths of the files that were written.
        exit_code: Exit code of the run.
    """
    return {
        **envelope("ImportResult"),
        "exitCode": int(exit_code),
        "moved": moved(result),
        "ranges": [_importing_line(line) for line in result.lines],
        "conflicts": listed_findings(result.conflicts),
        "notes": list(result.notes),
        "files": sorted(result.files),
        "written": sorted(written),
        "plan": plan_document(result.after),
    }


def moved(result: Imported) -> int:
    """Return the number of imports whose new range differs from the old one."""
    return sum(1 for line in result.lines if line.old and line.new and not line.is_same)


def _importing_line(line: RangeChange) -> dict[str, Any]:
    place = line.place
    return {
        "owner": line.owner,
        "type": line.type,
        "pool": line.pool,
        "old": _importing_range(line.old),
        "new": _importing_range(line.new),
        "path": place.path,
        "line": place.line,
        "users": list(line.users),
    }


def _importing_range(item: IPRange | None) -> str | None:
    return format_range(item) if item is not None else None
