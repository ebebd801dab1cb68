"""Where a run of addresses is free, in which order it would be given, and what comes free when."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.iprange import BITS
from reconciler.engine.due import retention_end
from reconciler.engine.frozen import frozen_pools
from reconciler.engine.space import Space, Withheld
from reconciler.engine.usage import Holdings
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.state import State

LARGEST = 3
"""So many of the largest free runs are told of a pool."""


class Wanted(Struct, frozen=True):
    """What is looked for: so many addresses in a row, or a CIDR block of a prefix length."""

    count: int = 0
    prefix: int | None = None

    def size(self, version: int) -> int | None:
        """Addresses in an IP version; None where there is no such block."""
        if self.prefix is None:
            return self.count
        return 1 << (BITS[version] - self.prefix) if self.prefix <= BITS[version] else None


class Fit(NamedTuple):
    """A free run in which it fits.

    Attributes:
        block: The addresses: the lowest of the run that would do.
        is_next: A claim of that size that names no address would get just these.
    """

    block: IPRange
    run: IPRange
    is_next: bool


class Held(NamedTuple):
    """Addresses of a released record; `until` in seconds since 1970, None for without end.

    What a claim has left `is_left`: its retention begins when nobody uses it any more. What only
    the plan releases or moves `is_planned`: a live record has it until that is reconciled.
    """

    range: IPRange
    until: int | None
    is_left: bool = False
    is_planned: bool = False


class Runs(NamedTuple):
    """What a pool has free.

    Attributes:
        free: Free addresses.
        fits: Runs in which it fits, in the order in which the pool would give them.
        largest: The largest free runs, the lowest of equals first.
        held: What comes free one day, the soonest first.
        fits_from: When it fits because of that, where it does not today; None for never.
        closed: Why the pool gives nothing to a claim that names no address; empty when it does.
    """

    pool: Key
    free: int
    fits: tuple[Fit, ...]
    largest: tuple[IPRange, ...]
    held: tuple[Held, ...]
    fits_from: int | None
    closed: str


def free_runs(state: State, wanted: Wanted, pools: Sequence[Key]) -> list[Runs]:
    """What some pools have free, in the order asked for.

    Args:
        state: Records as they stand when all that is asked for is served.
        wanted: What is looked for.
        pools: Keys of pools that are there.
    """
    unread_of = frozen_pools(state)
    found = []
    for key, space in _frees(state, pools):
        pool = state.pools[key]
        why = _closed(pool, unread_of.get(key) or state.halted)
        found.append(_of(pool, space.free, wanted, _held(state, pool, space.taken), why))
    return found


def as_planned(runs: Runs, today: IPSet) -> Runs:
    """The same, with what of its held addresses live records have today."""
    held = (it._replace(is_planned=bool(today & IPSet((it.range,)))) for it in runs.held)
    return runs._replace(held=tuple(held))


def free_of(state: State, pools: Sequence[Key]) -> dict[Key, IPSet]:
    """The free addresses of some pools."""
    return {key: space.free for key, space in _frees(state, pools)}


class _Free(NamedTuple):
    """Free addresses of a pool, and those of its space that nobody can have one day."""

    free: IPSet
    taken: IPSet


def _frees(state: State, pools: Sequence[Key]) -> Iterator[tuple[Key, _Free]]:
    holdings = Holdings(state.pools, state.records)
    unread = [item for unreadable in state.unreadable for item in unreadable.ranges]
    withheld = Withheld((*state.blocked, *state.off_limits))
    spaces: dict[str, Space] = {}
    for key in pools:
        pool = state.pools[key]
        if pool.space not in spaces:
            held = (*holdings.ranges(pool.space), *unread)
            spaces[pool.space] = Space(held, {}, withheld)
        taken = holdings.live(pool.space) | withheld.addresses
        yield key, _Free(spaces[pool.space].free(pool), taken)


def _of(pool: Pool, free: IPSet, wanted: Wanted, held: tuple[Held, ...], closed: str) -> Runs:
    fits = _fits(pool, free, wanted, closed)
    by_size = sorted(free, key=lambda run: (-run.size, run))
    later = None if fits else _later(free, wanted, held)
    return Runs(pool.key, free.size, fits, tuple(by_size[:LARGEST]), held, later, closed)


def _closed(pool: Pool, unread: str) -> str:
    if unread:
        return f"{unread} cannot be read"
    if pool.is_paused:
        return "it is paused"
    return "" if pool.auto_assign else "it gives addresses to those alone that name them"


def _fits(pool: Pool, free: IPSet, wanted: Wanted, closed: str) -> tuple[Fit, ...]:
    """As the planner looks: IPv4 first, then where the placement of the pool says."""
    fitting = [(block, run) for run in free if (block := _block(run, wanted)) is not None]
    is_best = pool.placement is Placement.BEST_FIT
    fitting.sort(key=lambda it: (it[1].version, it[1].size if is_best else 0, it[1]))
    # Nobody can ask for a block that is aligned without naming it.
    next_one = fitting[0][1] if fitting and not closed and wanted.prefix is None else None
    return tuple(Fit(block, run, run == next_one) for block, run in fitting)


def _block(run: IPRange, wanted: Wanted) -> IPRange | None:
    """The lowest addresses of a run that would do; None where none do."""
    size = wanted.size(run.version)
    if size is None:
        return None
    first = run.first if wanted.prefix is None else -(-run.first // size) * size
    block = IPRange(run.version, first, first + size - 1)
    return block if run.covers(block) else None


def _held(state: State, pool: Pool, taken: IPSet) -> tuple[Held, ...]:
    """What released records alone hold of a pool, the soonest first."""
    found = []
    for record in state.records:
        home = state.pools.get(record.pool)
        if record.range is None or not record.is_released or home is None:
            continue
        if home.space == pool.space:
            shared = (pool.usable & IPSet((record.range,))) - taken
            end = None if record.announced else retention_end(record, state)
            found += [Held(item, end, record.announced) for item in shared]
    return tuple(sorted(found, key=lambda it: (it.until is None, it.until or 0, it.range)))


def _later(free: IPSet, wanted: Wanted, held: Iterable[Held]) -> int | None:
    """When enough has come free for it, if that ever is."""
    came = free
    for item in held:
        if item.until is None:
            return None
        came = came | IPSet((item.range,))
        if any(_block(run, wanted) is not None for run in came):
            return item.until
    return None
