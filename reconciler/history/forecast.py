"""Forecast of pools."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPSet
from reconciler.history.events import RecordEvent
from reconciler.history.runs import free_of
from reconciler.model.instant import DAY
from reconciler.model.key import Key
from reconciler.model.plan import State, Usage
from reconciler.model.pool import Pool, Tier
from reconciler.planning.space import FreeRuns

SPANS = (30, 90)
"""Days of history that rates are computed from, each in `TREND`."""
TREND = tuple(range(max(SPANS), -1, -6))
"""Days ago at which the usage is sampled, earliest first: 90, 84 … 0."""
MAX_TENANTS = 10_000


class Level(NamedTuple):
    """Number of allocated or held addresses at which a limit is reached."""

    name: str
    addresses: int


class Rate(NamedTuple):
    """Change in a number of days, and weeks to each level: 0.0 if reached, None if never."""

    days: int
    change: int | None
    weeks: tuple[float | None, ...]


class Outlook(NamedTuple):
    """Forecast of a pool. `shape` is the median tenant's claim sizes, largest first.

    `fits` counts such tenants. `trend` is at each of `TREND`, None before the first commit.
    """

    pool: Key
    total: int
    used: int
    levels: tuple[Level, ...]
    rates: tuple[Rate, ...]
    shape: tuple[int, ...]
    fits: int
    trend: tuple[int | None, ...] = ()


class Past(NamedTuple):
    """Events, newest first, with the dates of the revision and of the first commit."""

    clock: int
    oldest: int
    events: Sequence[RecordEvent]

    @property
    def days(self) -> int:
        """Length of the history in days."""
        return max(self.clock - self.oldest, 0) // DAY


def outlooks(
    state: State, usage: Mapping[Key, Usage], past: Past, pools: Sequence[Key]
) -> list[Outlook]:
    """Return the forecast of some pools, given the usage today and the longest span of history."""
    grown = dict(zip(TREND, _since(past), strict=True))
    changes = {it: grown[it] if past.clock - it * DAY >= past.oldest else None for it in SPANS}
    free, trend = free_of(state, pools), trends(usage, past, pools)
    shapes = median_shapes(state)
    found = []
    for key in pools:
        pool, used = state.pools[key], usage[key].allocated + usage[key].held
        levels = levels_of(pool, usage[key].total)
        rates = tuple(_rate(days, changes[days], key, used, levels) for days in SPANS)
        shape = shapes.get(key, ())
        fits = fitting(pool, free[key], shape)
        found.append(Outlook(key, usage[key].total, used, levels, rates, shape, fits, trend[key]))
    return found


def trends(
    usage: Mapping[Key, Usage], past: Past, pools: Sequence[Key]
) -> dict[Key, tuple[int | None, ...]]:
    """Return allocated or held addresses at each of `TREND`, or None before the first commit."""
    since = _since(past)
    return {
        key: tuple(
            usage[key].allocated + usage[key].held - grown.get(str(key), 0)
            if past.clock - days * DAY >= past.oldest
            else None
            for days, grown in zip(TREND, since, strict=True)
        )
        for key in pools
    }


def levels_of(pool: Pool, total: int) -> tuple[Level, ...]:
    """Return the address counts at which a pool warns, reaches its capacity limit, and is full."""
    named = [("warning", Tier.WARNING), *([("gate", pool.gate)] if pool.gate else [])]
    shares = [(name, int(getattr(pool.thresholds, tier.value))) for name, tier in named]
    found = [Level(name, -(-share * total // 100)) for name, share in shares]
    return (*found, Level("full", total))


def _since(past: Past) -> list[Mapping[str, int]]:
    grown = Counter[str]()
    found: list[Mapping[str, int]] = []
    events = iter(past.events)
    item = next(events, None)
    for days in reversed(TREND):
        while item is not None and item.row.clock > past.clock - days * DAY:
            for pool, count in item.delta:
                grown[pool] += count
            item = next(events, None)
        found.append(dict(grown))
    return found[::-1]


def _rate(
    days: int, changes: Mapping[str, int] | None, pool: Key, used: int, levels: Sequence[Level]
) -> Rate:
    if changes is None:
        return Rate(days, None, ())
    change = changes.get(str(pool), 0)
    lefts = [max(it.addresses - used, 0) for it in levels]
    grows = change > 0
    weeks = (round(it * days / (7 * change), 1) if grows else None if it else 0.0 for it in lefts)
    return Rate(days, change, tuple(weeks))


def median_shapes(state: State) -> dict[Key, tuple[int, ...]]:
    """Return claim sizes of each pool's median tenant, largest first, without growth."""
    tenants: dict[Key, dict[str, list[int]]] = {}
    for record in state.records:
        if record.is_live and record.role == "initial":
            of_pool = tenants.setdefault(record.pool, {})
            of_pool.setdefault(record.owner.short, []).append(record.size)
    medians = {}
    for key, found in tenants.items():
        shapes = sorted((sum(sizes), sorted(sizes, reverse=True)) for sizes in found.values())
        medians[key] = tuple(shapes[len(shapes) // 2][1])
    return medians


def fitting(pool: Pool, free: IPSet, shape: Sequence[int]) -> int:
    """Return the number of further tenants that fit into free ranges, placed one at a time."""
    if not shape:
        return 0
    by_version: dict[int, list[tuple[int, int]]] = {}
    for run in free:
        by_version.setdefault(run.version, []).append((run.first, run.last))
    runs = [FreeRuns(found, pool.placement) for found in by_version.values()]
    for count in range(MAX_TENANTS):
        for size in shape:
            if not any(it.allocate(size) is not None for it in runs):
                return count
    return MAX_TENANTS
