"""Addresses that a change gives out, and that another address space holds, too.

A pool over such addresses is told when it comes. Each grant of them is told as well: whoever reviews
it has not seen the pool, and where the two networks do meet, two would announce one address.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.comparison import Compared
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.findings import Finding, few, info, ordered, warning
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.model.pool import Pool

_NAT = "right only where the two networks never meet, behind NAT for example; else"


def with_given_twice(compared: Compared) -> Compared:
    """A comparison with what is said of each such grant.

    Args:
        compared: With the cause of each decision: what the base gives out already is not told.
    """
    evaluation = compared.evaluation
    pools = evaluation.state.pools
    grants = [it for it in evaluation.plan.decisions if isinstance(it, Grant)]
    held = Lookup(
        (it.range, it)
        for it in (*evaluation.state.records, *(grant.allocation for grant in grants))
        if it.range is not None
    )
    caused = {it.claim for it in compared.causes if it.is_caused}
    found = [said for it in grants if it.claim in caused for said in _told(it, pools, held)]
    merged = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def _told(grant: Grant, pools: Mapping[Key, Pool], held: Lookup[Allocation]) -> Iterator[Finding]:
    given, space = grant.allocation.range, space_of(pools, grant.allocation)
    if given is None or space is None:
        return
    title = f"{format_short(given)} in address space {space} goes to {grant.claim.short}"
    spaces = {it: space_of(pools, it) for _, it in held.overlapping(given)}
    others = {it: name for it, name in spaces.items() if name not in (None, space)}
    if others:
        who = few([f"{it.claim.short} in {name}{_of(it.range)}" for it, name in others.items()])
        message = f"{title}, and is held by {who}: it is given out a second time"
        hint = f"{_NAT} pin another range, and reserve this one in {grant.allocation.pool.name}"
        yield warning("address-space-overlap", grant.source, message, hint)
    elif near := [
        it for it in pools.values() if it.space != space and it.extent.overlapping(given)
    ]:
        named = few([f"{it.key.kind} {it.key.name} in {it.space}" for it in near])
        message = f"{title}, and lies in {named}, too: it may be given out a second time"
        yield info("address-space-overlap", grant.source, message, f"{_NAT} reserve it there")


def _of(item: IPRange | None) -> str:
    return f" ({format_short(item)})" if item is not None else ""
