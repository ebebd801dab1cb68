"""Moves: whether a record still answers its claim, and what becomes of one that its claim leaves.

Make before break: the claim gets another range, and the old one stays announced until nobody uses it.
Nothing moves unless a person let it (`State.movable`).
"""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from reconciler.findings import few
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.claim import Claim
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind, Overrides
from reconciler.model.plan import Grant, Plan, Release
from reconciler.model.state import State

EVERY = 60
"""So many seconds lie between the instants at which what was left may be withdrawn."""


def difference_of(claim: Claim, record: Allocation, state: State) -> str:
    """What the claim asks for that its record does not give; empty when it answers."""
    if record.is_live and record.pool not in state.pools:
        return ""  # no claim is to blame for a pool that is gone
    if claim.pin is not None and record.range != claim.pin:
        return "the claim pins another range"
    if claim.pin is None and claim.fixed and record.range and record.range.size != claim.size:
        return f"the claim asks for {claim.size} addresses"
    if record.pool not in claim.candidates and not state.may_be_there(record.pool):
        return f"the claim's pools are {few(claim.wanted, ', ') or 'no pool'}"
    return ""


def left_behind(record: Allocation, now: str) -> Allocation:
    """A live record from the moment on in which its claim gets another range."""
    return replace(record, phase=Phase.RELEASED, since=now, announced=True)


def withdrawn(record: Allocation, now: str) -> Allocation:
    """The same when nobody uses it any more: its retention begins."""
    return replace(record, since=now, announced=False)


def former(claim: Claim, state: State) -> Allocation | None:
    """What a claim that moves held before, and would answer it again: a move that is taken back."""
    return next(
        (
            record
            for record in state.records
            if record.claim == claim.key
            and record.announced
            and record.path not in state.unused
            and not difference_of(claim, record, state)
        ),
        None,
    )


def holding_after(
    state: State, changed: Sequence[Grant | Release], expired: Collection[str]
) -> list[Allocation]:
    """Records that hold something once grants and releases are carried out.

    Args:
        state: What was planned.
        changed: The grants and releases.
        expired: Paths of records that go.
    """
    grants = [item for item in changed if isinstance(item, Grant)]
    gone = {item.allocation.path for item in changed if isinstance(item, Release)}
    gone |= {old.path for item in grants for old in (item.replaces, item.leaves) if old}
    kept = (it for it in state.records if it.path not in gone and it.path not in expired)
    found = [record for record in kept if record.range]
    found += [item.allocation for item in changed]
    return found + [item.leaves for item in grants if item.leaves]


def moves(plan: Plan, state: State, overrides: Overrides) -> dict[Key, Allocation]:
    """Claims that a plan moves, with the records that they had; what lets them is noted as used."""
    there = {record.path: record for record in state.records} if state.movable else {}
    found: dict[Key, Allocation] = {}
    for decision in plan.decisions if state.movable else ():
        if isinstance(decision, Grant) and decision.leaves is not None:
            overrides.allow(OverrideKind.MOVE, str(decision.claim))
            found[decision.claim] = there[decision.leaves.path]
    return found


def last_withdrawal(record: Allocation, until: int) -> int | None:
    """The latest instant until some time at which what was left may be withdrawn, or None.

    Such instants stand a minute apart, so that all who look within one make the same plan.
    """
    since = parse_instant(record.since)
    if since is None or until < since + EVERY:
        return None
    return until - (until - since) % EVERY


def next_withdrawal(record: Allocation, after: int) -> int | None:
    """The first instant after some time at which what was left may be withdrawn, or None."""
    since = parse_instant(record.since)
    return None if since is None else last_withdrawal(record, max(after, since) + EVERY)
