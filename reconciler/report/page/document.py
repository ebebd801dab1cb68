"""Content of the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from msgspec.structs import asdict

from reconciler import __version__
from reconciler.addresses import IPRange, IPSet, ends
from reconciler.documents.findings import Finding, join_limited
from reconciler.documents.text import escape
from reconciler.documents.validators import folder
from reconciler.families.clusters import balancer_records
from reconciler.gitio.interface import CommitRow
from reconciler.history.applied import ApplyResult, SeenDrift, SeenObject, Served, headroom
from reconciler.history.commits import Caused, CommitCause, History
from reconciler.history.events import Life, What, is_growth, lives
from reconciler.history.queries import forecast
from reconciler.history.runs import free_of
from reconciler.model.claim import Allocation
from reconciler.model.instant import DAY, format_instant
from reconciler.model.key import Key
from reconciler.model.plan import State
from reconciler.model.pool import Pool
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, AddressUse, without_record
from reconciler.planning.retention import retention_end
from reconciler.planning.space import Lookup
from reconciler.report.findings import capped
from reconciler.report.formats import envelope
from reconciler.report.json import finding, plan_document, usage_item
from reconciler.report.markup import cut
from reconciler.report.page.html import Parts, packed_names, packed_numbers, packed_steps, page_html
from reconciler.report.queries import outlook_item
from reconciler.review.result import Compared

# The newest commits and lives that a page has at most.
_MAX_COMMITS, _MAX_LIVES = 20_000, 200_000
_MAX_EXACT = 2**53 - 1  # the numbers of browsers are exact up to here
_MAX_TEXT = 200
# Added to IPv6 addresses, so that both versions are in one column.
_IPV6 = 1 << 32


class Given(NamedTuple):
    """Results of clusters, in files from the user: an apply, and waiting times of growth."""

    applied: ApplyResult | None = None
    served: Sequence[Served] | None = None


@cache
def shipped_parts() -> Parts:
    """Return the parts of the page that are shipped."""
    there = {item.name: item.read_text("utf-8") for item in folder("page").iterdir()}
    modules = {
        name.removesuffix(".js"): text for name, text in there.items() if name.endswith(".js")
    }
    styles = [there[name] for name in sorted(there) if name.endswith(".css")]
    return Parts(there["template.html"], modules, styles)


def page(
    evaluation: Evaluation, compared: Compared, history: History, base: str | None, given: Given
) -> str:
    """Return the page of a revision, the same on any machine."""
    state, tree = evaluation.state, evaluation.tree
    events, is_whole = _events_of(history)
    kept = history.rows[:_MAX_COMMITS]
    found, reach = lives(state.records, kept, history.known, _MAX_LIVES)
    rows = kept[:reach]
    _, outlooks = forecast(evaluation, history, None)
    ahead = list(map(outlook_item, outlooks))
    begins = rows[-1].clock if rows else state.clock
    listed = _pools(evaluation, ahead, given.applied)
    document = {
        **envelope("Report"),
        "version": __version__,
        "revision": tree.revision,
        "base": base,
        "asOf": format_instant(state.clock),
        "history": {
            "days": max(state.clock - begins, 0) // DAY,
            "isWhole": is_whole and reach == len(history.rows),
            "begins": format_instant(begins),
        },
        "pools": listed,
        **_past(rows, events, found, sorted(state.pools)),
        "findings": [
            *map(_finding, capped(compared.evaluation.findings)),
            *({**_finding(it), "severity": "gate"} for it in capped(compared.evaluation.gates)),
        ],
        "drift": None if given.applied is None else list(_drift(given.applied)),
        "growth": None if given.served is None else list(_growth(given.served, rows)),
        "change": _change(compared.evaluation, base),
    }
    return page_html(shipped_parts(), _plain(document))


def _events_of(history: History) -> tuple[list[Caused], bool]:
    found: list[Caused] = []
    kept: frozenset[str] = frozenset()
    for item in history.events():
        if not kept and len(history.rows) > _MAX_COMMITS:
            kept = frozenset(row.id for row in history.rows[:_MAX_COMMITS])
        if kept and item[0].row.id not in kept:
            return found, False
        found.append(item)
    return found, not history.log.is_cut()


def _plain(value: Any) -> Any:
    """Return a value with escaped texts, and with large counts as digits, for exact reading."""
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, int):
        return str(value) if value > _MAX_EXACT else value
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _ends(item: IPRange) -> list[str]:
    return [*ends(item).values()]


def _pools(
    evaluation: Evaluation, ahead: Sequence[Mapping[str, Any]], applied: ApplyResult | None
) -> list[dict[str, Any]]:
    state = evaluation.state
    keys = sorted(state.pools)
    free, others = free_of(state, keys), without_record(state)
    later, shares = _comes_free(state), _overlaps(state.pools.values())
    idle = None if applied is None else _idle(state.records, applied)
    return [
        {
            **_named(state.pools[key]),
            **usage_item(evaluation.plan.before[key]),
            **_drawn(state.pools[key], others, free[key]),
            "comesFree": later.get(key, []),
            "fits": found["tenantsThatFit"],
            "moreFit": found["moreFit"],
            "shape": found["medianShape"],
            **{name: found[name] for name in ("levels", "rates", "trend")},
            "overlaps": sorted(shares.get(key, ())),
            "idle": None if idle is None else idle.get(key, 0),
        }
        for key, found in zip(keys, ahead, strict=True)
    ]


def _idle(records: Iterable[Allocation], result: ApplyResult) -> dict[Key, int]:
    by_pool: dict[Key, list[Allocation]] = {}
    for record in records:
        by_pool.setdefault(record.pool, []).append(record)
    return {
        pool: headroom(balancer_records(found), result, "").total.idle
        for pool, found in by_pool.items()
    }


def _named(pool: Pool) -> dict[str, Any]:
    key = pool.key
    return {
        "key": str(key),
        **{name: getattr(key, name) for name in ("family", "kind", "namespace", "name")},
        "space": pool.space,
        "path": pool.source.path,
        "line": pool.source.line,
        "gate": pool.gate.value if pool.gate else None,
        "thresholds": asdict(pool.thresholds),
        "isPaused": pool.is_paused,
        "isAutomatic": pool.auto_assign,
        "placement": pool.placement.name.lower().replace("_", "-"),
    }


def _drawn(pool: Pool, others: Sequence[AddressPart], free: IPSet) -> dict[str, Any]:
    network = pool.extent | pool.usable
    reserved = pool.reserved & pool.extent
    parts = [AddressPart(item, AddressUse.RESERVED, source=pool.source) for item in reserved]
    parts += [AddressPart(item, AddressUse.UNUSED) for item in pool.extent - pool.usable - reserved]
    parts += [
        part._replace(range=item)
        for part in others
        if part.space in ("", pool.space)
        for item in network & IPSet((part.range,))
    ]
    parts.sort(key=lambda it: (it.range, it.sort.value, it.title))
    return {
        "networks": [_ends(item) for item in network],
        "reserved": reserved.size,
        "others": [
            [
                *_ends(it.range),
                it.sort.value,
                it.title,
                *((it.source.path, it.source.line) if it.source else ("", 0)),
            ]
            for it in parts
        ],
        "free": [_ends(item) for item in free],
    }


def _comes_free(state: State) -> dict[Key, list[list[Any]]]:
    found: dict[Key, list[tuple[bool, int, IPRange]]] = {}
    for record in state.records:
        if record.is_released and record.range is not None:
            end = None if record.announced else retention_end(record, state)
            found.setdefault(record.pool, []).append((end is None, end or 0, record.range))
    return {
        pool: [
            [*_ends(item), None if never else format_instant(end)]
            for never, end, item in sorted(items)
        ]
        for pool, items in found.items()
    }


def _overlaps(pools: Iterable[Pool]) -> dict[Key, set[str]]:
    entries = [(item, pool) for pool in pools for item in pool.extent | pool.usable]
    there, found = Lookup(entries), dict[Key, set[str]]()
    for item, pool in entries:
        others = (other for _, other in there.overlapping(item) if other.space == pool.space)
        found.setdefault(pool.key, set()).update(str(it.key) for it in others if it != pool)
    return found


class _Numbers(dict[str, int]):
    def __missing__(self, text: str) -> int:
        self[text] = len(self)
        return self[text]


def _past(
    rows: Sequence[CommitRow], events: Iterable[Caused], found: Iterable[Life], keys: Sequence[Key]
) -> dict[str, Any]:
    numbers = {row.id: at for at, row in enumerate(reversed(rows))}
    inside = [(item, cause) for item, cause in events if item.row.id in numbers]
    causes = {
        (item.row.id, item.record.claim): cause for item, cause in inside if cause is not None
    }
    paths, places = _Numbers(), {key: at for at, key in enumerate(keys)}
    shown = sorted(
        (it for it in found if it.record.pool in places and it.record.range is not None),
        key=lambda it: (
            *(places[it.record.pool], _first(it), _begin(it, numbers)),
            str(it.record.claim),
        ),
    )
    records = {it.record.claim: it.record for it in shown}
    claims = {claim: at for at, claim in enumerate(sorted(records, key=str))}
    begun = [_cause(it, numbers, causes, paths) for it in shown]
    return {
        **_claims([records[claim] for claim in claims]),
        **_commits(rows),
        "lives": {
            "count": len(shown),
            "pool": packed_steps(places[it.record.pool] for it in shown),
            "first": packed_numbers(_firsts(shown)),
            "size": packed_numbers(it.record.range.size if it.record.range else 0 for it in shown),
            "claim": packed_steps(claims[it.record.claim] for it in shown),
            "state": packed_numbers(_state(it.record) for it in shown),
            "from": packed_numbers(_begin(it, numbers) for it in shown),
            "to": packed_numbers(0 if it.ends is None else numbers[it.ends.id] + 1 for it in shown),
            **_columns(("cause", "path", "line"), begun),
        },
        "paths": list(paths),
        "events": _events(inside, numbers),
    }


def _columns(names: Sequence[str], rows: Sequence[Sequence[int]]) -> dict[str, str]:
    return {name: packed_numbers(row[at] for row in rows) for at, name in enumerate(names)}


def _first(life: Life) -> int:
    item = life.record.range
    return 0 if item is None else item.first + (_IPV6 if item.version == 6 else 0)


def _begin(life: Life, numbers: Mapping[str, int]) -> int:
    return 0 if life.begins is None else numbers[life.begins.id] + 1


def _claims(records: Sequence[Allocation]) -> dict[str, Any]:
    owners = {owner: at for at, owner in enumerate(sorted({it.owner.short for it in records}))}
    teams, types = _Numbers(), _Numbers()
    rows = [(owners[it.owner.short], teams[it.owner.team], types[it.type]) for it in records]
    return {
        "owners": packed_names(map(escape, owners)),
        "claims": {
            "count": len(records),
            "name": packed_names(escape(str(it.claim)) for it in records),
            **_columns(("owner", "team", "type"), rows),
        },
        "teams": list(teams),
        "types": list(types),
    }


def _commits(rows: Sequence[CommitRow]) -> dict[str, Any]:
    oldest_first = rows[::-1]
    authors, subjects = _Numbers(), _Numbers()
    requests = {str(at): it.request for at, it in enumerate(oldest_first) if it.request}
    return {
        "commits": {
            "count": len(rows),
            "id": [row.id[:12] for row in oldest_first],
            "clock": packed_steps(row.clock for row in oldest_first),
            "author": packed_numbers(authors[row.author] for row in oldest_first),
            "subject": packed_numbers(subjects[row.subject] for row in oldest_first),
            "request": requests,
            "plan": packed_numbers(int(row.is_plan) for row in oldest_first),
        },
        "authors": [cut(author, _MAX_TEXT) for author in authors],
        "subjects": [cut(subject, _MAX_TEXT) for subject in subjects],
    }


def _cause(
    life: Life,
    numbers: Mapping[str, int],
    causes: Mapping[tuple[str, Key], CommitCause],
    paths: _Numbers,
) -> tuple[int, int, int]:
    cause = causes.get((life.begins.id, life.record.claim)) if life.begins is not None else None
    if cause is None:
        return 0, 0, 0
    path = paths[cause.path] + 1 if cause.path else 0
    return numbers.get(cause.row.id, -1) + 1, path, cause.line


def _firsts(shown: Iterable[Life]) -> Iterator[int]:
    for _, of_pool in groupby(shown, key=lambda it: it.record.pool):
        yield from (new - old for old, new in pairwise([0, *map(_first, of_pool)]))


def _state(record: Allocation) -> int:
    """Return bits: 1 held, 2 left but announced, 4 growth."""
    released = 2 if record.announced else 1
    state = released if record.is_released else 0
    return state | (4 if is_growth(record) else 0)


_MARKS = {
    What.RELEASED: "released",
    What.REFUSED: "refused",
    What.MOVED: "moved",
    What.TRANSFERRED: "moved",
}


def _events(events: Iterable[Caused], numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    found: dict[tuple[int, str, str], set[str]] = {}
    for item, cause in events:
        at, pool = numbers[item.row.id], str(item.record.pool)
        if mark := _MARKS.get(item.what):
            found.setdefault((at, mark, pool), set()).add(item.record.claim.short)
        if cause is not None and cause.approval is not None:
            found.setdefault((at, "approved", pool), set()).add(cause.approval.path)
    return [
        {
            "commit": at,
            "what": what,
            "pool": pool,
            "count": len(names),
            "text": cut(join_limited(sorted(names)), _MAX_TEXT),
        }
        for (at, what, pool), names in sorted(found.items())
    ]


def _finding(item: Finding) -> dict[str, Any]:
    found = finding(item)
    del found["pointer"]
    return found


def _change(evaluation: Evaluation, base: str | None) -> dict[str, Any]:
    plan = plan_document(evaluation, base=base)
    names = ("total", "allocated", "held", "available", "utilizationPercent", "tier")
    pairs = ((key, (evaluation.plan.before[key], it)) for key, it in evaluation.plan.after.items())
    usage = {
        key: [{name: usage_item(it)[name] for name in names} for it in pair] for key, pair in pairs
    }
    return {
        "base": base,
        "digest": plan["digest"],
        "summary": plan["summary"],
        "actions": [_action(item) for item in plan["actions"]],
        "pools": {
            str(key): {"before": was, "after": now}
            for key, (was, now) in usage.items()
            if was != now
        },
    }


_ACTION = ("action", "claim", "pool", "start", "end", "reason", "count")


def _action(item: Mapping[str, Any]) -> dict[str, Any]:
    source, came = item["source"], item.get("from") or {}
    moved = {name: came[name] for name in ("pool", "start", "end")} if "start" in came else None
    return {
        **{name: item[name] for name in _ACTION},
        "message": item["message"] or None,
        "path": source["path"],
        "line": source["line"],
        "from": moved,
        "grows": item.get("grows"),
    }


def _growth(served: Iterable[Served], rows: Iterable[CommitRow]) -> Iterator[dict[str, Any]]:
    clocks = {row.id: row.clock for row in rows}
    for item in served:
        clock = clocks.get(item.revision)
        time = None if clock is None else format_instant(clock)
        yield {"cluster": item.cluster, "time": time, "seconds": item.seconds}


def _drift(result: ApplyResult) -> Iterator[dict[str, Any]]:
    for name, cluster in result.clusters.items():
        is_failed = cluster.state in ("unreachable", "refused", "failed")
        whole = [SeenObject("", error=cluster.error)] if is_failed else []
        for item in cluster.drifted or whole:
            drift = item.drift or SeenDrift()
            yield {
                "cluster": name,
                "state": cluster.state,
                "object": item.object or None,
                "manager": drift.manager or None,
                "time": drift.time or None,
                "fields": drift.fields,
                "error": item.error or None,
            }
