"""Data of the page."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Generic, TypeVar

from msgspec import Struct

from reconciler import __version__
from reconciler.addresses import IPRange, IPSet, format_address
from reconciler.documents.findings import Finding, join_limited
from reconciler.documents.text import escape
from reconciler.gitio.interface import CommitRow
from reconciler.history.applied import ApplyResult, Served
from reconciler.history.commits import CommitCause
from reconciler.history.events import Fact, Life, RecordEvent, What
from reconciler.history.forecast import Outlook, Past
from reconciler.history.runs import free_of
from reconciler.model.claim import Phase
from reconciler.model.instant import DAY, format_instant
from reconciler.model.key import Key
from reconciler.model.plan import State
from reconciler.model.pool import Pool
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, AddressUse, without_record
from reconciler.planning.retention import retention_end
from reconciler.report.findings import capped
from reconciler.report.json import envelope, plan_document, pool_list, pools
from reconciler.report.markup import cut
from reconciler.report.page.html import Material, packed_names, packed_numbers, packed_steps
from reconciler.report.queries import outlook_document

MAX_EXACT = 2**53 - 1
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
    is_large = isinstance(value, int) and value > MAX_EXACT
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


def _drawn(pool: Pool, others: Sequence[AddressPart], free: IPSet) -> dict[str, Any]:
    network = pool.extent | pool.usable
    reserved = pool.reserved & pool.extent
    kept = [AddressPart(item, AddressUse.RESERVED, source=pool.source) for item in reserved]
    unused = [AddressPart(item, AddressUse.UNUSED) for item in pool.extent - pool.usable - reserved]
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


def _by_place(part: AddressPart) -> tuple[IPRange, str, str]:
    return part.range, part.sort.value, part.title


def _other(part: AddressPart) -> list[Any]:
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


_IPV6 = 1 << 32
"""Is added to addresses of IPv6, so that those of both versions are numbers of one column."""

_LONGEST = 200
_HELD, _LEFT, _GROWTH = 1, 2, 4
_MARKS = {
    What.RELEASED: "released",
    What.REFUSED: "refused",
    What.MOVED: "moved",
    What.TRANSFERRED: "moved",
}
T = TypeVar("T", bound=Hashable)
_Mark = tuple[int, str, str]
"""Number of the commit, what happened, key of the pool."""

_Told = Iterable[tuple[RecordEvent, CommitCause | None]]


@dataclass(slots=True)
class _Numbered(Generic[T]):
    """Values with a number each, in the order in which they were asked for first."""

    numbers: dict[T, int] = field(default_factory=dict)

    def of(self, value: T) -> int:
        """The number of a value."""
        return self.numbers.setdefault(value, len(self.numbers))


def past_document(
    rows: Sequence[CommitRow], told: _Told, found: Iterable[Life], pools: Sequence[str]
) -> dict[str, Any]:
    """The past of some pools.

    Args:
        rows: The commits, newest first.
        told: What happened in them.
        found: What held which addresses in them.
        pools: Keys of the pools that the page shows; lives of others are not told.
    """
    numbers = {row.id: at for at, row in enumerate(reversed(rows))}
    behind = [(item, cause) for item, cause in told if item.row.id in numbers]
    causes = {(item.row.id, item.fact.claim): cause for item, cause in behind if cause is not None}
    paths = _Numbered[str]()
    places = {key: at for at, key in enumerate(pools)}
    shown = sorted(
        (it for it in found if it.fact.pool in places and it.fact.range is not None),
        key=lambda it: (places[it.fact.pool], *_order(it, numbers)),
    )
    facts = {it.fact.claim: it.fact for it in shown}
    claims = {claim: at for at, claim in enumerate(sorted(facts))}
    return {
        **_claims([facts[claim] for claim in claims]),
        **_commits(rows),
        "lives": _lives(shown, places, claims, _CommitCauses(numbers, causes, paths)),
        "paths": [escape(path) for path in paths.numbers],
        "events": _events(behind, numbers),
    }


def _order(life: Life, numbers: Mapping[str, int]) -> tuple[int, int, str]:
    return _number(life.fact), _begin(life, numbers), life.fact.claim


def _number(fact: Fact) -> int:
    item = _range(fact)
    return item.first + (_IPV6 if item.version == 6 else 0)


def _range(fact: Fact) -> IPRange:
    if fact.range is None:
        raise ValueError("a life without a range")
    return fact.range


def _begin(life: Life, numbers: Mapping[str, int]) -> int:
    return 0 if life.begins is None else numbers[life.begins.id] + 1


def _claims(facts: Sequence[Fact]) -> dict[str, Any]:
    """Claims by key; what they have in common stands once."""
    owners = {owner: at for at, owner in enumerate(sorted({it.owner for it in facts}))}
    teams, types = _Numbered[str](), _Numbered[str]()
    columns = [(owners[it.owner], teams.of(it.team), types.of(it.type)) for it in facts]
    return {
        "owners": packed_names(map(escape, owners)),
        "claims": {
            "count": len(facts),
            "name": packed_names(escape(it.claim) for it in facts),
            **{
                name: packed_numbers(column[at] for column in columns)
                for at, name in enumerate(("owner", "team", "type"))
            },
        },
        "teams": [escape(team) for team in teams.numbers],
        "types": [escape(kind) for kind in types.numbers],
    }


def _commits(rows: Sequence[CommitRow]) -> dict[str, Any]:
    """Commits, the oldest first."""
    oldest_first = rows[::-1]
    authors, subjects = _Numbered[str](), _Numbered[str]()
    by_author = packed_numbers(authors.of(row.author) for row in oldest_first)
    by_subject = packed_numbers(subjects.of(row.subject) for row in oldest_first)
    return {
        "commits": {
            "count": len(rows),
            "id": [row.id[:12] for row in oldest_first],
            "clock": packed_steps(row.clock for row in oldest_first),
            "author": by_author,
            "subject": by_subject,
            "request": {
                str(at): escape(row.request) for at, row in enumerate(oldest_first) if row.request
            },
            "plan": packed_numbers(int(row.is_plan) for row in oldest_first),
        },
        "authors": [_short(author) for author in authors.numbers],
        "subjects": [_short(subject) for subject in subjects.numbers],
    }


def _short(text: str) -> str:
    return escape(cut(text, _LONGEST))


class _CommitCauses(Struct, frozen=True):
    """Which commits there are, and which of people began what."""

    numbers: Mapping[str, int]
    causes: Mapping[tuple[str, str], CommitCause]
    paths: _Numbered[str]

    def of(self, life: Life) -> tuple[int, int, int]:
        """The commit behind a life, the file and the line in it; 0 for what nobody knows."""
        if life.begins is None:
            return 0, 0, 0
        cause = self.causes.get((life.begins.id, life.fact.claim))
        if cause is None:
            return 0, 0, 0
        path = self.paths.of(cause.path) + 1 if cause.path else 0
        return self.numbers.get(cause.row.id, -1) + 1, path, cause.line


def _lives(
    shown: Sequence[Life],
    places: Mapping[str, int],
    claims: Mapping[str, int],
    causes: _CommitCauses,
) -> dict[str, Any]:
    behind = [causes.of(life) for life in shown]
    ends = [0 if it.ends is None else causes.numbers[it.ends.id] + 1 for it in shown]
    return {
        "count": len(shown),
        "pool": packed_steps(places[it.fact.pool] for it in shown),
        "first": packed_numbers(_firsts(shown)),
        "size": packed_numbers(_range(it.fact).size for it in shown),
        "claim": packed_steps(claims[it.fact.claim] for it in shown),
        "state": packed_numbers(_state(it.fact) for it in shown),
        "from": packed_numbers(_begin(it, causes.numbers) for it in shown),
        "to": packed_numbers(ends),
        **{
            name: packed_numbers(row[at] for row in behind)
            for at, name in enumerate(("cause", "path", "line"))
        },
    }


def _firsts(shown: Iterable[Life]) -> Iterable[int]:
    """First addresses, each by its difference to the one before in its pool."""
    for _, of_pool in groupby(shown, key=lambda it: it.fact.pool):
        before = 0
        for life in of_pool:
            first = _number(life.fact)
            yield first - before
            before = first


def _state(fact: Fact) -> int:
    state = 0
    if fact.phase == Phase.RELEASED.value:
        state = _LEFT if fact.is_announced else _HELD
    growth = _GROWTH if fact.is_growth else 0
    return state | growth


def _events(told: _Told, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """What the slider marks of each commit, by pool, the oldest first."""
    found: dict[_Mark, list[str]] = {}
    for item, cause in told:
        at, pool = numbers[item.row.id], item.fact.pool
        if mark := _MARKS.get(item.what):
            found.setdefault((at, mark, pool), []).append(item.fact.name)
        if cause is not None and cause.approval is not None:
            found.setdefault((at, "approved", pool), []).append(cause.approval.path)
    return [_event(mark, names) for mark, names in sorted(found.items())]


def _event(mark: _Mark, names: Sequence[str]) -> dict[str, Any]:
    (at, what, pool), once = mark, sorted(set(names))
    text = escape(cut(join_limited(once), _LONGEST))
    return {"commit": at, "what": what, "pool": pool, "count": len(once), "text": text}


_USAGE = ("total", "allocated", "held", "available", "utilizationPercent", "tier")


def page_document(found: Material) -> dict[str, Any]:
    """The document: the same for the same revision, on any machine."""
    evaluation, compared = found.evaluation, found.compared
    listed = pools_document(evaluation, found.past, found.outlooks, found.idle)
    begins = found.rows[-1].clock if found.rows else evaluation.state.clock
    findings = [*_findings(compared.evaluation.findings), *_gates(compared.evaluation.gates)]
    applied, served = found.given.applied, found.given.served
    return {
        **envelope("Report"),
        "version": __version__,
        "revision": evaluation.tree.revision,
        "base": found.base,
        "asOf": format_instant(evaluation.state.clock),
        "history": {
            "days": max(evaluation.state.clock - begins, 0) // DAY,
            "isWhole": found.is_whole,
            "begins": format_instant(begins),
        },
        "pools": listed,
        **past_document(found.rows, found.told, found.lives, [it["key"] for it in listed]),
        "findings": findings,
        "drift": None if applied is None else list(_drift(applied)),
        "growth": None if served is None else list(_growth(served, found.rows)),
        "change": _change(found),
    }


def _findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [_finding(item, item.severity.value) for item in capped(tuple(findings))]


def _gates(gates: Iterable[Finding]) -> list[dict[str, Any]]:
    return [_finding(item, "gate") for item in capped(tuple(gates))]


def _finding(item: Finding, severity: str) -> dict[str, Any]:
    return {
        "code": item.code,
        "severity": severity,
        "message": escape(item.message),
        "path": escape(item.location.path),
        "line": item.location.line,
        "column": item.location.column,
        "hint": escape(item.hint),
    }


def _change(found: Material) -> dict[str, Any]:
    """What reconciling the revision does; with a base what merging it does."""
    evaluation = found.compared.evaluation
    plan = plan_document(evaluation, base=found.base)
    today = {item["pool"]: _used(item) for item in pools(evaluation, today=True)}
    after = {item["pool"]: _used(item) for item in plan["pools"]}
    return {
        "base": found.base,
        "digest": plan["digest"],
        "summary": plan["summary"],
        "actions": [_action(item) for item in plan["actions"]],
        "pools": {
            key: {"before": today[key], "after": used}
            for key, used in after.items()
            if used != today[key]
        },
    }


def _used(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: exact(item[name]) for name in _USAGE}


def _action(item: Mapping[str, Any]) -> dict[str, Any]:
    source, came = item["source"], item.get("from") or {}
    return {
        **{name: item[name] for name in ("action", "claim", "pool", "start", "end", "reason")},
        "count": exact(item["count"]),
        "message": escape(item["message"] or "") or None,
        "path": escape(source["path"]),
        "line": source["line"],
        "from": {name: came[name] for name in ("pool", "start", "end")}
        if "start" in came
        else None,
        "grows": item.get("grows"),
    }


def _growth(served: Iterable[Served], rows: Iterable[CommitRow]) -> Iterator[dict[str, Any]]:
    """How long growth waited, each at the time of the commit that was the newest then."""
    clocks = {row.id: row.clock for row in rows}
    for item in served:
        clock = clocks.get(item.revision)
        time = None if clock is None else format_instant(clock)
        yield {"cluster": escape(item.cluster), "time": time, "seconds": item.seconds}


def _drift(result: ApplyResult) -> Iterator[dict[str, Any]]:
    for name, cluster in result.clusters.items():
        for item in cluster.drifted:
            yield {
                "cluster": escape(name),
                "state": cluster.state,
                "object": escape(item.object),
                "manager": escape(item.manager) or None,
                "time": escape(item.time) or None,
                "fields": [escape(field) for field in item.fields],
                "error": escape(item.error) or None,
            }
        if cluster.state in ("unreachable", "refused", "failed") and not cluster.drifted:
            yield {
                "cluster": escape(name),
                "state": cluster.state,
                "object": None,
                "manager": None,
                "time": None,
                "fields": [],
                "error": escape(cluster.error) or None,
            }
