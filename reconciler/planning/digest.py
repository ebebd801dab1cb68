"""Plan digest."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from msgspec.structs import asdict

from reconciler.addresses import ends, format_cidr
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Owner
from reconciler.model.plan import (
    Decision,
    Expire,
    FormerRecord,
    Grant,
    Keep,
    Refuse,
    Release,
    kept_by,
)
from reconciler.planning.evaluate import Evaluation
from reconciler.records.layout import path_of

_NAMES = {Keep: "keep", Grant: "allocate", Release: "release", Expire: "expire", Refuse: "refuse"}
# `from` and `owner` exist only for moves and transfers.
_DIGESTED = (
    "action", "claim", "record", "pool", "start", "end", "count", "reason", "from", "owner",
)  # fmt: skip


def action_name(decision: Decision, evaluation: Evaluation) -> str:
    """Return `keep`, `allocate`, `move`, `transfer`, `release`, `expire`, or `refuse`."""
    if is_move(decision, evaluation):
        return "move"
    return "transfer" if is_transfer(decision, evaluation) else _NAMES[type(decision)]


def is_transfer(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether a decision keeps a range but changes the owner that its record names."""
    is_given = isinstance(decision, Keep) and giver_of(decision, evaluation) is not None
    return is_given and not is_move(decision, evaluation)


def giver_of(decision: Decision, evaluation: Evaluation) -> Owner | None:
    """Return the owner in the record of a transferred range; None for any other decision."""
    if not evaluation.state.givers:  # most plans have no transfer, but very many decisions
        return None
    match decision:
        case Keep(record, held=False) | Grant(leaves=Allocation() as record):
            return evaluation.state.givers.get(record.path)
    return None


def is_move(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether a decision replaces a claim's range, or keeps a range written by hand."""
    return decision.claim in evaluation.moves and isinstance(decision, Grant | Keep)


def actions(evaluation: Evaluation, *, keeps: bool = False) -> list[dict[str, Any]]:
    """Return the actions by claim; with `keeps`, also those that change nothing."""
    folder = evaluation.tree.settings.records
    return [
        _action(decision, evaluation, folder)
        for decision in evaluation.plan.decisions
        if keeps or is_reported(decision, evaluation) or is_move(decision, evaluation)
    ]


def growth_of(decision: Decision, evaluation: Evaluation) -> tuple[int, int] | None:
    """Return the address counts before and after a growth decision; None for other decisions."""
    claim = evaluation.state.claims.get(decision.claim) if isinstance(decision, Grant) else None
    if claim is None or claim.adjacent_to is None:
        return None
    return claim.adjacent_to.held, claim.adjacent_to.held + claim.size


def is_reported(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether a plan lists the decision by default, because it changes something."""
    return (
        not isinstance(decision, Keep)
        or former_of(decision, evaluation) is not None
        or giver_of(decision, evaluation) is not None
    )


def former_of(decision: Decision, evaluation: Evaluation) -> FormerRecord | None:
    """Return the record's previous name; None if the name is unchanged."""
    record = kept_by(decision) if evaluation.state.former else None
    if record is None or (isinstance(decision, Keep) and decision.held):
        return None
    return evaluation.state.former.get(record.path)


def digest(decided: Iterable[Mapping[str, Any]]) -> str:
    """Return `sha256:` and the hash of all actions, without times: a merge keeps the digest."""
    rows = [
        {name: item[name] for name in _DIGESTED if name in item}
        for item in decided
        if item["action"] != "keep" or "renamedFrom" in item
    ]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def summary(evaluation: Evaluation) -> dict[str, int]:
    """Return the number of decisions per action; `transferred` is present only if it is not 0."""
    counts = Counter(action_name(it, evaluation) for it in evaluation.plan.decisions)
    found = {name: counts[name] for name in _NAMES.values()} | {"moved": counts["move"]}
    return found | ({"transferred": counts["transfer"]} if counts["transfer"] else {})


def _action(decision: Decision, evaluation: Evaluation, folder: str) -> dict[str, Any]:
    former, giver = former_of(decision, evaluation), giver_of(decision, evaluation)
    reason: str | None = None
    message: str | None = None
    allocation = decision.allocation
    pool, item = (allocation.pool, allocation.range) if allocation else (None, None)
    if isinstance(decision, Refuse):
        reason, message, source = decision.reason, decision.message, decision.source
        if item is None:
            allocation = pool = None
        count = evaluation.state.claims[decision.claim].size
    else:
        claim = evaluation.state.claims.get(decision.claim)
        source = claim.source if claim else Location(decision.allocation.path, 1)
        count = decision.allocation.size
    record = path_of(folder, pool, decision.claim)
    if allocation is not None and former is None and not isinstance(decision, Grant):
        record = allocation.path
    grown = growth_of(decision, evaluation)
    before = _from(decision, evaluation, giver)
    names = {it: key and str(key) for it, key in asdict(former).items()} if former else {}
    return {
        "action": action_name(decision, evaluation),
        "claim": str(decision.claim),
        "record": record,
        "pool": str(pool) if pool else None,
        **(ends(item) if item else {"start": None, "end": None}),
        "count": count,
        "cidr": format_cidr(item) if item else None,
        "reason": reason,
        "message": message,
        "source": {"path": source.path, "line": source.line},
        **({"from": before} if before else {}),
        **({"owner": allocation.owner.short} if giver and allocation else {}),
        **({"grows": dict(zip(("from", "to"), grown, strict=True))} if grown else {}),
        **({"renamedFrom": names} if names else {}),
    }


def _from(decision: Decision, evaluation: Evaluation, giver: Owner | None) -> dict[str, Any]:
    found = {"owner": giver.short} if giver is not None else {}
    old = evaluation.moves.get(decision.claim) if is_move(decision, evaluation) else None
    if old is None or old.range is None:
        return found
    place = {"record": old.path, "pool": str(old.pool), **ends(old.range)}
    return {**found, **place, "count": old.size}
