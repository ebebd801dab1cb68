"""Plan digest."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from reconciler.addresses import format_address, format_cidr
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Owner
from reconciler.model.key import Key
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
DIGESTED = ("action", "claim", "record", "pool", "start", "end", "count", "reason")
"""Fields of an action that the digest covers; moves and transfers also include `from`."""
MOVE = "move"
"""The action of a claim that moves to another range."""
TRANSFER = "transfer"
"""The action of a claim that keeps its range while the owner in its record changes."""
_ONLY_THEN = ("from", "owner")
"""Fields of the digest that most actions do not have."""


def action_name(decision: Decision, evaluation: Evaluation) -> str:
    """Return the action of a decision.

    The action is `keep`, `allocate`, `move`, `transfer`, `release`, `expire`, or `refuse`.
    """
    if is_move(decision, evaluation):
        return MOVE
    return TRANSFER if is_transfer(decision, evaluation) else _NAMES[type(decision)]


def is_ahead(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether a decision is listed first: it changes addresses or their owner."""
    return is_move(decision, evaluation) or is_transfer(decision, evaluation)


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
    """Return the actions of an evaluation, by claim.

    Args:
        evaluation: The evaluation.
        keeps: Also return actions that change nothing, not even a name.
    """
    folder = evaluation.tree.settings.records
    return [
        _action(decision, evaluation, folder)
        for decision in evaluation.plan.decisions
        if keeps or is_reported(decision, evaluation) or is_move(decision, evaluation)
    ]


def growth_of(decision: Decision, evaluation: Evaluation) -> tuple[int, int] | None:
    """Return the address counts before and after a growth decision; None for other decisions."""
    claim = evaluation.state.claims.get(decision.claim) if isinstance(decision, Grant) else None
    if claim is None or claim.near is None:
        return None
    return claim.near.held, claim.near.held + claim.size


def is_reported(decision: Decision, evaluation: Evaluation) -> bool:
    """Return whether a plan lists the decision by default, because it changes something."""
    return (
        not isinstance(decision, Keep)
        or former_of(decision, evaluation) is not None
        or giver_of(decision, evaluation) is not None
    )


def former_of(decision: Decision, evaluation: Evaluation) -> FormerRecord | None:
    """Return the record's previous name; None if the name is unchanged."""
    record = kept_by(decision)
    if record is None or (isinstance(decision, Keep) and decision.held):
        return None
    return evaluation.state.former.get(record.path)


def digest(decided: Iterable[Mapping[str, Any]]) -> str:
    """Return `sha256:` and the hash of the canonical JSON of all actions that change something.

    Each action contains only the fields of `DIGESTED`, so the digest can be recomputed elsewhere.
    No field contains a time: the merge commit of a pull request and its reconcile commit have the
    same digest.
    """
    names = (*DIGESTED, *_ONLY_THEN)
    rows = [
        {name: item[name] for name in names if name in item}
        for item in decided
        if item["action"] != "keep" or "renamedFrom" in item
    ]
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def summary(evaluation: Evaluation) -> dict[str, int]:
    """Return the number of decisions per action; `transferred` is present only if it is not 0."""
    counts = dict.fromkeys(("keep", "allocate", "release", "expire", "refuse", MOVE, TRANSFER), 0)
    for decision in evaluation.plan.decisions:
        counts[action_name(decision, evaluation)] += 1
    counts["moved"] = counts.pop(MOVE)
    transferred = counts.pop(TRANSFER)
    return counts | ({"transferred": transferred} if transferred else {})


def _action(decision: Decision, evaluation: Evaluation, folder: str) -> dict[str, Any]:
    former = former_of(decision, evaluation)
    reason: str | None = None
    message: str | None = None
    pool: Key | None = None
    item = None
    record: str | None = None
    match decision:
        case Refuse(claim, reason, message, _, source, allocation):
            holds = allocation is not None and allocation.range is not None
            record = allocation.path if holds and allocation else path_of(folder, None, claim)
            if former is not None and allocation:
                record = path_of(folder, allocation.pool, claim)
            pool = allocation.pool if holds and allocation else None
            item = allocation.range if allocation else None
            count = evaluation.state.claims[claim].size
        case Grant(allocation, source, _, _):
            pool, item = allocation.pool, allocation.range
            record = path_of(folder, pool, allocation.claim)
            count = allocation.size
        case _:
            allocation = decision.allocation
            pool, item = allocation.pool, allocation.range
            record, count = allocation.path, allocation.size
            if former is not None:
                record = path_of(folder, pool, allocation.claim)
            claimed = evaluation.state.claims.get(allocation.claim)
            source = claimed.source if claimed else Location(allocation.path, 1)
    before = _from(decision, evaluation)
    grown = growth_of(decision, evaluation)
    renamed = {} if former is None else {"renamedFrom": _former(former)}
    return {
        "action": action_name(decision, evaluation),
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
        **({"from": before} if before else {}),
        **_owner(decision, evaluation),
        **({"grows": dict(zip(("from", "to"), grown, strict=True))} if grown else {}),
        **renamed,
    }


def _from(decision: Decision, evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the previous range of a claim that moves, with its previous owner if that changes."""
    giver = giver_of(decision, evaluation)
    owner = {"owner": giver.short} if giver is not None else {}
    old = evaluation.moves.get(decision.claim) if is_move(decision, evaluation) else None
    if old is None or old.range is None:
        return owner or None
    version, first, last = old.range
    return {
        **owner,
        "record": old.path,
        "pool": str(old.pool),
        "start": format_address(version, first),
        "end": format_address(version, last),
        "count": old.size,
    }


def _owner(decision: Decision, evaluation: Evaluation) -> dict[str, str]:
    """Return the new owner of a range, if the owner changes."""
    if giver_of(decision, evaluation) is None or decision.allocation is None:
        return {}
    return {"owner": decision.allocation.owner.short}


def _former(former: FormerRecord) -> dict[str, str | None]:
    return {
        "claim": str(former.claim) if former.claim else None,
        "pool": str(former.pool) if former.pool else None,
    }
