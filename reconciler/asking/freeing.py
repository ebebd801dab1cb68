"""What comes free so that a refused claim has room: told only where that makes a run long enough.

A range helps no claim by itself. It does where it makes one run of one pool, with what is free
beside it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.due import retention_end
from reconciler.engine.moving import holding_after
from reconciler.engine.standing import outside
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation, is_held
from reconciler.findings import few
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.instant import format_instant
from reconciler.model.plan import Expire, Grant, Refuse, Release
from reconciler.model.pool import Pool

_LACKS_ROOM = ("pool-exhausted", "pool-fragmented", "pin-taken")
_Held = tuple[int, str, IPRange]


class _There(NamedTuple):
    """What there is in a pool.

    Attributes:
        free: What is free.
        rests: What comes free by itself: when, by which record, and what of the pool.
        left: What claims have left, and what is announced until nobody uses it.
    """

    free: IPSet
    rests: tuple[_Held, ...]
    left: IPSet


def freeing(evaluation: Evaluation, claim: Claim) -> list[str]:
    """What a refused claim may wait for, and what would have to be given up for it."""
    decided = (it for it in evaluation.plan.decisions if it.claim == claim.key)
    refused = next(decided, None)
    if not isinstance(refused, Refuse) or refused.reason not in _LACKS_ROOM:
        return []
    holding = _after(evaluation)
    pools = (evaluation.state.pools[key] for key in claim.candidates)
    there = [_there(evaluation, pool, holding) for pool in pools if not pool.is_paused]
    lacking = [it for it in there if _room(claim, it.free) is None]
    waits = sorted(it for it in (_wait(claim, it.free, it.rests) for it in lacking) if it)
    return [*(says for _, says in waits), *(says for it in lacking if (says := _given(claim, it)))]


def _there(evaluation: Evaluation, pool: Pool, holding: Sequence[Allocation]) -> _There:
    """What there is in a pool once the plan is carried out."""
    pools = evaluation.state.pools
    here = [it for it in holding if space_of(pools, it) in (pool.space, None)]
    held = (it.range for it in here if it.range is not None)
    return _There(
        pool.usable - IPSet.of([*held, *_others(evaluation, pool)]),
        tuple(sorted(_resting(evaluation, pool, here))),
        IPSet.of(it.range for it in here if it.announced and it.range) & pool.usable,
    )


def _given(claim: Claim, there: _There) -> str:
    """What claims have left, and has to be given up for a run; empty where it makes none."""
    rests = IPSet.of(it for _, _, it in there.rests)
    if not there.left or _room(claim, there.free | rests) is not None:
        return ""
    run = _room(claim, there.free | rests | there.left)
    if run is None:
        return ""
    return (
        f"give up {(there.left & IPSet((run,))).size} addresses that claims have left: move the"
        " Services that use them; retention begins when nobody does"
    )


def _after(evaluation: Evaluation) -> list[Allocation]:
    """What holds addresses once the plan is carried out, without what a brake holds back."""
    decisions = evaluation.plan.decisions
    changed = [
        it for it in decisions if isinstance(it, Grant | Release) and not is_held(it, evaluation)
    ]
    expired = {it.allocation.path for it in decisions if isinstance(it, Expire)}
    return holding_after(evaluation.state, changed, expired)


def _others(evaluation: Evaluation, pool: Pool) -> Iterator[IPRange]:
    """Ranges in use without a record."""
    for item in outside(evaluation.state):
        is_there = not item.spaces or pool.space in item.spaces
        if item.sort in ("in-use", "gateway") and is_there:
            yield item.range


def _resting(evaluation: Evaluation, pool: Pool, holding: Sequence[Allocation]) -> Iterator[_Held]:
    """What comes free by itself, with when. Of what a move has left no clock tells that."""
    for record in holding:
        end = retention_end(record, evaluation.state) if record.is_released else None
        if record.range is None or record.announced or end is None:
            continue
        for item in pool.usable & IPSet((record.range,)):
            yield end, record.path, item


def _wait(claim: Claim, free: IPSet, rests: Sequence[_Held]) -> tuple[int, str] | None:
    """The first instant at which a run is long enough by what came free till then."""
    low, high = 0, len(rests)
    if _room(claim, free | IPSet.of(it for _, _, it in rests)) is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        there = free | IPSet.of(it for _, _, it in rests[:middle])
        low, high = (middle, high) if _room(claim, there) is None else (low, middle)
    run = _room(claim, free | IPSet.of(it for _, _, it in rests[:high]))
    paths = list(dict.fromkeys(path for _, path, it in rests[:high] if run and run.overlaps(it)))
    end = rests[high - 1][0]
    held = "is held until" if len(paths) == 1 else "are held, the last until"
    return end, f"wait: {few(paths)} {held} {format_instant(end)}; then {claim.size} are free"


def _room(claim: Claim, free: IPSet) -> IPRange | None:
    """A run that is long enough, or that holds the range that the claim pins."""
    if claim.pin is not None:
        return claim.pin if free.covers(claim.pin) else None
    runs = (it for it in free if claim.version in (None, it.version))
    return next((it for it in runs if it.size >= claim.size), None)
