"""Evaluations as JSON: the shapes of `contract.md` §6, with a schema each in `schemas/output/`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from reconciler.addresses.notation import format_address, format_cidr
from reconciler.documents.dump import dump
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location
from reconciler.model import record_kind
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, Usage
from reconciler.records.emit import record_document
from reconciler.records.layout import path_of
from reconciler.report.escape import escape_json

API_VERSION = "gitops-ipam.dev/v1alpha1"
_NAMES = {Keep: "keep", Grant: "allocate", Release: "release", Expire: "expire", Refuse: "refuse"}
_DIGESTED = ("action", "claim", "record", "pool", "start", "end", "count", "reason")


def json_text(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """One JSON document, indented, with a final line feed."""
    return escape_json(json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def json_line(value: Mapping[str, Any]) -> str:
    """One JSON document on one line (JSON Lines), for loops."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) + "\n"


def envelope(kind: str) -> dict[str, str]:
    """What every document of ours begins with."""
    return {"apiVersion": API_VERSION, "kind": kind}


def yaml_text(value: Mapping[str, Any]) -> str:
    """The same document as canonical YAML."""
    return dump({**value, **_floats(value)})


def _floats(value: Any) -> Any:
    """YAML has no float here: percentages become texts that read as decimals."""
    from decimal import Decimal

    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, Mapping):
        return {key: _floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(item) for item in value]
    return value


def action_name(decision: Decision) -> str:
    """`keep`, `allocate`, `release`, `expire` or `refuse`."""
    return _NAMES[type(decision)]


def actions(evaluation: Evaluation, *, keeps: bool = False) -> list[dict[str, Any]]:
    """The decisions, by claim.

    Args:
        evaluation: The evaluation.
        keeps: Also those that change nothing.
    """
    folder = evaluation.tree.settings.records
    return [
        _action(decision, evaluation, folder)
        for decision in evaluation.plan.decisions
        if keeps or not isinstance(decision, Keep)
    ]


def digest(decided: Iterable[Mapping[str, Any]]) -> str:
    """`sha256:` of the canonical JSON of the decisions that change something, without times.

    Equal for a pull request's merge commit and for the reconcile of it. Made of the `actions` of a
    plan (without its keeps), each reduced to the fields of `_DIGESTED`: anybody can check it.
    """
    rows = [
        {name: item[name] for name in _DIGESTED} for item in decided if item["action"] != "keep"
    ]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def summary(evaluation: Evaluation, moved: int = 0) -> dict[str, int]:
    """How many decisions there are of each sort; `moved` is what the caller counted."""
    counts = dict.fromkeys(("keep", "allocate", "release", "expire", "refuse"), 0)
    for decision in evaluation.plan.decisions:
        counts[action_name(decision)] += 1
    counts["keep"] += evaluation.tree.settled.kept
    return {**counts, "moved": moved}


def plan_document(
    evaluation: Evaluation, *, base: str | None = None, moved: int = 0, keeps: bool = False
) -> dict[str, Any]:
    """The plan."""
    decided = actions(evaluation, keeps=keeps)
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "revision": evaluation.tree.revision,
        "base": base,
        "digest": digest(decided),
        "changed": bool(evaluation.changes),
        "summary": summary(evaluation, moved),
        "actions": decided,
        "pools": pools(evaluation),
        "findings": [finding(item) for item in evaluation.findings],
    }


def pools(evaluation: Evaluation, *, today: bool = False) -> list[dict[str, Any]]:
    """Usage of all pools: what the plan leads to, or what is today."""
    plan = evaluation.plan
    return [
        {
            "pool": str(key),
            **_usage(plan.before[key] if today else plan.after[key]),
            "before": _before(plan.before[key]),
        }
        for key in evaluation.plan.after
    ]


def finding(item: Finding) -> dict[str, Any]:
    """A finding."""
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
    evaluation: Evaluation, plan: Mapping[str, Any], exit_code: int
) -> dict[str, Any]:
    """The outcome of a check."""
    return {
        "apiVersion": API_VERSION,
        "kind": "Check",
        "ok": exit_code == 0,
        "exitCode": int(exit_code),
        "findings": [finding(item) for item in evaluation.findings],
        "gates": [finding(item) for item in evaluation.gates],
        "plan": plan,
    }


def reconcile_document(
    evaluation: Evaluation, base: str, commit: str | None, *, attempts: int, exit_code: int
) -> dict[str, Any]:
    """The outcome of a reconcile."""
    return {
        "apiVersion": API_VERSION,
        "kind": "ReconcileResult",
        "base": base,
        "commit": commit,
        "pushed": commit is not None,
        "attempts": attempts,
        "plan": plan_document(evaluation),
        "apply": None,
        "exitCode": int(exit_code),
    }


def pool_list(evaluation: Evaluation) -> dict[str, Any]:
    """The pools as they are today."""
    return {
        "apiVersion": API_VERSION,
        "kind": "PoolList",
        "revision": evaluation.tree.revision,
        "items": pools(evaluation, today=True),
    }


def allocation_list(records: Iterable[Allocation]) -> dict[str, Any]:
    """Records as a list of Kubernetes objects."""
    return {
        "apiVersion": record_kind.API_VERSION,
        "kind": record_kind.LIST_KIND,
        "items": [record_document(record) for record in records],
    }


def document_list(kind: str, documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Documents as people wrote them, as a Kubernetes list."""
    return {"apiVersion": "v1", "kind": kind, "items": [dict(item) for item in documents]}


def _action(decision: Decision, evaluation: Evaluation, folder: str) -> dict[str, Any]:
    reason: str | None = None
    message: str | None = None
    pool: Key | None = None
    item = None
    record: str | None = None
    match decision:
        case Refuse(claim, reason, message, _, source, allocation):
            holds = allocation is not None and allocation.range is not None
            record = allocation.path if holds and allocation else path_of(folder, None, claim)
            pool = allocation.pool if holds and allocation else None
            item = allocation.range if allocation else None
            count = evaluation.state.claims[claim].size
        case Grant(allocation, source, _):
            pool, item = allocation.pool, allocation.range
            record = path_of(folder, pool, allocation.claim)
            count = allocation.size
        case _:
            allocation = decision.allocation
            pool, item = allocation.pool, allocation.range
            record, count = allocation.path, allocation.size
            claimed = evaluation.state.claims.get(allocation.claim)
            source = claimed.source if claimed else Location(allocation.path, 1)
    return {
        "action": action_name(decision),
        "claim": str(decision.claim),
        "record": record,
        "pool": str(pool) if pool else None,
        "start": format_address(item.version, item.first) if item else None,
        "end": format_address(item.version, item.last) if item else None,
        "count": count,
        "cidr": format_cidr(item) if item else None,
        "reason": reason,
        "message": message,
        "source": {"path": source.path, "line": source.line},
    }


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


def _before(usage: Usage) -> dict[str, Any]:
    return {
        "allocated": usage.allocated,
        "utilizationPercent": usage.percent,
        "tier": usage.tier.value,
    }
