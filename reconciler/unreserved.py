"""Addresses that people had reserved in a pool, and that a change lets it give out.

A reserved block is all that keeps the addresses of routers and the like from tenants: nothing else
in the repository tells that somebody uses them.
"""

from collections.abc import Iterable, Iterator

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_short
from reconciler.comparison import Base
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, few, shown, warning
from reconciler.model.plan import Grant
from reconciler.model.pool import Pool

_HINT = "make sure that nothing uses them any more, such as a router; else reserve them again"


def unreserved(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """What is said of each pool that may give out what was reserved in the base.

    Whatever pool gives it out: one that was renamed, or came in the place of another, does so, too.

    Args:
        base: The base.
        evaluation: Of the change; its plan tells who gets them.
    """
    for key, pool in base.pools_now.items():
        now, old = evaluation.state.pools.get(key, pool), base.pools.get(key)
        kept = _kept(it for it in base.pools.values() if it.space == now.space)
        kept -= _kept(it for it in base.pools_now.values() if it.space == now.space)
        lost = kept & now.usable
        if old is not None and old.space == now.space:
            lost -= old.usable
        if lost:
            yield _told(base, now, lost, evaluation)


def _kept(pools: Iterable[Pool]) -> IPSet:
    return IPSet.of(block for pool in pools for block, _ in pool.kept)


def _told(base: Base, pool: Pool, lost: IPSet, evaluation: Evaluation) -> Finding:
    there = [it for it in base.pools.values() if it.space == pool.space]
    words = [f"{format_short(item)}{_purpose(item, there)}" for item in lost]
    message = (
        f"{pool.key.kind} {pool.key.name} may give out what {base.name} reserves: {few(words)}"
    )
    if given := [f"{format_short(it)} to {who}" for who, it in _given(pool, lost, evaluation)]:
        message += f"; this very change gives {few(given)}"
    return warning("pool-unreserved", pool.source, message, _HINT)


def _purpose(item: IPRange, pools: Iterable[Pool]) -> str:
    """What people said that some addresses are reserved for."""
    said = (text for pool in pools for block, text in pool.kept if text and block.overlaps(item))
    told = [shown(text) for text in dict.fromkeys(said)]
    return f" ({few(told)})" if told else ""


def _given(pool: Pool, lost: IPSet, evaluation: Evaluation) -> Iterator[tuple[str, IPRange]]:
    """Who gets some of the addresses, and what he gets."""
    pools = evaluation.state.pools
    for decision in evaluation.plan.decisions:
        allocation = decision.allocation if isinstance(decision, Grant) else None
        given = allocation.range if allocation is not None else None
        if allocation is None or given is None or not lost.overlapping(given):
            continue
        if space_of(pools, allocation) == pool.space:
            yield decision.claim.short, given
