"""Free ranges and forecasts of pools."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.documents.findings import meant, plural
from reconciler.families import family_of
from reconciler.families.clusters import balancer_records
from reconciler.families.demand import GROWTH, growth_index
from reconciler.families.interface import Fixes
from reconciler.gitio.interface import Source
from reconciler.history.applied import ApplyResult, Idle, headroom, used_of
from reconciler.history.commits import History
from reconciler.history.events import RecordEvent
from reconciler.history.runs import FreeQuery, FreeSpace, free_of, free_runs
from reconciler.model.claim import Allocation, Claim
from reconciler.model.errors import UsageError
from reconciler.model.instant import DAY
from reconciler.model.key import Key
from reconciler.model.plan import Refuse, State, Usage
from reconciler.model.pool import Pool, Tier
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import pools_named
from reconciler.planning.read import read_tree
from reconciler.planning.space import runs_of, space_of
from reconciler.reconcile.remedies import LACKS_ROOM, run_with, taken_of
from reconciler.reconcile.simulate import pools_of, served

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
    usage: Usage
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
    free, trend = free_of(state, pools), trends(usage, past, pools)
    shapes = median_shapes(state)
    found = []
    for key in pools:
        pool, used = state.pools[key], usage[key].allocated + usage[key].held
        levels = levels_of(pool, usage[key].total)
        rates = tuple(_rate(days, grown[days], key, used, levels) for days in SPANS)
        shape = shapes.get(key, ())
        fits = fitting(pool, free[key], shape)
        found.append(Outlook(key, usage[key], used, levels, rates, shape, fits, trend[key]))
    return found


def trends(
    usage: Mapping[Key, Usage], past: Past, pools: Sequence[Key]
) -> dict[Key, tuple[int | None, ...]]:
    """Return allocated or held addresses at each of `TREND`, or None before the first commit."""
    since = _since(past)
    return {
        key: tuple(
            None if grown is None else usage[key].allocated + usage[key].held - grown.get(key, 0)
            for grown in since
        )
        for key in pools
    }


def levels_of(pool: Pool, total: int) -> tuple[Level, ...]:
    """Return the address counts at which a pool warns, reaches its capacity limit, and is full."""
    named = [("warning", Tier.WARNING), *([("gate", pool.gate)] if pool.gate else [])]
    shares = [(name, int(getattr(pool.thresholds, tier.value))) for name, tier in named]
    found = [Level(name, -(-share * total // 100)) for name, share in shares]
    return (*found, Level("full", total))


def _since(past: Past) -> list[Mapping[Key, int] | None]:
    grown = Counter[Key]()
    found: list[Mapping[Key, int] | None] = []
    events = iter(past.events)
    item = next(events, None)
    for days in reversed(TREND):
        while item is not None and item.row.clock > past.clock - days * DAY:
            for pool, count in item.delta:
                grown[pool] += count
            item = next(events, None)
        found.append(dict(grown) if past.clock - days * DAY >= past.oldest else None)
    return found[::-1]


def _rate(
    days: int, changes: Mapping[Key, int] | None, pool: Key, used: int, levels: Sequence[Level]
) -> Rate:
    if changes is None:
        return Rate(days, None, ())
    change = changes.get(pool, 0)
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
    runs = runs_of(free, pool.placement).values()
    for count in range(MAX_TENANTS):
        for size in shape:
            if not any(it.allocate(size) is not None for it in runs):
                return count
    return MAX_TENANTS


def find(source: Source, wanted: FreeQuery, pool: str | None, provider: str | None) -> FreeSpace:
    """Return ranges that remain free after all claims. UsageError: unknown pool or provider."""
    tree = read_tree(source)
    today = served(tree)
    pools = list(today.state.pools) if provider is None else pools_of(today, provider)
    if pool is not None:
        pools = pools_of_name(today, pool, pools)
    recorded = [it.allocation for it in tree.records if it.allocation is not None]
    found = free_runs(today.state, wanted, pools)
    is_next_found, live_ones = False, [it for it in recorded if it.is_live]
    for at, runs in enumerate(found):
        fits, known = runs.fits, today.state.pools
        here = [it for it in live_ones if space_of(known, it) == known[runs.pool].space]
        live = IPSet.of(it.range for it in here if it.range is not None)
        if provider is not None:  # only the first pool that fits
            fits = tuple(it._replace(is_next=it.is_next and not is_next_found) for it in fits)
            is_next_found = is_next_found or any(it.is_next for it in fits)
        # What live records have today becomes free only by the plan.
        held = (it._replace(is_planned=bool(live & IPSet((it.range,)))) for it in runs.held)
        found[at] = runs._replace(fits=fits, held=tuple(held))
    is_planned = _given(recorded) != _given(today.state.records)
    return FreeSpace(today.tree.revision, wanted, tuple(found), is_planned)


def _given(records: Iterable[Allocation]) -> set[tuple[Key, IPRange, bool]]:
    return {(it.claim, it.range, it.is_released) for it in records if it.range is not None}


def pools_of_name(evaluation: Evaluation, text: str, among: list[Key] | None = None) -> list[Key]:
    """Return the pools of a name, among candidates or all, or raise a `UsageError`."""
    keys = list(evaluation.state.pools) if among is None else among
    if found := pools_named(keys, text):
        return found
    names = sorted({key.name for key in keys})
    near = meant(text, names)
    listed = f"use one of: {', '.join(names)}" if names else "add a pool first"
    raise UsageError(f"no pool {text!r}", f"{near} {listed}" if near else listed)


def forecast(
    evaluation: Evaluation, history: History, pool: str | None
) -> tuple[Past, list[Outlook]]:
    """Return the forecast of a pool, or of all, and the history of their revision."""
    state = evaluation.state
    keys = sorted(state.pools) if pool is None else pools_of_name(evaluation, pool)
    past = past_of(history, state.clock)
    return past, outlooks(state, evaluation.plan.before, past, keys)


def past_of(history: History, clock: int) -> Past:
    """Return the history of the longest span before the date of the revision."""
    start = clock - max(SPANS) * DAY
    events: list[RecordEvent] = []
    for item, _ in history.events(has_causes=False):
        events.append(item)
        if item.row.clock <= start:
            break
    oldest = history.oldest_before(start)
    return Past(clock, clock if oldest is None else oldest, events)


_MAX_IDLE = 5
"""Number of unused records that are named. The others are counted."""


def idle_of(evaluation: Evaluation, result: ApplyResult, pool: str | None) -> Idle:
    """Return the number of addresses of each cluster that no Service uses, in a pool or in all."""
    keys = None if pool is None else frozenset(pools_of_name(evaluation, pool))
    records = [it for it in evaluation.state.records if keys is None or it.pool in keys]
    return headroom(balancer_records(records), result, evaluation.tree.revision or "")


def idle_remedies(evaluation: Evaluation, key: Key, result: ApplyResult) -> list[str]:
    """Return unused records that would make room, smallest first. Only the tenant can decide."""
    refused = next((it for it in evaluation.plan.decisions if it.claim == key), None)
    claim = evaluation.state.claims.get(key)
    if not isinstance(refused, Refuse) or claim is None or refused.reason not in LACKS_ROOM:
        return []
    found = _idle_records(evaluation, claim, result)
    if not found:
        return ["idle: in this apply result, no unused record would make enough room"]
    lines = [_remedy(evaluation, item, claim) for item in found[:_MAX_IDLE]]
    if more := len(found[_MAX_IDLE:]):
        lines.append(f"idle: {plural(more, 'more record')} would make room, all as large or larger")
    if result.revision != evaluation.tree.revision:
        lines.append(f"idle: the apply result is of another revision, {result.revision[:12]}")
    return lines


def _idle_records(
    evaluation: Evaluation, claim: Claim, result: ApplyResult
) -> list[tuple[int, str, str, Allocation]]:
    state = evaluation.state
    idle = [
        (cluster, record)
        for cluster, records in balancer_records(state.records).items()
        for record in records
        if record.is_live and used_of(record, cluster, result) == 0
    ]
    found = set[tuple[int, str, str, Allocation]]()
    for key in claim.candidates:
        pool = state.pools[key]
        free = pool.usable - taken_of(evaluation, pool) if idle else pool.usable
        for cluster, record in idle:
            item = record.range
            if item is None or record.pool != key or not pool.usable.covers(item):
                continue
            if claim.pin is None and run_with(free, item) >= claim.size:
                found.add((item.size, cluster, format_short(item), record))
    return sorted(found)


def _remedy(evaluation: Evaluation, found: tuple[int, str, str, Allocation], claim: Claim) -> str:
    size, cluster, at, record = found
    whom = f"team {record.owner.team}" if record.owner.team else f"the owner of {cluster}"
    way = ": it is growth, released automatically when unused for elastic.shrinkAfter"
    if not (record.role == GROWTH and growth_index(record)):
        holding, family = evaluation.state.claims.get(record.claim), family_of(record.claim.family)
        way = (family.fixes if family is not None else Fixes()).given_back(record)
        way = f" for {way}{f': {holding.source}' if holding is not None else ''}"
    return f"idle: no Service of {cluster} uses {at} ({plural(size, 'address')}, {record.path}). After a release and its retention, {claim.size} are free. Ask {whom}{way}"
