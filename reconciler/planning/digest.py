"""Plan digest."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from reconciler.addresses.notation import format_address, format_cidr
from reconciler.documents.findings import Location
from reconciler.model.claim import Allocation, Owner
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Refuse, Release, kept_by
from reconciler.model.state import FormerRecord
from reconciler.planning.evaluate import Evaluation
from reconciler.records.layout import path_of

_NAMES = {Keep: "keep", Grant: "allocate", Release: "release", Expire: "expire", Refuse: "refuse"}
DIGESTED = ("action", "claim", "record", "pool", "start", "end", "count", "reason")
"""The fields of an action that its digest is made of; of a move and a transfer `from`, too."""
MOVE = "move"
"""The action of a claim that gets another range than it held."""
TRANSFER = "transfer"
"""The action of a claim that keeps its range, for another owner than its record names."""
_ONLY_THEN = ("from", "owner")
"""Fields of the digest that most actions do not have."""


def action_name(decision: Decision, evaluation: Evaluation) -> str:
    """`keep`, `allocate`, `move`, `transfer`, `release`, `expire` or `refuse`."""
    if is_move(decision, evaluation):
        return MOVE
    return TRANSFER if is_transfer(decision, evaluation) else _NAMES[type(decision)]


def is_ahead(decision: Decision, evaluation: Evaluation) -> bool:
    """It is told ahead of all others: somebody's addresses change, or who has them."""
    return is_move(decision, evaluation) or is_transfer(decision, evaluation)


def is_transfer(decision: Decision, evaluation: Evaluation) -> bool:
    """It keeps a range for another owner than the record in Git names, and so who has it changes."""
    is_given = isinstance(decision, Keep) and giver_of(decision, evaluation) is not None
    return is_given and not is_move(decision, evaluation)


def giver_of(decision: Decision, evaluation: Evaluation) -> Owner | None:
    """Whom the record names whose owner the decision changes; None of any other."""
    if not evaluation.state.givers:  # of most plans, which have very many decisions
        return None
    match decision:
        case Keep(record, held=False) | Grant(leaves=Allocation() as record):
            return evaluation.state.givers.get(record.path)
    return None


def is_move(decision: Decision, evaluation: Evaluation) -> bool:
    """It gives a claim another range than it held, or keeps one that a person wrote."""
    return decision.claim in evaluation.moves and isinstance(decision, Grant | Keep)


def actions(evaluation: Evaluation, *, keeps: bool = False) -> list[dict[str, Any]]:
    """The decisions, by claim.

    Args:
        evaluation: The evaluation.
        keeps: Also those that change nothing, not even a name.
    """
    folder = evaluation.tree.settings.records
    return [
        _action(decision, evaluation, folder)
        for decision in evaluation.plan.decisions
        if keeps or is_reported(decision, evaluation) or is_move(decision, evaluation)
    ]


def growth_of(decision: Decision, evaluation: Evaluation) -> tuple[int, int] | None:
    """How many addresses there were, and are with it, where a grant adds to what its owner has."""
    claim = evaluation.state.claims.get(decision.claim) if isinstance(decision, Grant) else None
    if claim is None or claim.near is None:
        return None
    return claim.near.held, claim.near.held + claim.size


def is_reported(decision: Decision, evaluation: Evaluation) -> bool:
    """A plan names the decision without being asked for all: it changes something for somebody."""
    return (
        not isinstance(decision, Keep)
        or former_of(decision, evaluation) is not None
        or giver_of(decision, evaluation) is not None
    )


def former_of(decision: Decision, evaluation: Evaluation) -> FormerRecord | None:
    """What the record of a decision was called before; None where it is called so still."""
    record = kept_by(decision)
    if record is None or (isinstance(decision, Keep) and decision.held):
        return None
    return evaluation.state.former.get(record.path)


def digest(decided: Iterable[Mapping[str, Any]]) -> str:
    """`sha256:` of the canonical JSON of the actions that change something.

    Each action counts with the fields of `DIGESTED` alone, so that anybody can check it. There is
    no time among them: a pull request's merge commit and the reconcile of it have one digest.
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
    """How many decisions there are of each sort; `transferred` only where there are any."""
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
    """What a claim that moves held before, and for whom, if that changes; None of most."""
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
    """For whom the range is from now on, where that changes."""
    if giver_of(decision, evaluation) is None or decision.allocation is None:
        return {}
    return {"owner": decision.allocation.owner.short}


def _former(former: FormerRecord) -> dict[str, str | None]:
    return {
        "claim": str(former.claim) if former.claim else None,
        "pool": str(former.pool) if former.pool else None,
    }
