"""Pinned and overlapping ranges."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from reconciler.addresses import IPRange, format_range, format_short
from reconciler.documents.findings import NAMED, Finding, join_limited, warning
from reconciler.model.claim import Claim, Owner, Refusal
from reconciler.model.key import Key
from reconciler.model.plan import Blocked, Grant, Plan, Refuse, State
from reconciler.model.pool import Pool
from reconciler.planning.refusals import Holders, paused
from reconciler.planning.space import Lookup, Space, space_of


def find_pin(
    pin: IPRange,
    claim: Claim,
    pools: Sequence[Pool],
    space_of: Callable[[str], Space],
    holders: Holders,
) -> tuple[tuple[int, IPRange] | None, list[Refusal]]:
    """Return the pinned range with the position of the first pool that gives it, and all refusals."""
    refusals: list[Refusal] = []
    for at, pool in enumerate(pools):
        refused = _refusal(pin, pool, space_of(pool.space), holders, claim.owner)
        if refused is None:
            return (at, pin), refusals
        refusals.append(refused)
    return None, refusals


def _refusal(
    pin: IPRange, pool: Pool, space: Space, holders: Holders, owner: Owner
) -> Refusal | None:
    if pool.is_paused:
        return paused(pool)
    text, name = format_short(pin), pool.key.name
    touched = [window for window in pool.windows if window.overlaps(pin)]
    listed = join_limited([format_range(window) for window in touched or pool.windows])
    if all(window.version != pin.version for window in pool.windows):
        message = f"{text} is IPv{pin.version}, {name} is not"
        return Refusal("family-mismatch", message, f"pin a range of {listed}")
    if not any(window.covers(pin) for window in touched):
        if len(touched) > 1:
            message = f"{text} crosses ranges of {name}: {listed}"
            hint = "pin a range that lies in one of them, or join them to one"
            return Refusal("pin-straddles-ranges", message, hint)
        message = f"{text} is not within the ranges of {name}: {listed}"
        return Refusal("pin-outside-pool", message, "pin a range inside, or widen the pool")
    if reserved := pool.reserved.overlapping(pin):
        blocks = join_limited([format_short(block) for block in reserved])
        message = f"{text} holds reserved addresses of {name}: {blocks}"
        return Refusal("pin-reserved", message, "pin a range beside them, or end the reservation")
    if not space.is_free(pin, owner):
        return _taken(text, holders.of(pin, pool.space), space.withheld.by_others(pin, owner))
    return None


def _taken(text: str, claims: list[str], used: list[Blocked]) -> Refusal:
    manual = [it for it in used if not any(claim.startswith(f"{it.owner} (") for claim in claims)]
    by = join_limited([*claims, *dict.fromkeys(it.title for it in manual)])
    places = join_limited(list(dict.fromkeys(str(it.source) for it in used)))
    return Refusal(
        "pin-taken",
        f"{text} is taken{f' by {by}' if by else ''}",
        f"pin a free range, or release the other{f': {places}' if places else ''}",
    )


def check_pins(state: State, plan: Plan) -> Iterator[Finding]:
    """Yield a finding for each claim that gets a range that another claim also pins."""
    taken = [it for it in plan.decisions if isinstance(it, Refuse) and it.reason == "pin-taken"]
    pins = [(claim.pin, it) for it in taken if (claim := state.claims[it.claim]).pin is not None]
    losers = Lookup(pins)
    for granted in plan.decisions if taken else ():
        if not isinstance(granted, Grant) or granted.is_taken_back:
            continue
        item = granted.allocation.range
        if state.claims[granted.claim].pin is None or item is None:
            continue
        space = space_of(state.pools, granted.allocation)
        others = [
            (pin, it)
            for pin, it in losers.overlapping(item)
            if any(state.pools[key].space == space for key in state.claims[it.claim].candidates)
        ]
        for pin, it in others[:NAMED]:
            yield warning(
                "pin-contested",
                granted.source,
                f"{format_short(item)} of {granted.claim.short} shares addresses with"
                f" {format_short(pin)}, which {it.claim.short} pins at {it.source}",
                "find out whose they are, and let the other pin a free range, or none",
            )


def overlapping_pools(pools: Mapping[Key, Pool]) -> dict[Key, list[Key]]:
    """Return each pool with overlapping pools of lower keys, in order of keys.

    Of many, each is listed only with the pool that reaches furthest at its start.
    """
    found: dict[Key, set[Key]] = {}
    for left, right in _meeting(pools):
        found.setdefault(max(left, right), set()).add(min(left, right))
    return {key: sorted(found[key]) for key in sorted(found)}


def rivals(pools: Mapping[Key, Pool]) -> dict[Key, Key]:
    """Map pools that share addresses, directly or transitively, to one representative."""
    near: dict[Key, list[Key]] = {}
    for left, right in _meeting(pools):
        near.setdefault(left, []).append(right)
        near.setdefault(right, []).append(left)
    found: dict[Key, Key] = {}
    for key in near:
        reached = [key] if key not in found else []
        while reached:
            one = reached.pop()
            if one not in found:
                found[one] = key
                reached += near[one]
    return found


class Neighbours:
    """The pools that share addresses with a pool, computed one pool at a time."""

    def __init__(self, pools: Mapping[Key, Pool]) -> None:
        self._pools = pools
        self._spaces = {space: Lookup(entries) for space, entries in _by_space(pools).items()}

    def of(self, key: Key) -> list[Key]:
        """Return the neighbors of a pool, including the pool itself, in the order of the pools."""
        pool = self._pools[key]
        near = (it for own in pool.usable for it in self._spaces[pool.space].overlapping(own))
        return list(dict.fromkeys([key, *(other for _, other in near)]))


def _by_space(pools: Mapping[Key, Pool]) -> dict[str, list[tuple[IPRange, Key]]]:
    by_space: dict[str, list[tuple[IPRange, Key]]] = {}
    for key, pool in pools.items():
        by_space.setdefault(pool.space, []).extend((item, key) for item in pool.usable)
    return by_space


def _meeting(pools: Mapping[Key, Pool]) -> Iterator[tuple[Key, Key]]:
    for entries in _by_space(pools).values():
        reaching: tuple[IPRange, Key] | None = None
        for item, key in sorted(entries):
            if reaching is not None and reaching[0].overlaps(item):
                yield reaching[1], key
                if item.last <= reaching[0].last:
                    continue
            reaching = item, key
