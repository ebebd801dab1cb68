"""JSON and YAML documents."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from reconciler.addresses import IPRange, ends, format_short
from reconciler.documents.findings import Finding, Location
from reconciler.model.applied import Applied, ObjectOutcome, ObjectResult
from reconciler.model.key import Key
from reconciler.model.plan import Cause, Usage
from reconciler.model.settings import Settings
from reconciler.planning.digest import actions, digest, summary
from reconciler.planning.evaluate import Evaluation
from reconciler.report.findings import capped
from reconciler.report.formats import envelope
from reconciler.review.result import Compared, Second, Together


def plan_document(
    evaluation: Evaluation, *, base: str | None = None, keeps: bool = False
) -> dict[str, Any]:
    """Return the plan as a document."""
    decided = actions(evaluation, keeps=keeps)
    return {
        **envelope("Plan"),
        "revision": evaluation.tree.revision,
        "base": base,
        "digest": digest(decided),
        "changed": bool(evaluation.changes),
        "summary": summary(evaluation),
        "actions": decided,
        "pools": pools(evaluation),
        "findings": listed_findings(evaluation.findings, evaluation.tree.settings),
    }


def pools(evaluation: Evaluation, *, today: bool = False) -> list[dict[str, Any]]:
    """Return the usage of all pools after the plan, or today."""
    found = []
    for key, usage in evaluation.plan.after.items():
        before, after = usage_item(evaluation.plan.before[key]), usage_item(usage)
        names = ["allocated", "utilizationPercent", "tier"]
        if before["total"] != after["total"]:
            names += ["total", "available", "largestFreeBlock"]
        changed = {name: before[name] for name in names}
        found.append({"pool": str(key), **(before if today else after), "before": changed})
    return found


def free_blocks(usage: Usage) -> dict[str, Any]:
    """Return the free blocks of a pool whose records have prefixes, else nothing."""
    blocks = [{"prefixLength": length, "count": count} for length, count in usage.blocks]
    return {"freeBlocks": blocks} if blocks else {}


def usage_item(usage: Usage) -> dict[str, Any]:
    """Return the usage of a pool."""
    return {
        "total": usage.total,
        "allocated": usage.allocated,
        "held": usage.held,
        "available": usage.available,
        "allocationCount": usage.count,
        "fragmentationPercent": usage.fragmentation,
        "largestFreeBlock": usage.largest,
        **free_blocks(usage),
        "utilizationPercent": usage.percent,
        "tier": usage.tier.value,
    }


def path_and_line(place: Location | None) -> dict[str, Any] | None:
    """Return the file and the line of a place, or None without a place."""
    return None if place is None else {"path": place.path, "line": place.line}


def listed_findings(
    findings: Sequence[Finding], settings: Settings | None = None
) -> list[dict[str, Any]]:
    """Return the most severe findings, and the number of the others."""
    listed = map(finding, capped(findings))
    if settings is None or not settings.docs_url:
        return list(listed)
    return [{**document, "url": settings.url_of(document["code"])} for document in listed]


def finding(item: Finding) -> dict[str, Any]:
    """Return a finding as a document."""
    return {
        "code": item.code,
        "severity": item.severity.value,
        "message": item.message,
        **asdict(item.location),
        "hint": item.hint,
    }


def check_document(compared: Compared, plan: Mapping[str, Any], exit_code: int) -> dict[str, Any]:
    """Return the result of a check. Findings of the base and of other changes are separate."""
    evaluation, within = compared.evaluation, compared.within_contract
    settings = evaluation.tree.settings
    return {
        **envelope("Check"),
        "ok": exit_code == 0,
        "exitCode": int(exit_code),
        "findings": listed_findings(evaluation.findings, settings),
        "gates": listed_findings(evaluation.gates, settings),
        "inherited": listed_findings(compared.inherited, settings),
        "beside": [_together(it) for it in compared.also],
        "causes": causes_listed(compared.causes),
        "withinContract": within and {"team": within.team or None, "reasons": list(within.reasons)},
        "plan": plan,
    }


def causes_listed(causes: Sequence[Cause]) -> list[dict[str, Any]]:
    """Return all causes as data, in the order of the plan."""
    return [
        {
            "claim": str(it.claim),
            **(path_and_line(it.place) or {"path": None, "line": None}),
            "commit": it.commit or None,
            "caused": it.is_caused,
            "reason": it.reason,
        }
        for it in causes
    ]


def _together(item: Together) -> dict[str, Any]:
    return {
        "name": item.name,
        "revision": item.revision or None,
        "notLookedAt": item.why,
        "conflicts": list(item.conflicts),
        "both": [
            {
                "claim": str(it.ours),
                "other": str(it.theirs),
                "pool": str(it.pool),
                "addresses": format_short(it.range),
            }
            for it in item.both
        ],
        "secondHere": [_second(it) for it in item.ours],
        "secondThere": [_second(it) for it in item.theirs],
        "pools": [
            {
                "pool": str(it.pool),
                "percent": it.alone.percent,
                "tier": it.alone.tier.value,
                "percentTogether": it.together.percent,
                "tierTogether": it.together.tier.value,
            }
            for it in item.pools
        ],
        "wrong": listed_findings(item.wrong),
    }


def _second(item: Second) -> dict[str, Any]:
    return {
        "claim": str(item.claim),
        "alone": format_short(item.alone),
        "then": format_short(item.then) if item.then is not None else None,
        "reason": item.reason,
    }


def reconcile_document(
    evaluation: Evaluation, base: str, commit: str | None, *, attempts: int, exit_code: int
) -> dict[str, Any]:
    """Return the result of a reconcile."""
    return {
        **envelope("ReconcileResult"),
        "base": base,
        "commit": commit,
        "pushed": commit is not None,
        "proposed": None,
        "attempts": attempts,
        "plan": plan_document(evaluation),
        "apply": None,
        "exitCode": int(exit_code),
    }


def apply_document(applied: Sequence[Applied], revision: str, exit_code: int) -> dict[str, Any]:
    """Return all clusters, with their objects except for unchanged ones."""
    return {
        **envelope("ApplyResult"),
        "revision": revision,
        "exitCode": exit_code,
        "clusters": [_cluster(item) for item in applied],
    }


def _cluster(item: Applied) -> dict[str, Any]:
    error = f"{item.error}; {item.hint}" if item.hint else item.error
    uses = item.uses
    return {
        "cluster": item.cluster,
        "uid": item.uid or None,
        "revision": item.revision or None,
        **{result.value: item.count(result) for result in ObjectResult},
        "state": item.state.value,
        "requests": dict(zip(("list", "patch", "delete"), item.requests, strict=True)),
        "error": error or None,
        "notes": list(item.notes),
        "uses": None
        if uses is None
        else [{"record": it.record, **ends(IPRange(*it.range)), "used": it.used} for it in uses],
        "objects": [_object(o) for o in item.outcomes if o.result is not ObjectResult.UNCHANGED],
    }


def _object(outcome: ObjectOutcome) -> dict[str, Any]:
    drift = outcome.drift
    return {
        "object": outcome.object,
        "result": outcome.result.value,
        "drift": drift
        and {
            "manager": drift.manager or None,
            "time": drift.time or None,
            "fields": list(drift.fields),
        },
        "error": outcome.error or None,
    }


def pool_list(evaluation: Evaluation, keys: Iterable[Key] | None = None) -> dict[str, Any]:
    """Return pools as they are today, selected ones or all."""
    named = None if keys is None else {str(key) for key in keys}
    found = pools(evaluation, today=True)
    return {
        **envelope("PoolList"),
        "revision": evaluation.tree.revision,
        "items": [it for it in found if named is None or it["pool"] in named],
    }
