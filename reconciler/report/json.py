"""JSON and YAML documents."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from reconciler.addresses import format_address, format_short
from reconciler.apply.elastic import Use
from reconciler.apply.plan import Applied, ObjectOutcome, ObjectResult
from reconciler.documents.findings import Finding, join_limited
from reconciler.documents.text import escape_json
from reconciler.documents.yaml import dump
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Within
from reconciler.planning.digest import actions, digest, summary
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.doctor_cluster import Diagnosis, DiagnosisCheck
from reconciler.report.findings import capped
from reconciler.report.moves import causes_listed
from reconciler.review.result import Compared, Fuller, Second, Together

API_VERSION = "gitops-ipam.dev/v1alpha1"


def json_text(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Return an indented JSON document with a final line feed."""
    return escape_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def json_line(value: Mapping[str, Any]) -> str:
    """Return a JSON document on one line (JSON Lines), for loops."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + "\n"


def envelope(kind: str) -> dict[str, str]:
    """Return the common first fields of every document."""
    return {"apiVersion": API_VERSION, "kind": kind}


def yaml_text(value: Mapping[str, Any]) -> str:
    """Return the same document as canonical YAML."""
    return dump({**value, **_floats(value)})


def _floats(value: Any) -> Any:
    """Replace floats, which canonical YAML lacks, by decimal strings."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(item) for item in value]
    return value


def plan_document(
    evaluation: Evaluation, *, base: str | None = None, keeps: bool = False
) -> dict[str, Any]:
    """Return the plan as a document."""
    decided = actions(evaluation, keeps=keeps)
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "revision": evaluation.tree.revision,
        "base": base,
        "digest": digest(decided),
        "changed": bool(evaluation.changes),
        "summary": summary(evaluation),
        "actions": decided,
        "pools": pools(evaluation),
        "findings": listed_findings(evaluation.findings),
    }


def pools(evaluation: Evaluation, *, today: bool = False) -> list[dict[str, Any]]:
    """Return the usage of all pools after the plan, or today."""
    plan = evaluation.plan
    return [
        {
            "pool": str(key),
            **_usage(plan.before[key] if today else plan.after[key]),
            "before": _before(plan.before[key], plan.after[key]),
        }
        for key in evaluation.plan.after
    ]


def listed_findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return the most severe findings, and the number of the others."""
    return [finding(item) for item in capped(findings)]


def finding(item: Finding) -> dict[str, Any]:
    """Return a finding as a document."""
    return {
        "code": item.code,
        "severity": item.severity.value,
        "message": item.message,
        "path": item.location.path,
        "line": item.location.line,
        "column": item.location.column,
        "pointer": item.location.pointer,
        "hint": item.hint,
    }


def check_document(
    evaluation: Evaluation,
    plan: Mapping[str, Any],
    exit_code: int,
    inherited: Sequence[Finding] = (),
    beside: Compared | None = None,
) -> dict[str, Any]:
    """Return the result of a check. Findings of the base and of other changes are separate."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Check",
        "ok": exit_code == 0,
        "exitCode": int(exit_code),
        "findings": listed_findings(evaluation.findings),
        "gates": listed_findings(evaluation.gates),
        "inherited": listed_findings(inherited),
        "beside": _together(beside.also if beside is not None else ()),
        "causes": causes_listed(beside.causes if beside is not None else ()),
        "withinContract": _within(beside.within_contract if beside is not None else None),
        "plan": plan,
    }


def _within(found: Within | None) -> dict[str, Any] | None:
    """Return whether a change stays within the rights of one team, or None if unknown."""
    if found is None:
        return None
    return {"team": found.team or None, "reasons": list(found.reasons)}


def reconcile_document(
    evaluation: Evaluation, base: str, commit: str | None, *, attempts: int, exit_code: int
) -> dict[str, Any]:
    """Return the result of a reconcile."""
    return {
        "apiVersion": API_VERSION,
        "kind": "ReconcileResult",
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


def served_listed(waits: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
    """Return the clusters with completed growth, and the waiting time in seconds."""
    return [{"cluster": cluster, "seconds": round(seconds, 1)} for cluster, seconds in waits]


def diagnosis_document(diagnosis: Diagnosis, exit_code: int) -> dict[str, Any]:
    """Return all checks of a diagnosis."""
    return {
        **envelope("Diagnosis"),
        "revision": diagnosis.revision or None,
        "exitCode": int(exit_code),
        "groups": [
            {
                "group": group.name,
                "verdict": group.verdict.value,
                "checks": [_check(check) for check in group.checks],
            }
            for group in diagnosis.groups
        ],
    }


def pool_list(evaluation: Evaluation, keys: Iterable[Key] | None = None) -> dict[str, Any]:
    """Return pools as they are today, selected ones or all."""
    named = None if keys is None else {str(key) for key in keys}
    found = pools(evaluation, today=True)
    return {
        "apiVersion": API_VERSION,
        "kind": "PoolList",
        "revision": evaluation.tree.revision,
        "items": [it for it in found if named is None or it["pool"] in named],
    }


def document_list(kind: str, documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return source documents as a Kubernetes list."""
    return {"apiVersion": "v1", "kind": kind, "items": [dict(item) for item in documents]}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "total": usage.total,
        "allocated": usage.allocated,
        "held": usage.held,
        "available": usage.available,
        "allocationCount": usage.count,
        "fragmentationPercent": usage.fragmentation,
        "largestFreeBlock": usage.largest,
        "utilizationPercent": usage.percent,
        "tier": usage.tier.value,
    }


def _before(usage: Usage, after: Usage) -> dict[str, Any]:
    size = {
        "total": usage.total,
        "available": usage.available,
        "largestFreeBlock": usage.largest,
    }
    return {
        "allocated": usage.allocated,
        "utilizationPercent": usage.percent,
        "tier": usage.tier.value,
        **(size if usage.total != after.total else {}),
    }


def _cluster(item: Applied) -> dict[str, Any]:
    error = f"{item.error}; {item.hint}" if item.hint else item.error
    listed, patched, deleted = item.requests
    return {
        "cluster": item.cluster,
        "uid": item.uid or None,
        "revision": item.revision or None,
        **{result.value: item.count(result) for result in ObjectResult},
        "state": item.state.value,
        "requests": {"list": listed, "patch": patched, "delete": deleted},
        "error": error or None,
        "notes": list(item.notes),
        "uses": None if item.uses is None else [_use(it) for it in item.uses],
        "objects": [_object(o) for o in item.outcomes if o.result is not ObjectResult.UNCHANGED],
    }


def _use(item: Use) -> dict[str, Any]:
    version, first, last = item.range
    return {
        "record": item.record,
        "start": format_address(version, first),
        "end": format_address(version, last),
        "used": item.used,
    }


def _object(outcome: ObjectOutcome) -> dict[str, Any]:
    drift = outcome.drift
    return {
        "object": outcome.object,
        "result": outcome.result.value,
        "drift": {
            "manager": drift.manager or None,
            "time": drift.time or None,
            "fields": list(drift.fields),
        }
        if drift
        else None,
        "error": outcome.error or None,
    }


def _check(check: DiagnosisCheck) -> dict[str, Any]:
    return {
        "check": check.name,
        "verdict": check.verdict.value,
        "message": check.message,
        "mend": check.mend or None,
    }


def _together(items: Sequence[Together]) -> list[dict[str, Any]]:
    """Return other changes as data, in the requested order."""
    return [
        {
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
            "secondHere": [_second_listed(it) for it in item.ours],
            "secondThere": [_second_listed(it) for it in item.theirs],
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
        for item in items
    ]


def _second_listed(item: Second) -> dict[str, Any]:
    return {
        "claim": str(item.claim),
        "alone": format_short(item.alone),
        "then": format_short(item.then) if item.then is not None else None,
        "reason": item.reason,
    }


_MAX_TOGETHER = 10


def title_of(item: Together) -> str:
    """Return the title of another change."""
    return f"{item.name} ({item.revision[:12]})" if item.revision else item.name


def sentences_of(item: Together) -> Iterator[str]:
    """Yield a sentence per effect of merging both changes, or one sentence if there is none."""
    if item.why:
        yield f"not looked at: {item.why}"
    if item.conflicts:
        yield f"whoever is merged second has a conflict in {join_limited(item.conflicts)}"
    for both in item.both:
        what = f"{format_short(both.range)} of {both.pool.name}"
        yield f"both would take {what}: {_claim(both.ours)} here, {_claim(both.theirs)} there"
    for whose, seconds in (("this one", item.ours), ("that one", item.theirs)):
        for second in seconds:
            yield f"if {whose} is merged second, {_second(second)}"
    for pool in item.pools:
        yield _fuller(pool)
    yield from _wrong(item)
    if not item.is_told:
        yield "neither changes what the other one gets"


def _claim(claim: Key) -> str:
    return f"{claim._replace(slot='').short} ({claim.slot})"


def _second(second: Second) -> str:
    alone, claim = format_short(second.alone), _claim(second.claim)
    if second.then is None:
        return f"{claim} is refused ({second.reason}); alone it gets {alone}"
    return f"{claim} gets {format_short(second.then)} instead of {alone}"


def _wrong(item: Together) -> Iterator[str]:
    for finding in item.wrong[:_MAX_TOGETHER]:
        yield f"only both together: {finding.code}: {finding.message}"
    if len(item.wrong) > _MAX_TOGETHER:
        yield f"only both together: {len(item.wrong) - _MAX_TOGETHER} more that are wrong"


def _fuller(item: Fuller) -> str:
    alone, both = item.alone, item.together
    words = f"{item.pool.name} is {both.percent}% full with both: {both.tier.value}"
    return f"{words}; with this one alone {alone.percent}%: {alone.tier.value}"
