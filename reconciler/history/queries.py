"""Free ranges, maps, and forecasts of a revision."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.apply.targets import balancer_records
from reconciler.documents.findings import meant
from reconciler.families import family_of
from reconciler.families.demand import GROWTH, growth_index
from reconciler.families.interface import Mending
from reconciler.gitio.interface import Source
from reconciler.history.applied import ApplyResult, Idle, headroom, used_of
from reconciler.history.commits import History
from reconciler.history.events import RecordEvent
from reconciler.history.forecast import SPANS, Outlook, Past, outlooks
from reconciler.history.runs import FreeQuery, FreeSpace, Runs, as_planned, free_runs
from reconciler.model.claim import Allocation, Claim
from reconciler.model.errors import UsageError
from reconciler.model.instant import DAY
from reconciler.model.key import Key
from reconciler.model.plan import Refuse
from reconciler.model.pool import Pool
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import pools_named
from reconciler.planning.read import read_tree
from reconciler.reconcile.remedies import LACKS_ROOM, run_with, taken_of
from reconciler.reconcile.simulate import pools_of, served


def find(source: Source, wanted: FreeQuery, pool: str | None, provider: str | None) -> FreeSpace:
    """Return free ranges that remain after all claims of the revision are served.

    Args:
        source: The files of a revision.
        wanted: The requested size.
        pool: Name of a pool, or None for all.
        provider: Name of the provider through which tenants select pools, or None for all pools.

    Raises:
        UsageError: The pool or provider does not exist.
    """
    tree = read_tree(source)
    today = served(tree)
    pools = list(today.state.pools) if provider is None else pools_of(today, provider)
    if pool is not None:
        pools = pools_of_name(today, pool, pools)
    recorded = [it.allocation for it in tree.records if it.allocation is not None]
    found = [
        as_planned(runs, _live(recorded, today.state.pools, runs.pool))
        for runs in free_runs(today.state, wanted, pools)
    ]
    is_planned = _given(recorded) != _given(today.state.records)
    told = tuple(found if provider is None else _led(found))
    return FreeSpace(today.tree.revision, wanted, told, is_planned)


def _live(records: Iterable[Allocation], pools: Mapping[Key, Pool], key: Key) -> IPSet:
    """Return the ranges that live records hold in the address space of a pool."""
    space = pools[key].space
    homes = ((it, pools.get(it.pool)) for it in records if it.is_live)
    ranges = (it.range for it, home in homes if home is not None and home.space == space)
    return IPSet.of(item for item in ranges if item is not None)


def _given(records: Iterable[Allocation]) -> set[tuple[Key, IPRange, bool]]:
    """Return the ranges of records, and whether they are released."""
    return {(it.claim, it.range, it.is_released) for it in records if it.range is not None}


def _led(found: Sequence[Runs]) -> Iterator[Runs]:
    """Yield the pools in order, with `is_next` only in the first pool that fits."""
    is_found = False
    for runs in found:
        has_it = any(fit.is_next for fit in runs.fits)
        fits = (fit._replace(is_next=fit.is_next and not is_found) for fit in runs.fits)
        yield runs._replace(fits=tuple(fits))
        is_found = is_found or has_it


def pools_of_name(evaluation: Evaluation, text: str, among: list[Key] | None = None) -> list[Key]:
    """Return the pools of a name.

    Args:
        evaluation: Evaluation of the revision.
        text: The name.
        among: Candidates, or None for all.

    Raises:
        UsageError: There is no such pool.
    """
    keys = list(evaluation.state.pools) if among is None else among
    if found := pools_named(keys, text):
        return found
    names = sorted({key.name for key in keys})
    near = meant(text, names)
    listed = f"there are: {', '.join(names) or 'none'}"
    raise UsageError(f"no pool {text!r}", f"{near} {listed}" if near else listed)


def forecast(
    evaluation: Evaluation, history: History, pool: str | None
) -> tuple[Past, list[Outlook]]:
    """Return the forecast of pools, and the history behind it.

    Args:
        evaluation: Evaluation of the revision.
        history: History of the revision.
        pool: Name of a pool, or None for all.

    Raises:
        UsageError: There is no such pool.
    """
    state = evaluation.state
    keys = sorted(state.pools) if pool is None else pools_of_name(evaluation, pool)
    past = past_of(history, state.clock)
    return past, outlooks(state, evaluation.plan.before, past, keys)


def past_of(history: History, clock: int) -> Past:
    """Return the history of the longest span.

    Args:
        history: History of a revision.
        clock: Date of the revision.
    """
    start = clock - max(SPANS) * DAY
    told: list[RecordEvent] = []
    for item, _ in history.told(has_causes=False):
        told.append(item)
        if item.row.clock <= start:
            break
    oldest = history.oldest_before(start)
    return Past(clock, clock if oldest is None else oldest, told)


_MAX_IDLE = 5
"""Number of unused records that are named. The others are counted."""


def idle_of(evaluation: Evaluation, result: ApplyResult, pool: str | None) -> Idle:
    """Return the number of addresses of each cluster that no Service uses.

    Args:
        evaluation: Evaluation of the revision.
        result: Result of an apply.
        pool: Name of the only pool to count, or None for all.

    Raises:
        UsageError: There is no such pool.
    """
    keys = None if pool is None else frozenset(pools_of_name(evaluation, pool))
    records = [it for it in evaluation.state.records if keys is None or it.pool in keys]
    return headroom(balancer_records(records), result, evaluation.tree.revision or "")


class _Found(NamedTuple):
    """Record without used addresses. It sorts by size."""

    size: int
    cluster: str
    at: str
    record: Allocation


def idle_remedies(evaluation: Evaluation, key: Key, result: ApplyResult) -> list[str]:
    """Return unused records that would make room for a refused claim, smallest first.

    No patch is proposed, because only the tenant knows whether it still needs the addresses.
    """
    refused = next((it for it in evaluation.plan.decisions if it.claim == key), None)
    claim = evaluation.state.claims.get(key)
    if not isinstance(refused, Refuse) or claim is None or refused.reason not in LACKS_ROOM:
        return []
    found = _found(evaluation, claim, result)
    if not found:
        return ["idle: no record that nobody uses would make room, as far as that apply looked"]
    told = [_describe(evaluation, item, claim) for item in found[:_MAX_IDLE]]
    if len(found) > _MAX_IDLE:
        told.append(f"idle: {len(found) - _MAX_IDLE} more records would do, all as large or larger")
    if result.revision != evaluation.tree.revision:
        told.append(f"idle is told by an apply of another revision, {result.revision[:12]}")
    return told


def _found(evaluation: Evaluation, claim: Claim, result: ApplyResult) -> list[_Found]:
    state = evaluation.state
    idle = [
        (cluster, record)
        for cluster, records in balancer_records(state.records).items()
        for record in records
        if record.is_live and used_of(record, cluster, result) == 0
    ]
    found = set[_Found]()
    for key in claim.candidates:
        pool = state.pools[key]
        free = pool.usable - taken_of(evaluation, pool) if idle else pool.usable
        for cluster, record in idle:
            item = record.range
            if item is None or record.pool != key or not pool.usable.covers(item):
                continue
            if claim.pin is None and run_with(free, item) >= claim.size:
                found.add(_Found(item.size, cluster, format_short(item), record))
    return sorted(found)


def _describe(evaluation: Evaluation, found: _Found, claim: Claim) -> str:
    record = found.record
    size = "address" if found.size == 1 else "addresses"
    whom = f"team {record.owner.team}" if record.owner.team else f"who owns {found.cluster}"
    return (
        f"idle: no Service of {found.cluster} uses {found.at} ({found.size} {size},"
        f" {record.path}); without it {claim.size} are free, once its retention has ended."
        f" Ask {whom}: {_way(evaluation, record)}"
    )


def _way(evaluation: Evaluation, record: Allocation) -> str:
    """Return the reviewed way to release a record."""
    if record.role == GROWTH and growth_index(record):
        return "it is growth, and goes by itself when it was unused for elastic.shrinkAfter"
    claim = evaluation.state.claims.get(record.claim)
    where = f": {claim.source}" if claim is not None else ""
    family = family_of(record.claim.family)
    way = (family.mending if family is not None else Mending()).given_back(record)
    return f"what gives it back is {way}{where}"
