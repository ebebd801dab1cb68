"""Why a claim has, or cannot get, its addresses, with what would help."""

from typing import Any

from reconciler.addresses import IPRange
from reconciler.addresses.notation import cidrs_of, format_short
from reconciler.asking.freeing import freeing
from reconciler.digest import action_name, giver_of
from reconciler.evaluate import Evaluation
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.current import current_records
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant, Keep, Refuse, Release
from reconciler.report.machine import API_VERSION


def matching(evaluation: Evaluation, text: str) -> list[Key]:
    """Claims that a text means: a key, `namespace/name`, a tenant's name, or a record's name."""
    decided = {decision.claim for decision in evaluation.plan.decisions}
    decided |= {record.claim for record in evaluation.state.records}
    found = []
    named = {record.name: record.claim for record in evaluation.state.records}
    named |= {claim.name: key for key, claim in evaluation.state.claims.items()}
    for key in sorted(decided):
        owner = f"{key.namespace}/{key.name}"
        if text in (str(key), owner, key.name, f"{owner}/{key.slot}") or named.get(text) == key:
            found.append(key)
    return found


def explanation(evaluation: Evaluation, key: Key) -> dict[str, Any]:
    """All that is known of a claim."""
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
        "pools": [_pool(evaluation, pool, claim) for pool in claim.candidates] if claim else [],
        "remedies": (_remedies(evaluation, claim) if remedies and claim else []) + remedies,
        "patches": [],
    }


def _verdict(decision: Decision | None, evaluation: Evaluation) -> str:
    match decision:
        case Keep(allocation) | Release(allocation) if allocation.range:
            word = "keeps" if isinstance(decision, Keep) else "releases"
            giver = giver_of(decision, evaluation)
            whose = f", from {giver.short} to {allocation.owner.short}" if giver else ""
            return f"{word} {_range(allocation.range)} of {allocation.pool.name}{whose}"
        case Grant(allocation) if allocation.range:
            return f"gets {_range(allocation.range)} of {allocation.pool.name}"
        case Refuse(_, reason, message):
            return f"{reason}: {message}"
        case _:
            return "nothing asks for it any more"


def _range(item: IPRange) -> str:
    if item.size == 1:
        return format_short(item)
    blocks = cidrs_of(item)
    listed = f" ({', '.join(blocks)})" if len(blocks) <= 4 else ""
    return f"{format_short(item)}{listed}"


def _gone(evaluation: Evaluation, record: Allocation | None) -> str:
    """Why nobody asks for it: of growth whose tenant is there, its entry is gone."""
    is_entry = record is not None and record.path in evaluation.state.grown
    return f"nothing: its {'entry' if is_entry else 'document'} is gone"


def _asked(claim: Claim) -> str:
    if claim.pin is not None:
        return f"exactly {format_short(claim.pin)}"
    return "1 address" if claim.size == 1 else f"{claim.size} contiguous addresses"


def _pool(evaluation: Evaluation, key: Key, claim: Claim | None) -> dict[str, Any]:
    usage = evaluation.plan.after[key]
    return {
        "pool": str(key),
        "available": usage.available,
        "largestFreeBlock": usage.largest,
        "total": usage.total,
        "fits": claim is not None and usage.largest >= claim.size,
    }


def _remedies(evaluation: Evaluation, claim: Claim) -> list[str]:
    """What would help without touching a pool, best first: a smaller size, or what comes free."""
    found = []
    largest = max((evaluation.plan.after[key].largest for key in claim.candidates), default=0)
    if 0 < largest < claim.size and claim.pin is None:
        found.append(f"ask for at most {largest}: that is the largest free run")
    return [*found, *freeing(evaluation, claim)]
