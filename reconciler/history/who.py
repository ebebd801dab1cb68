"""Holders of addresses."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange, asked_range
from reconciler.documents.findings import Location, nearest
from reconciler.gitio.history import DEEPEN, CommitLog
from reconciler.gitio.repository import Repository
from reconciler.history.commits import Caused, History
from reconciler.history.events import RecordEvent
from reconciler.model.claim import Allocation, Owner
from reconciler.model.errors import GitError, NotThereError, UsageError
from reconciler.model.instant import format_instant, parse_duration, parse_instant
from reconciler.model.key import Key
from reconciler.model.plan import State
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, AddressUse, parts_of, pools_named
from reconciler.planning.retention import retention_end


class Holder(NamedTuple):
    """Use of addresses. `until` is in seconds since 1970, `giver` another owner in the record.

    `is_over` means that `until` has passed, but no run has removed the record.
    """

    part: AddressPart
    until: int | None
    document: Location | None
    before: AddressPart | None
    after: AddressPart | None
    giver: Owner | None = None
    is_over: bool = False


def of_ranges(state: State, asked: Iterable[IPRange]) -> list[Holder]:
    """Return the use of some addresses, by address."""
    return _describe(state, parts_of(state, asked))


def of_name(state: State, text: str) -> list[Holder]:
    """Return the addresses of a tenant, team, claim, record, or pool, by address."""
    pools = pools_named(state.pools, text)
    networks = [it for key in pools for it in state.pools[key].extent | state.pools[key].usable]
    found = dict.fromkeys(parts_of(state, networks)) if networks else {}
    kept = {part: None for part in found if part.pool in (None, *pools) or part.sort.is_holder}
    named = {record.path for record in state.records if text in _names(record)}
    named |= {path for path, giver in state.givers.items() if text in (giver.name, giver.short)}
    ranges = [it.range for it in state.records if it.path in named and it.range is not None]
    theirs = [it for it in parts_of(state, ranges) if it.record and it.record.path in named]
    every = {**kept, **dict.fromkeys(theirs)}
    order = sorted(every, key=lambda it: (it.range, it.space, it.sort, it.title))
    return _describe(state, order)


def nearest_name(asked: str, records: Iterable[Allocation], pools: Iterable[Key] = ()) -> str:
    """Return the most similar name of a tenant, team, record, or pool, or empty."""
    names = {key.name for key in pools}
    for it in records:
        names |= {it.owner.short, it.owner.name, it.owner.team, it.pool.name, it.name}
    return nearest(asked, sorted(names))


def _names(record: Allocation) -> tuple[str, ...]:
    owner, claim = record.owner, record.claim
    every = owner.name, owner.short, owner.team, record.name, claim.short, *claim.names
    return tuple(filter(None, every))


def _describe(state: State, parts: Sequence[AddressPart]) -> list[Holder]:
    @cache
    def row(space: str, key: Key | None) -> list[AddressPart]:
        pool = state.pools.get(key) if key is not None else None
        found = parts_of(state, pool.extent | pool.usable) if pool is not None else []
        return [it for it in found if it.space == space]

    return [_holder(state, part, row(part.space, part.pool)) for part in parts]


def _holder(state: State, part: AddressPart, row: Sequence[AddressPart]) -> Holder:
    before = (it for it in reversed(row) if it.range.last < part.range.first)
    after = (it for it in row if it.range.first > part.range.last)
    neighbors = next(before, None), next(after, None)
    record = part.record
    if record is None:
        return Holder(part, None, None, *neighbors)
    # The retention of a left range begins only when it is unused.
    is_reserved = record.is_released and not record.announced
    until = retention_end(record, state) if is_reserved else None
    claim = state.claims.get(record.claim)
    document = claim.source if claim is not None else None
    is_over = until is not None and until <= state.clock
    return Holder(part, until, document, *neighbors, state.givers.get(record.path), is_over)


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z", re.ASCII)


def moment_of(text: str, clock: int, *, is_end: bool) -> int | None:
    """Parse `2026-03-02`, `2026-03-02T14:00Z`, or `30d` before a clock, as seconds since 1970.

    `is_end` means the last second of a day or minute. None if invalid.
    """
    if _DAY.fullmatch(text):
        return parse_instant(f"{text}T{'23:59:59' if is_end else '00:00:00'}Z")
    if _MINUTE.fullmatch(text):
        return parse_instant(f"{text[:-1]}:{'59' if is_end else '00'}Z")
    try:
        return clock - parse_duration(text)
    except ValueError:
        return parse_instant(text)


class WhoAnswer(Struct, frozen=True):
    """Answer to a query: range, or None for a name; holders, newest events, a similar name."""

    asked: str
    range: IPRange | None
    holders: tuple[Holder, ...]
    brought: dict[str, Caused]
    near: str = ""

    @property
    def is_known(self) -> bool:
        """Whether the repository has anything at the addresses."""
        return any(it.part.sort is not AddressUse.OUTSIDE for it in self.holders)


def who(evaluation: Evaluation, history: History, asked: str) -> WhoAnswer:
    """Return the use of an address, a CIDR, or a range, or the addresses of a name."""
    state, item = evaluation.state, asked_range(asked)
    holders = of_name(state, asked) if item is None else of_ranges(state, [item])
    like = "" if holders else nearest_name(asked, state.records, state.pools)
    return WhoAnswer(asked, item, tuple(holders), _brought(history, holders), like)


def what_happened(history: History, asked: str) -> Iterator[Caused]:
    """Yield all events of some addresses or of a name, newest first."""
    item = asked_range(asked)
    return history.events(concerning(asked) if item is None else (lambda it: it.concerns([item])))


def concerning(asked: str) -> Callable[[RecordEvent], bool]:
    """Return a filter of events, newest first: of a tenant, team, claim, record, or pool.

    It follows a renamed claim, and no namesake.
    """
    former: set[Key] = set()

    def is_its(item: RecordEvent) -> bool:
        nonlocal former
        record, heir = item.record, item.heir
        pool = str(record.pool).split("/")
        claims = {it.claim for it in (record, heir) if it is not None}
        names = [name for it in (record, heir) if it is not None for name in _names(it)]
        givers = filter(None, (item.giver, item.giver.rpartition("/")[2]))
        is_named = asked in (*names, *givers)
        of_claim = is_named or not former.isdisjoint(claims)
        if of_claim and heir is not None:
            former = former - claims | {record.claim}
        return of_claim or asked in (str(record.pool), pool[-1], "/".join(pool[2:]))

    return is_its


def _brought(history: History, holders: list[Holder]) -> dict[str, Caused]:
    paths = frozenset(it.part.record.path for it in holders if it.part.record is not None)
    found: dict[str, Caused] = {}
    for event in history.events(only=lambda path: path in paths) if paths else ():
        item = event[0]
        now = item.heir or item.record
        for touch in item.row.touched:
            record = history.known.get((touch.new, touch.path))
            is_its = record is not None and (record.claim, record.phase) == (now.claim, now.phase)
            if is_its and touch.path in paths:
                found.setdefault(touch.path, event)
        if len(found) == len(paths):
            break
    return found


def revision_at(repository: Repository, log: CommitLog, rev: str, at: str | None) -> str:
    """Return the revision of `--at`: a time on the line of `--rev`, or a name."""
    if at is None:
        return rev
    head = repository.resolve(rev)
    moment = moment_of(at, head.clock, is_end=True)
    if moment is None:
        try:
            return repository.resolve(at).id
        except GitError as error:
            hint = "write 2026-02-15, 2026-02-15T10:00Z, 30d (before the revision), or a revision"
            raise UsageError(f"--at {at!r} is neither a time nor a revision", hint) from error
    found = log.before(head.id, moment)
    if found is None:
        message = f"no commit of {rev} is as old as {format_instant(moment)}"
        if log.is_cut():
            raise GitError(message, DEEPEN)
        raise NotThereError(message, "pass a later time, because the repository did not exist then")
    return found.id
