"""Holders of addresses."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses.notation import asked_range
from reconciler.addresses.ranges import IPRange
from reconciler.documents.findings import Location, nearest
from reconciler.gitio.interface import Annals, Repository
from reconciler.history.commits import Caused, History
from reconciler.history.events import RecordEvent
from reconciler.model.claim import Allocation, Owner
from reconciler.model.errors import GitError, UsageError
from reconciler.model.instant import format_instant, parse_duration, parse_instant
from reconciler.model.key import Key
from reconciler.model.state import State
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import AddressPart, AddressUse, parts_of, pools_named
from reconciler.planning.retention import retention_end


class Holder(NamedTuple):
    """What some addresses are.

    Attributes:
        until: When what is held comes free, in seconds since 1970; None where nothing does.
        document: Where a person asks for them, or None.
        giver: Whom the record names, where its claim is for another owner by now; reconcile writes
            that. Else None.
        before: What stands before them in their pool, None of the first ones.
        after: What stands after them.
    """

    part: AddressPart
    until: int | None
    document: Location | None
    before: AddressPart | None
    after: AddressPart | None
    giver: Owner | None = None


def of_ranges(state: State, asked: Iterable[IPRange]) -> list[Holder]:
    """What some addresses are, by address."""
    return _describe(state, parts_of(state, asked))


def of_name(state: State, text: str) -> list[Holder]:
    """The addresses of a tenant, a claim or a record, and all of a pool, by address."""
    pools = pools_named(state.pools, text)
    networks = [it for key in pools for it in state.pools[key].extent | state.pools[key].usable]
    found = dict.fromkeys(parts_of(state, networks)) if networks else {}
    kept = {part: None for part in found if part.pool in (None, *pools) or part.sort.is_holder}
    named = {record.path for record in state.records if text in _names(record)}
    named |= {path for path, giver in state.givers.items() if text in (giver.name, giver.short)}
    ranges = [it.range for it in state.records if it.path in named and it.range is not None]
    theirs = [it for it in parts_of(state, ranges) if it.record and it.record.path in named]
    return _describe(state, sorted({**kept, **dict.fromkeys(theirs)}, key=_order))


def is_named(item: RecordEvent, text: str) -> bool:
    """It happened to this tenant, claim, record or pool, or was of this tenant before."""
    pool = item.fact.pool.split("/")
    return bears(item, text) or text in (item.fact.pool, pool[-1], "/".join(pool[2:]))


def bears(item: RecordEvent, text: str) -> bool:
    """It happened to this tenant, claim or record, or was of this tenant before."""
    fact, heir = item.fact, item.heir
    named = (fact.owner, item.giver, heir.owner if heir is not None else "")
    owners = [name for it in named if it for name in (it, it.rpartition("/")[2])]
    claims = [name for it in (fact, heir) if it for name in (it.claim, it.name, it.record)]
    return text in (*claims, *owners)


def nearest_holders(state: State, text: str) -> str:
    """A name that is like this one; empty for none."""
    names = {name for record in state.records for name in _names(record)[:2]}
    names |= {key.name for key in state.pools}
    return nearest(text, sorted(names))


def _names(record: Allocation) -> tuple[str, ...]:
    claim = record.claim
    return (
        *(record.owner.name, record.owner.short, record.name, str(claim), claim.short),
        *(claim.name, "/".join(claim.owner[2:])),
    )


def _order(part: AddressPart) -> tuple[IPRange, str, AddressUse, str]:
    return part.range, part.space, part.sort, part.title


def _describe(state: State, parts: Sequence[AddressPart]) -> list[Holder]:
    rows: dict[tuple[str, Key], list[AddressPart]] = {}
    return [_holder(state, part, _row(state, part, rows)) for part in parts]


def _row(
    state: State, part: AddressPart, rows: dict[tuple[str, Key], list[AddressPart]]
) -> list[AddressPart]:
    """All that stands in the pool of some addresses, by address; made once for each pool."""
    if part.pool is None or part.pool not in state.pools:
        return []
    key = part.space, part.pool
    if key not in rows:
        pool = state.pools[part.pool]
        rows[key] = [
            it for it in parts_of(state, pool.extent | pool.usable) if it.space == part.space
        ]
    return rows[key]


def _holder(state: State, part: AddressPart, row: Sequence[AddressPart]) -> Holder:
    record = part.record
    # What a claim has left rests only once nobody uses it.
    rests = record is not None and record.is_released and not record.announced
    until = retention_end(record, state) if record is not None and rests else None
    claim = state.claims.get(record.claim) if record is not None else None
    lower = [it for it in row if it.range.last < part.range.first]
    upper = [it for it in row if it.range.first > part.range.last]
    return Holder(
        part,
        until,
        claim.source if claim is not None else None,
        lower[-1] if lower else None,
        upper[0] if upper else None,
        state.givers.get(record.path) if record is not None else None,
    )


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z", re.ASCII)


def moment_of(text: str, clock: int, *, is_end: bool) -> int | None:
    """Seconds since 1970 of `2026-03-02`, `2026-03-02T14:00Z`, `2026-03-02T14:00:30Z` or `30d`.

    Args:
        text: What a person wrote; a duration counts back from the clock.
        clock: Date of the revision: no other clock is asked.
        is_end: A day means its last second, a minute too; else the first.

    Returns:
        The moment; None of a text that is none.
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
    """What was asked, and what it is.

    Attributes:
        asked: What a person wrote.
        range: The addresses that it means; None for a name.
        holders: What they are, by address.
        brought: What made each record what it is, by its path.
        near: A name that is like one that nothing bears; else empty.
    """

    asked: str
    range: IPRange | None
    holders: tuple[Holder, ...]
    brought: dict[str, Caused]
    near: str = ""

    @property
    def is_known(self) -> bool:
        """Something of the repository stands there."""
        return any(it.part.sort is not AddressUse.OUTSIDE for it in self.holders)


def who(evaluation: Evaluation, history: History, asked: str) -> WhoAnswer:
    """What some addresses are, or the addresses of somebody.

    Args:
        evaluation: Of the revision.
        history: Its past.
        asked: An address, a CIDR, a range, or a name.
    """
    state, item = evaluation.state, asked_range(asked)
    holders = of_name(state, asked) if item is None else of_ranges(state, [item])
    brought = _brought(history, holders)
    like = "" if holders else nearest_holders(state, asked)
    return WhoAnswer(asked, item, tuple(holders), brought, like)


def what_happened(history: History, asked: str) -> Iterator[Caused]:
    """All that ever happened to some addresses, or to those of somebody; newest first."""
    return history.told(_concerning(asked))


def near(history: History, asked: str) -> str:
    """A name of the past, as far as it was read, that is like one that nothing bore; else empty."""
    facts = [fact for fact in history.known.values() if fact is not None]
    owners = {name for it in facts for name in (it.owner, it.owner.rpartition("/")[2])}
    names = owners | {it.pool.rpartition("/")[2] for it in facts} | {it.record for it in facts}
    return next(iter(get_close_matches(asked, sorted(names), 1)), "")


def _concerning(asked: str) -> Callable[[RecordEvent], bool]:
    item = asked_range(asked)
    return _Named(asked) if item is None else (lambda it: it.concerns([item]))


class _Named:
    """What happened to a name, newest first; before a rename that it came by, to the claim renamed.

    What else bore a former name may be somebody else's, so it is that claim alone.
    """

    def __init__(self, asked: str) -> None:
        self.asked = asked
        self.former: set[str] = set()

    def __call__(self, item: RecordEvent) -> bool:
        claims = {item.fact.claim, item.heir.claim if item.heir is not None else ""}
        is_its = bears(item, self.asked) or not self.former.isdisjoint(claims)
        if is_its and item.heir is not None:
            self.former = self.former - claims | {item.fact.claim}
        return is_its or is_named(item, self.asked)


def _brought(history: History, holders: list[Holder]) -> dict[str, Caused]:
    """What made records what they are: the newest that happened to each."""
    missing = {it.part.record.path for it in holders if it.part.record is not None}
    paths = frozenset(missing)
    found: dict[str, Caused] = {}
    if not missing:
        return found
    for caused in history.told(only=lambda path: path in paths):
        item = caused[0]
        for path in [it.path for it in item.row.touched if it.path in missing]:
            fact = history.known.get((_new(item, path), path))
            told = item.heir or item.fact
            if fact is not None and (fact.claim, fact.phase) == (told.claim, told.phase):
                found[path] = caused
                missing.discard(path)
        if not missing:
            break
    return found


def _new(item: RecordEvent, path: str) -> str:
    return next(it.new for it in item.row.touched if it.path == path)


def revision_at(repository: Repository, annals: Annals, rev: str, at: str | None) -> str:
    """The revision that `--at` means: that of a moment on the line of `--rev`, or one by its name.

    Raises:
        UsageError: It is neither, or the line begins later.
    """
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
    found = annals.before(head.id, moment)
    if found is None:
        raise UsageError(f"no commit of {rev} is as old as {format_instant(moment)}")
    return found.id
