"""What the page says of each pool: the figures of `status` and `forecast`, and what is drawn."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_address
from reconciler.asking.outlook import Outlook, Past
from reconciler.asking.parts import Part, Sort, without_record
from reconciler.asking.runs import free_of
from reconciler.engine.due import retention_end
from reconciler.evaluate import Evaluation
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.state import State
from reconciler.report.escape import escape
from reconciler.report.machine import pool_list
from reconciler.report.outlook import outlook_document

MOST_EXACT = 2**53 - 1
"""A browser's numbers are exact up to it."""

_OF_STATUS = (
    *("total", "allocated", "held", "available", "allocationCount", "fragmentationPercent"),
    *("largestFreeBlock", "utilizationPercent", "tier"),
)


def pools_document(
    evaluation: Evaluation,
    past: Past,
    outlooks: Mapping[Key, Outlook],
    idle: Mapping[Key, int] | None,
) -> list[dict[str, Any]]:
    """Each pool, by key."""
    state = evaluation.state
    keys = sorted(state.pools)
    usage = {item["pool"]: item for item in pool_list(evaluation)["items"]}
    ahead = outlook_document("", past, [outlooks[key] for key in keys])["items"]
    free, others = free_of(state, keys), without_record(state)
    later, shares = _comes_free(state), _overlaps(state.pools.values())
    return [
        {
            **_named(state.pools[key]),
            **{name: exact(usage[str(key)][name]) for name in _OF_STATUS},
            **_drawn(state.pools[key], others, free[key]),
            "comesFree": later.get(key, []),
            **_ahead(found),
            "overlaps": shares.get(key, []),
            "idle": None if idle is None else exact(idle.get(key, 0)),
        }
        for key, found in zip(keys, ahead, strict=True)
    ]


def exact(value: Any) -> Any:
    """A count that a browser reads exactly: of very many addresses its digits."""
    is_large = isinstance(value, int) and value > MOST_EXACT
    return str(value) if is_large else value


def ends(item: IPRange) -> list[str]:
    """The first and the last address of a range."""
    return [format_address(item.version, at) for at in (item.first, item.last)]


def _named(pool: Pool) -> dict[str, Any]:
    key, levels = pool.key, pool.thresholds
    return {
        "key": str(key),
        "family": key.family,
        "kind": key.kind,
        "namespace": key.namespace,
        "name": key.name,
        "space": escape(pool.space),
        "path": escape(pool.source.path),
        "line": pool.source.line,
        "gate": pool.gate.value if pool.gate else None,
        "thresholds": {
            "warning": levels.warning,
            "critical": levels.critical,
            "exhausted": levels.exhausted,
        },
        "isPaused": pool.is_paused,
        "isAutomatic": pool.auto_assign,
        "placement": pool.placement.value,
    }


def _drawn(pool: Pool, others: Sequence[Part], free: IPSet) -> dict[str, Any]:
    network = pool.extent | pool.usable
    reserved = pool.reserved & pool.extent
    kept = [Part(item, Sort.RESERVED, source=pool.source) for item in reserved]
    unused = [Part(item, Sort.UNUSED) for item in pool.extent - pool.usable - reserved]
    inside = [
        part._replace(range=item)
        for part in others
        if part.space in ("", pool.space)
        for item in network & IPSet((part.range,))
    ]
    return {
        "networks": [ends(item) for item in network],
        "reserved": exact(reserved.size),
        "others": [_other(part) for part in sorted([*inside, *kept, *unused], key=_by_place)],
        "free": [ends(item) for item in free],
    }


def _by_place(part: Part) -> tuple[IPRange, str, str]:
    return part.range, part.sort.value, part.title


def _other(part: Part) -> list[Any]:
    place = part.source
    where = [escape(place.path), place.line] if place is not None else ["", 0]
    return [*ends(part.range), part.sort.value, escape(part.title), *where]


def _comes_free(state: State) -> dict[Key, list[list[Any]]]:
    """What released records alone hold, by their pools, the soonest first."""
    found: dict[Key, list[tuple[bool, int, IPRange]]] = {}
    for record in state.records:
        if record.is_released and record.range is not None:
            end = None if record.announced else retention_end(record, state)
            found.setdefault(record.pool, []).append((end is None, end or 0, record.range))
    return {
        pool: [
            [*ends(item), None if never else format_instant(end)]
            for never, end, item in sorted(items)
        ]
        for pool, items in found.items()
    }


def _ahead(found: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "fits": found["tenantsThatFit"],
        "moreFit": found["moreFit"],
        "shape": [exact(size) for size in found["medianShape"]],
        "levels": [{**it, "addresses": exact(it["addresses"])} for it in found["levels"]],
        "rates": [{**it, "change": exact(it["change"])} for it in found["rates"]],
        "trend": [{**it, "used": exact(it["used"])} for it in found["trend"]],
    }


def _overlaps(pools: Iterable[Pool]) -> dict[Key, list[str]]:
    """Which pools of one address space share addresses, by one sweep."""
    ranges = sorted(
        ((pool.space, item, pool.key) for pool in pools for item in pool.extent | pool.usable),
    )
    found: dict[Key, set[str]] = {}
    for one, other in _meeting(ranges):
        if one != other:
            found.setdefault(one, set()).add(str(other))
            found.setdefault(other, set()).add(str(one))
    return {key: sorted(names) for key, names in found.items()}


def _meeting(ranges: Sequence[tuple[str, IPRange, Key]]) -> Iterator[tuple[Key, Key]]:
    """Pools of which two ranges meet."""
    open_: list[tuple[str, IPRange, Key]] = []
    for item in ranges:
        space, range_, key = item
        open_ = [it for it in open_ if it[0] == space and it[1].overlaps(range_)]
        for it in open_:
            yield it[2], key
        open_.append(item)
