"""A plan as it is published: an action for each decision, how many of each, and their digest."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from reconciler.addresses.notation import format_address, format_cidr
from reconciler.evaluate import Evaluation
from reconciler.findings import Location
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release
from reconciler.records.layout import path_of

_NAMES = {Keep: "keep", Grant: "allocate", Release: "release", Expire: "expire", Refuse: "refuse"}
DIGESTED = ("action", "claim", "record", "pool", "start", "end", "count", "reason")
"""The fields of an action that its digest is made of."""


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
    """`sha256:` of the canonical JSON of the actions that change something.

    Each action counts with the fields of `DIGESTED` alone, so that anybody can check it. There is
    no time among them: a pull request's merge commit and the reconcile of it have one digest.
    """
    rows = [{name: item[name] for name in DIGESTED} for item in decided if item["action"] != "keep"]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def summary(evaluation: Evaluation, moved: int = 0) -> dict[str, int]:
    """How many decisions there are of each sort; `moved` is what the caller counted."""
    counts = dict.fromkeys(("keep", "allocate", "release", "expire", "refuse"), 0)
    for decision in evaluation.plan.decisions:
        counts[action_name(decision)] += 1
    counts["keep"] += evaluation.tree.settled.kept
    return {**counts, "moved": moved}


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
