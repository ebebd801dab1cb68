"""Pins: a claim that names its range gets exactly that, or the reason why not.

Order of the checks: Butler's allocator (`butler.md` §2.5).
"""

from collections.abc import Callable, Sequence

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_range, format_short
from reconciler.engine.refusal import Holders, paused
from reconciler.engine.space import Space
from reconciler.findings import few
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.pool import Pool
from reconciler.model.state import Blocked


def find_pin(
    pin: IPRange,
    claim: Claim,
    pools: Sequence[Pool],
    space_of: Callable[[str], Space],
    holders: Holders,
) -> tuple[tuple[int, IPRange] | None, list[Refusal]]:
    """The range, with the position of the first pool that gives it; and why others do not.

    It is found, not taken: whoever wants it does that.
    """
    refusals: list[Refusal] = []
    for at, pool in enumerate(pools):
        refused = check_pin(pin, pool, space_of(pool.space), holders, claim.owner)
        if refused is None:
            return (at, pin), refusals
        refusals.append(refused)
    return None, refusals


def check_pin(
    pin: IPRange, pool: Pool, space: Space, holders: Holders, owner: Owner
) -> Refusal | None:
    """Why the pool cannot give out the pinned range; None when it can."""
    if pool.is_paused:
        return paused(pool)
    text = format_short(pin)
    inside = [window for window in pool.windows if window.covers(pin)]
    touched = [window for window in pool.windows if window.overlaps(pin)]
    listed = few([format_range(window) for window in touched or pool.windows])
    if all(window.version != pin.version for window in pool.windows):
        return Refusal(
            "family-mismatch",
            f"{text} is IPv{pin.version}, {pool.key.name} is not",
            f"pin a range of {listed}",
        )
    if not inside and len(touched) > 1:
        return Refusal(
            "pin-straddles-ranges",
            f"{text} crosses ranges of {pool.key.name}: {listed}",
            "pin a range that lies in one of them, or join them to one",
        )
    if not inside:
        return Refusal(
            "pin-outside-pool",
            f"{text} is not within the ranges of {pool.key.name}: {listed}",
            "pin a range inside, or widen the pool",
        )
    if reserved := pool.reserved.overlapping(pin):
        blocks = few([format_short(block) for block in reserved])
        return Refusal(
            "pin-reserved",
            f"{text} holds reserved addresses of {pool.key.name}: {blocks}",
            "pin a range beside them, or end the reservation",
        )
    if not space.is_free(pin, owner):
        return _taken(text, holders.of(pin, pool.space), space.withheld_by_others(pin, owner))
    return None


def _taken(text: str, claims: list[str], used: list[Blocked]) -> Refusal:
    """Who has it, each once, and where who has no record of it says so.

    Args:
        text: What is pinned.
        claims: Claims that hold an address of it, in words.
        used: What others set by hand; the range may be their claim's by now.
    """
    alone = [it for it in used if not any(claim.startswith(f"{it.owner} (") for claim in claims)]
    by = few([*claims, *dict.fromkeys(it.title for it in alone)])
    places = few(list(dict.fromkeys(str(it.source) for it in used)))
    return Refusal(
        "pin-taken",
        f"{text} is taken{f' by {by}' if by else ''}",
        f"pin a free range, or release the other{f': {places}' if places else ''}",
    )
