"""Free ranges of pools."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import BITS, IPRange, IPSet
from reconciler.documents.findings import join_limited, plural
from reconciler.model.claim import Allocation, Claim
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Expire, Grant, Refuse, Release, State
from reconciler.model.pool import Placement, Pool
from reconciler.planning.blocks import FreeBlocks
from reconciler.planning.evaluate import Evaluation, is_held
from reconciler.planning.planner import frozen_pools
from reconciler.planning.retention import holding_after, retention_end
from reconciler.planning.space import Holdings, Space, Withheld, outside, space_of

LARGEST = 3
"""Number of free ranges that are shown per pool."""


class FreeQuery(Struct, frozen=True):
    """Requested size: a number of contiguous addresses, or a CIDR block of a prefix length."""

    count: int = 0
    prefix: int | None = None

    def size(self, version: int) -> int | None:
        """Return the size in an IP version, or None if the block does not exist there."""
        if self.prefix is None:
            return self.count
        return 1 << (BITS[version] - self.prefix) if self.prefix <= BITS[version] else None


class FreeFit(NamedTuple):
    """Free range, and its lowest matching block, which the next claim of that size can get."""

    block: IPRange
    run: IPRange
    is_next: bool


class ReservedRange(NamedTuple):
    """Addresses of a released record, `until` seconds since 1970, None if unlimited.

    `is_left`: retention begins when unused. `is_planned`: held by a live record until reconciled.
    """

    range: IPRange
    until: int | None
    is_left: bool = False
    is_planned: bool = False


class Runs(NamedTuple):
    """Free addresses of a pool: `fits` in allocation order, `held` soonest first.

    `fits_from` is when `held` makes it fit, None if today or never. `closed` is empty if open.
    """

    pool: Key
    free: int
    fits: tuple[FreeFit, ...]
    largest: tuple[IPRange, ...]
    held: tuple[ReservedRange, ...]
    fits_from: int | None
    closed: str


def free_runs(state: State, wanted: FreeQuery, pools: Sequence[Key]) -> list[Runs]:
    """Return the free addresses of pools, in the given order, after all claims are served."""
    unread_of = frozen_pools(state)
    found = []
    for key, free, taken in _frees(state, pools, is_block=wanted.prefix is not None):
        pool = state.pools[key]
        closed = _closed(pool, unread_of.get(key) or state.halted)
        fits, held = _fits(pool, free, wanted, closed), _held(state, pool, taken)
        largest = tuple(sorted(free, key=lambda run: (-run.size, run))[:LARGEST])
        later = None if fits else _later(free, wanted, held)
        found.append(Runs(key, free.size, fits, largest, held, later, closed))
    return found


def free_of(state: State, pools: Sequence[Key]) -> dict[Key, IPSet]:
    """Return the free addresses of some pools."""
    return {key: free for key, free, _ in _frees(state, pools)}


def _frees(
    state: State, pools: Sequence[Key], *, is_block: bool = False
) -> Iterator[tuple[Key, IPSet, IPSet]]:
    holdings = Holdings(state.pools, state.records, state.blocked)
    unread = [item for unreadable in state.unreadable for item in unreadable.ranges]
    withheld = Withheld((*state.blocked, *state.off_limits))
    spaces: dict[str, Space] = {}
    for key in pools:
        pool = state.pools[key]
        if pool.space not in spaces:
            held = (*holdings.ranges(pool.space), *unread)
            spaces[pool.space] = Space(held, {}, withheld)
        taken = holdings.live(pool.space) | withheld.addresses
        among = pool.allocatable if is_block else pool.usable
        yield key, spaces[pool.space].free(pool, among), taken


def _closed(pool: Pool, unread: str) -> str:
    if unread:
        return f"{unread} cannot be read"
    if pool.is_paused:
        return "the pool is paused"
    return "" if pool.auto_assign else "autoAssign is false"


def _fits(pool: Pool, free: IPSet, wanted: FreeQuery, closed: str) -> tuple[FreeFit, ...]:
    fitting: list[tuple[IPRange, IPRange]] = []
    for runs in (free - pool.anycast, free) if pool.anycast else (free,):
        fitting = fitting or [(it, run) for run in runs if (it := _block(run, wanted)) is not None]
    is_best = pool.placement is Placement.BEST_FIT
    fitting.sort(key=lambda it: (it[1].version, it[1].size if is_best else 0, it[1]))
    if wanted.prefix is not None and pool.blocks and fitting and not closed:
        return tuple(_in_block_order(fitting, free, wanted))
    # In other pools, an aligned block can be requested only by naming it.
    next_one = fitting[0][1] if fitting and not closed and wanted.prefix is None else None
    return tuple(FreeFit(block, run, run == next_one) for block, run in fitting)


def _in_block_order(
    fitting: list[tuple[IPRange, IPRange]], free: IPSet, wanted: FreeQuery
) -> Iterator[FreeFit]:
    version = fitting[0][1].version
    size = wanted.size(version) or 1
    first = FreeBlocks(free.of_version(version)).find(size.bit_length() - 1)
    if first is not None:
        block = IPRange(version, first, first + size - 1)
        yield FreeFit(block, next(run for _, run in fitting if run.covers(block)), is_next=True)
        fitting = [it for it in fitting if not it[1].covers(block)]
    yield from (FreeFit(block, run, is_next=False) for block, run in fitting)


def _block(run: IPRange, wanted: FreeQuery) -> IPRange | None:
    size = wanted.size(run.version)
    if size is None:
        return None
    first = run.first if wanted.prefix is None else -(-run.first // size) * size
    block = IPRange(run.version, first, first + size - 1)
    return block if run.covers(block) else None


def _held(state: State, pool: Pool, taken: IPSet) -> tuple[ReservedRange, ...]:
    found = []
    for record in state.records:
        if record.range is None or not record.is_released:
            continue
        if space_of(state.pools, record) == pool.space:
            shared = (pool.usable & IPSet((record.range,))) - taken
            end = None if record.announced else retention_end(record, state)
            found += [ReservedRange(item, end, record.announced) for item in shared]
    return tuple(sorted(found, key=lambda it: (it.until is None, it.until or 0, it.range)))


def _later(free: IPSet, wanted: FreeQuery, held: Iterable[ReservedRange]) -> int | None:
    came = free
    for item in held:
        if item.until is None:
            return None
        came = came | IPSet((item.range,))
        if any(_block(run, wanted) is not None for run in came):
            return item.until
    return None


class FreeSpace(Struct, frozen=True):
    """Free space of pools for a request, after the plan if that changes holders."""

    revision: str | None
    wanted: FreeQuery
    pools: tuple[Runs, ...]
    is_planned: bool = False

    @property
    def fits(self) -> bool:
        """Whether the size fits anywhere."""
        return any(runs.fits for runs in self.pools)


_LACKS_ROOM = ("pool-exhausted", "pool-fragmented", "pin-taken")
_Held = tuple[int, str, IPRange]
"""End of retention, record, and range."""


def freeing(evaluation: Evaluation, claim: Claim) -> list[str]:
    """Return ranges that a refused claim can wait for, and ranges to release for it."""
    decided = (it for it in evaluation.plan.decisions if it.claim == claim.key)
    refused = next(decided, None)
    if not isinstance(refused, Refuse) or refused.reason not in _LACKS_ROOM:
        return []
    holding, pools = _after(evaluation), evaluation.state.pools
    waits, gives = list[tuple[int, str]](), list[str]()
    for pool in (pools[key] for key in claim.candidates):
        here = [it for it in holding if space_of(pools, it) in (pool.space, None)]
        held = [it.range for it in here if it.range is not None]
        held += [
            it.range
            for it in outside(evaluation.state)
            if it.sort in ("in-use", "gateway") and pool.space in (it.spaces or (pool.space,))
        ]
        free = pool.usable - IPSet.of(held)
        if pool.is_paused or _room(claim, free) is not None:
            continue
        reserved = sorted(_reserved(evaluation, pool, here))
        left = IPSet.of(it.range for it in here if it.announced and it.range) & pool.usable
        later = free | IPSet.of(it for _, _, it in reserved)
        if _room(claim, later) is not None:
            waits.append(_wait(claim, free, reserved))
        elif run := _room(claim, later | left):
            gives.append(
                f"free {plural((left & IPSet((run,))).size, 'address')} that claims have left: move the Services that use them; retention begins when no Service uses them"
            )
    return [*(says for _, says in sorted(waits)), *gives]


def _after(evaluation: Evaluation) -> list[Allocation]:
    decisions = evaluation.plan.decisions
    changed = [
        it for it in decisions if isinstance(it, Grant | Release) and not is_held(it, evaluation)
    ]
    expired = {it.allocation.path for it in decisions if isinstance(it, Expire)}
    return holding_after(evaluation.state, changed, expired)


def _reserved(evaluation: Evaluation, pool: Pool, holding: Sequence[Allocation]) -> Iterator[_Held]:
    for record in holding:
        end = retention_end(record, evaluation.state) if record.is_released else None
        if record.range is None or record.announced or end is None:
            continue
        for item in pool.usable & IPSet((record.range,)):
            yield end, record.path, item


def _wait(claim: Claim, free: IPSet, reserved: Sequence[_Held]) -> tuple[int, str]:
    def room(count: int) -> IPRange | None:
        return _room(claim, free | IPSet.of(it for _, _, it in reserved[:count]))

    counts = range(1, len(reserved) + 1)
    count = counts[bisect_left(counts, True, key=lambda it: room(it) is not None)]  # noqa: FBT003
    run, end = room(count), reserved[count - 1][0]
    waited = (path for _, path, it in reserved[:count] if run and run.overlaps(it))
    paths = list(dict.fromkeys(waited))
    held = "is reserved until" if len(paths) == 1 else "are reserved, the last until"
    text = f"wait: {join_limited(paths)} {held} {format_instant(end)}; then {claim.size} are free"
    return end, text


def _room(claim: Claim, free: IPSet) -> IPRange | None:
    if claim.pin is not None:
        return claim.pin if free.covers(claim.pin) else None
    runs = (it for it in free if claim.version in (None, it.version))
    return next((it for it in runs if it.size >= claim.size), None)
