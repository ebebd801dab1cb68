"""Questions about one revision: where a run of addresses is free."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reconciler.addresses import IPRange, IPSet
from reconciler.asking.named import pools_named
from reconciler.asking.runs import Runs, Wanted, as_planned, free_runs
from reconciler.commands.reading.reader import read_tree
from reconciler.commands.simulate import pools_of, served
from reconciler.evaluate import Evaluation
from reconciler.findings import meant
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.ports import Source, UsageError
from reconciler.report.free_runs import FreeRuns


def find(source: Source, wanted: Wanted, pool: str | None, provider: str | None) -> FreeRuns:
    """Where a run is free once all is served that the revision asks for.

    Args:
        source: The files of a revision.
        wanted: What is looked for.
        pool: Name of a pool; None for all.
        provider: Name of what tenants choose their pools by; None for all pools.

    Raises:
        UsageError: There is no such pool or provider.
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
    return FreeRuns(today.tree.revision, wanted, told, is_planned)


def _live(records: Iterable[Allocation], pools: Mapping[Key, Pool], key: Key) -> IPSet:
    """What live records hold in the address space of a pool."""
    space = pools[key].space
    homes = ((it, pools.get(it.pool)) for it in records if it.is_live)
    ranges = (it.range for it, home in homes if home is not None and home.space == space)
    return IPSet.of(item for item in ranges if item is not None)


def _given(records: Iterable[Allocation]) -> set[tuple[Key, IPRange, bool]]:
    """What records hold, and whether it is released."""
    return {(it.claim, it.range, it.is_released) for it in records if it.range is not None}


def _led(found: Sequence[Runs]) -> Iterator[Runs]:
    """Pools that are asked one after the other: what comes next is told of the first that has it."""
    is_found = False
    for runs in found:
        has_it = any(fit.is_next for fit in runs.fits)
        fits = (fit._replace(is_next=fit.is_next and not is_found) for fit in runs.fits)
        yield runs._replace(fits=tuple(fits))
        is_found = is_found or has_it


def pools_of_name(evaluation: Evaluation, text: str, among: list[Key] | None = None) -> list[Key]:
    """The pools of a name.

    Args:
        evaluation: Of the revision.
        text: The name.
        among: Those that may be meant; None for all.

    Raises:
        UsageError: There is none.
    """
    keys = list(evaluation.state.pools) if among is None else among
    if found := pools_named(keys, text):
        return found
    names = sorted({key.name for key in keys})
    near = meant(text, names)
    listed = f"there are: {', '.join(names) or 'none'}"
    raise UsageError(f"no pool {text!r}", f"{near} {listed}" if near else listed)
