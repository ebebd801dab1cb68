"""JSON documents of queries."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import IPRange, cidrs_of, ends, format_range, format_short
from reconciler.documents.text import escape
from reconciler.gitio.interface import CommitRow, ReplayVerdict
from reconciler.history.applied import Headroom, Idle
from reconciler.history.commits import Caused, CommitCause
from reconciler.history.queries import MAX_TENANTS, TREND, Outlook, Past
from reconciler.history.runs import FreeSpace, freeing
from reconciler.history.who import Holder
from reconciler.importing.assembling import Imported
from reconciler.model.claim import Allocation, Claim, current_records
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant, Keep, Refuse, Release
from reconciler.model.pool import Pool, Tier
from reconciler.planning.digest import action_name, giver_of
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, PoolMap
from reconciler.planning.space import AddressUsage, everything, of_pool
from reconciler.reconcile.doctor import Diagnosis
from reconciler.reconcile.remedies import taken_of
from reconciler.reconcile.simulate import Simulation
from reconciler.reconcile.verify import Verified
from reconciler.report.formats import envelope
from reconciler.report.json import free_blocks, listed_findings, path_and_line, plan_document


def free_runs_document(found: FreeSpace) -> dict[str, Any]:
    """Return free ranges as a document."""
    return {
        **envelope("FreeRuns"),
        "revision": found.revision,
        "count": found.wanted.count if found.wanted.prefix is None else None,
        "prefix": found.wanted.prefix,
        "fits": found.fits,
        "items": [
            {
                "pool": str(runs.pool),
                "available": runs.free,
                "closed": runs.closed or None,
                "fits": [
                    {"block": ends(fit.block), "run": _sized(fit.run), "isNext": fit.is_next}
                    for fit in runs.fits
                ],
                "largest": [_sized(run) for run in runs.largest],
                "held": [{**_sized(it.range), "until": _instant(it.until)} for it in runs.held],
                "fitsFrom": _instant(runs.fits_from),
            }
            for runs in found.pools
        ],
    }


def _sized(item: IPRange) -> dict[str, Any]:
    return {**ends(item), "count": item.size}


def _instant(seconds: int | None) -> str | None:
    return None if seconds is None else format_instant(seconds)


_ORDER = ("pool", "record", "in-use", "gateway", "pods", "services")


def objects_at(evaluation: Evaluation, asked: IPRange) -> dict[str, Any]:
    """Return all objects at some addresses, pools first."""
    there = [item for item in everything(evaluation.state) if item.range.overlaps(asked)]
    there.sort(key=lambda item: (_ORDER.index(item.sort), item))
    pools = {pool.source: pool for pool in evaluation.state.pools.values()}
    return {
        **envelope("Standing"),
        **ends(asked),
        "items": [_use(item, asked, pools.get(item.source)) for item in there],
    }


def _use(item: AddressUsage, asked: IPRange, pool: Pool | None) -> dict[str, Any]:
    shared = item.range.shared(asked) or asked
    return {
        "sort": item.sort,
        "title": item.title,
        **ends(shared),
        "whole": ends(item.range),
        "addressSpaces": list(item.spaces),
        "says": of_pool(pool, shared) if pool is not None and item.sort == "pool" else None,
        "source": path_and_line(item.source),
    }


def pool_map_document(revision: str | None, maps: Iterable[PoolMap]) -> dict[str, Any]:
    """Return the maps of some pools."""
    return {
        **envelope("PoolMap"),
        "revision": revision,
        "items": [
            {
                "pool": str(found.pool),
                "parts": [
                    {
                        **ends(it.range),
                        "count": it.range.size,
                        "state": it.sort.value,
                        "holder": it.title or None,
                        "claim": str(it.record.claim) if it.record is not None else None,
                    }
                    for it in found.parts
                ],
            }
            for found in maps
        ],
    }


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
    brought: Mapping[str, Caused],
    history: Sequence[Caused] | None,
) -> dict[str, Any]:
    """Return the holders of addresses, and optionally all of their history."""
    return {
        **envelope("Holders"),
        "revision": revision,
        "asked": asked,
        "items": [_holder(it, commit_of(it, brought)) for it in holders],
        "history": None if history is None else [event_item(it) for it in history],
    }


def history_document(revision: str, events: Iterable[Caused]) -> dict[str, Any]:
    """Return events, newest first."""
    return {**envelope("History"), "revision": revision, "items": [event_item(it) for it in events]}


def event_item(event: Caused) -> dict[str, Any]:
    """Return the event of a claim's addresses in a commit."""
    item, cause = event
    record = item.record
    return {
        "what": item.what.value,
        "claim": str(record.claim),
        "holder": record.owner.short,
        "team": record.owner.team,
        "pool": str(record.pool) if item.range is not None else None,
        "range": _ends(item.range),
        "from": _ends(item.source),
        "formerHolder": item.giver or None,
        "heir": item.heir.claim.short if item.heir is not None else None,
        "commit": _row(item.row),
        "cause": _cause(cause),
    }


def holder_rows(holders: Iterable[Holder], brought: Mapping[str, Caused]) -> Iterator[str]:
    """Yield lines of CSV, with column names first."""
    yield _csv_line(HOLDER_COLUMNS)
    for holder in holders:
        item = _holder(holder, commit_of(holder, brought))
        commit = item["brought"]["commit"] if item["brought"] else {}
        yield _csv_line(
            [
                *(item[name] for name in HOLDER_COLUMNS[:11]),
                _place(item["document"]),
                *(commit.get(name) for name in ("id", "date", "author", "request")),
            ]
        )


def event_rows(events: Iterable[Caused]) -> Iterator[str]:
    """Yield lines of CSV, with column names first."""
    yield _csv_line(HISTORY_COLUMNS)
    for event in events:
        item = event_item(event)
        span, commit, cause = item["range"] or {}, item["commit"], item["cause"] or {}
        brought = cause.get("commit") or {}
        yield _csv_line(
            [
                *(commit["date"], item["what"], span.get("start"), span.get("end")),
                *(item["holder"], item["team"], item["claim"], item["pool"], commit["id"]),
                *(commit["author"], brought.get("request") or commit["request"]),
                *(brought.get("id"), brought.get("author"), _place(cause)),
                item["formerHolder"],
            ]
        )


def former_holder(holder: Holder, event: Caused | None) -> str:
    """Return the previous owner of addresses, or empty if the newest commit does not show it."""
    if holder.giver is not None:
        return holder.giver.short
    return event[0].giver if event is not None else ""


def commit_of(holder: Holder, brought: Mapping[str, Caused]) -> Caused | None:
    """Return the newest event of the record that holds addresses, or None."""
    record = holder.part.record
    return brought.get(record.path) if record is not None else None


def _holder(holder: Holder, event: Caused | None) -> dict[str, Any]:
    part, record = holder.part, holder.part.record
    return {
        **ends(part.range),
        "state": part.sort.value,
        "space": part.space or None,
        "pool": str(part.pool) if part.pool is not None else None,
        "holder": record.owner.short if record is not None else part.title or None,
        "formerHolder": former_holder(holder, event) or None,
        "team": record.owner.team if record is not None else None,
        "claim": str(record.claim) if record is not None else None,
        "record": record.path if record is not None else None,
        "whole": _ends(record.range) if record is not None else None,
        "since": record.since if record is not None else None,
        "until": _instant(holder.until),
        "announced": record is not None and record.announced,
        "document": path_and_line(holder.document or (None if record is not None else part.source)),
        "before": _neighbour(holder.before),
        "after": _neighbour(holder.after),
        "brought": event
        and {"what": event[0].what.value, "commit": _row(event[0].row), "cause": _cause(event[1])},
    }


def _neighbour(part: AddressPart | None) -> dict[str, Any] | None:
    if part is None:
        return None
    holder = part.record.owner.short if part.record is not None else part.title or None
    return {**ends(part.range), "state": part.sort.value, "holder": holder}


def _ends(item: IPRange | None) -> dict[str, str] | None:
    return None if item is None else ends(item)


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


def _csv_line(cells: Iterable[object]) -> str:
    written = io.StringIO()
    texts = ["" if it is None else escape(str(it)) for it in cells]
    row = [f"'{text}" if text.startswith(_FORMULA) else text for text in texts]
    csv.writer(written, lineterminator="\n").writerow(row)
    return written.getvalue()


def outlook_document(
    revision: str, past: Past, found: Iterable[Outlook], idle: Idle | None = None
) -> dict[str, Any]:
    """Return the forecast of some pools, and the unused addresses if they are known."""
    return {
        **envelope("Forecast"),
        "revision": revision,
        "asOf": format_instant(past.clock),
        "historyDays": past.days,
        "items": [outlook_item(item) for item in found],
        "idle": idle
        and {
            "resultRevision": idle.result,
            "isOtherRevision": idle.is_other,
            "tenants": [{"cluster": it.cluster, **_headroom(it)} for it in idle.items],
            "total": _headroom(idle.total),
        },
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


def outlook_item(item: Outlook) -> dict[str, Any]:
    """Return the forecast of a pool."""
    return {
        "pool": str(item.pool),
        "total": item.usage.total,
        "used": item.used,
        "utilizationPercent": item.usage.percent,
        **free_blocks(item.usage),
        "levels": [{"level": it.name, "addresses": it.addresses} for it in item.levels],
        "rates": [
            {
                "days": rate.days,
                "enoughHistory": rate.change is not None,
                "change": rate.change,
                "weeks": [
                    {"level": level.name, "weeks": weeks}
                    for level, weeks in zip(item.levels, rate.weeks, strict=False)
                ],
            }
            for rate in item.rates
        ],
        "medianShape": list(item.shape),
        "trend": [
            {"daysAgo": days, "used": used} for days, used in zip(TREND, item.trend, strict=False)
        ],
        "tenantsThatFit": item.fits,
        "moreFit": item.fits >= MAX_TENANTS,
    }


def explanation(evaluation: Evaluation, key: Key) -> dict[str, Any]:
    """Return everything that is known of a claim."""
    decision = next((item for item in evaluation.plan.decisions if item.claim == key), None)
    claim = evaluation.state.claims.get(key)
    record = current_records(it for it in evaluation.state.records if it.claim == key).get(key)
    remedies = []
    if claim and isinstance(decision, Refuse):
        hint = decision.hint.replace(f" (ipam explain {key.argument} shows how many)", "")
        remedies = [*freeing(evaluation, claim), hint]
    return {
        **envelope("Explanation"),
        "claim": str(key),
        "action": action_name(decision, evaluation) if decision else "none",
        "verdict": _verdict(decision, evaluation),
        "reason": _reason(decision, evaluation, claim),
        "asked": _asked(evaluation, claim, record),
        "record": record.path if record else None,
        "phase": record.phase.value if record else None,
        "since": record.since if record else None,
        "source": path_and_line(claim.source if claim else None),
        "pools": [_candidate(evaluation, it, claim) for it in claim.candidates] if claim else [],
        "remedies": remedies,
        "patches": [],
    }


def _verdict(decision: Decision | None, evaluation: Evaluation) -> str:
    match decision:
        case Keep(allocation) | Release(allocation) if allocation.range:
            word = "keeps" if isinstance(decision, Keep) else "releases"
            giver = giver_of(decision, evaluation)
            whose = f", from {giver.short} to {allocation.owner.short}" if giver else ""
            return f"{word} {_with_blocks(allocation.range)} in pool {allocation.pool.name}{whose}"
        case Grant(allocation) if allocation.range:
            return f"gets {_with_blocks(allocation.range)} in pool {allocation.pool.name}"
        case Refuse(_, reason, message):
            return f"{reason}: {message}"
        case _:
            return "no document asks for it"


def _reason(decision: Decision | None, evaluation: Evaluation, claim: Claim | None) -> str | None:
    """Return why a claim has its range and no other; None without a range."""
    record = decision.allocation if isinstance(decision, Grant | Keep) else None
    pool = evaluation.state.pools.get(record.pool) if record is not None else None
    if not (claim and record and record.range and pool):
        return None
    if claim.pin is not None:
        return "the claim pins this range"
    rule = pool.placement.value
    if isinstance(decision, Keep):
        return (
            f"its record holds it since {record.allocated_at}; the pool places new ranges by {rule}"
        )
    free = [it for it in pool.usable - taken_of(evaluation, pool) if it.size >= claim.size]
    if own := [it for it in free if it.covers(record.range)]:
        others = f"other free ranges that fit: {len(free) - 1}"
        return f"{rule}, from {format_short(own[0])} ({own[0].size} free); {others}"
    return "the claim held this range before, and it is still reserved for it"


def _with_blocks(item: IPRange) -> str:
    blocks = cidrs_of(item)
    listed = f" ({', '.join(blocks)})" if item.size > 1 and len(blocks) <= 4 else ""
    return f"{format_short(item)}{listed}"


def _asked(evaluation: Evaluation, claim: Claim | None, record: Allocation | None) -> str:
    if claim is None:
        is_growth = record is not None and record.path in evaluation.state.grown
        return f"nothing: its {'entry' if is_growth else 'document'} was removed"
    if claim.pin is not None:
        return f"exactly {format_short(claim.pin)}"
    return "1 address" if claim.size == 1 else f"{claim.size} contiguous addresses"


def _candidate(evaluation: Evaluation, key: Key, claim: Claim) -> dict[str, Any]:
    usage = evaluation.plan.after[key]
    return {
        "pool": str(key),
        "available": usage.available,
        "largestFreeBlock": usage.largest,
        "total": usage.total,
        "fits": usage.largest >= claim.size,
    }


def simulation_document(result: Simulation) -> dict[str, Any]:
    """Return a simulation as a document."""
    refused, stopped = result.refused, result.stopped
    return {
        **envelope("Simulation"),
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
        "refused": refused
        and {
            "claim": str(refused.claim),
            "reason": refused.reason,
            "message": refused.message,
            "hint": refused.hint,
        },
        "stopped": stopped
        and {"code": stopped.code, "message": stopped.message, "hint": stopped.hint},
    }


def reached_tiers(tier: Tier) -> str:
    """Return all reached tiers, matching the True conditions of a pool."""
    reached = [item.value for item in Tier if 0 < item.rank <= tier.rank]
    return "+".join(reached) or "none"


def verification_document(
    revision: str, found: Sequence[Verified], exit_code: int
) -> dict[str, Any]:
    """Return the verification of all commits, newest first."""
    counts = {it.value: sum(one.verdict is it for one in found) for it in ReplayVerdict}
    return {
        **envelope("Verification"),
        "revision": revision,
        "exitCode": int(exit_code),
        "summary": counts,
        "commits": [
            {
                "commit": it.commit,
                "verdict": it.verdict.value,
                "wrong": it.is_wrong,
                "date": _instant(it.clock),
                "author": it.author,
                "subject": it.subject,
                "version": it.version or None,
                "files": list(it.files),
            }
            for it in found
        ],
    }


def import_document(result: Imported, written: Sequence[str], exit_code: int) -> dict[str, Any]:
    """Return old and new range of each import, conflicts, files, and the resulting plan."""
    return {
        **envelope("ImportResult"),
        "exitCode": int(exit_code),
        "moved": moved(result),
        "ranges": [
            {
                "owner": it.owner,
                "type": it.type,
                "pool": it.pool,
                "old": format_range(it.old) if it.old is not None else None,
                "new": format_range(it.new) if it.new is not None else None,
                "path": it.place.path,
                "line": it.place.line,
                "users": list(it.users),
            }
            for it in result.lines
        ],
        "conflicts": listed_findings(result.conflicts),
        "notes": list(result.notes),
        "files": sorted(result.files),
        "written": sorted(written),
        "plan": plan_document(result.after),
    }


def moved(result: Imported) -> int:
    """Return the number of imports whose new range differs from the old one."""
    return sum(1 for line in result.lines if line.old and line.new and not line.is_same)


def diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return all checks of a diagnosis."""
    return {
        **envelope("Diagnosis"),
        "revision": diagnosis.revision or None,
        "exitCode": int(diagnosis.exit_code),
        "groups": [
            {
                "group": group.name,
                "verdict": group.verdict.value,
                "checks": [
                    {
                        "check": check.name,
                        "verdict": check.verdict.value,
                        "message": check.message,
                        "hint": check.hint or None,
                    }
                    for check in group.checks
                ],
            }
            for group in diagnosis.groups
        ],
    }
