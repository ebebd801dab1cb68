"""The past as the page has it: commits, claims and lives of ranges in columns, marks of the slider."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Generic, TypeVar

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.asking.causes import Cause
from reconciler.asking.facts import Fact
from reconciler.asking.happenings import Happening, What
from reconciler.asking.lives import Life
from reconciler.asking.rows import Row
from reconciler.findings import few
from reconciler.model.allocation import Phase
from reconciler.report.escape import escape
from reconciler.report.markup import cut
from reconciler.report.page.packing import packed_names, packed_numbers, packed_steps

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

_Told = Iterable[tuple[Happening, Cause | None]]


@dataclass(slots=True)
class _Numbered(Generic[T]):
    """Values with a number each, in the order in which they were asked for first."""

    numbers: dict[T, int] = field(default_factory=dict)

    def of(self, value: T) -> int:
        """The number of a value."""
        return self.numbers.setdefault(value, len(self.numbers))


def past_document(
    rows: Sequence[Row], told: _Told, found: Iterable[Life], pools: Sequence[str]
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
        "lives": _lives(shown, places, claims, _Causes(numbers, causes, paths)),
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


def _commits(rows: Sequence[Row]) -> dict[str, Any]:
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


class _Causes(Struct, frozen=True):
    """Which commits there are, and which of people began what."""

    numbers: Mapping[str, int]
    causes: Mapping[tuple[str, str], Cause]
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
    causes: _Causes,
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
    text = escape(cut(few(once), _LONGEST))
    return {"commit": at, "what": what, "pool": pool, "count": len(once), "text": text}
