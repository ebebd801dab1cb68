"""Events of records."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.gitio.interface import CommitRow
from reconciler.model.claim import Allocation, Phase


class Fact(NamedTuple):
    """One version of a record, with keys as text. An announced range is left but still in use."""

    claim: str
    name: str
    owner: str
    record: str
    team: str
    pool: str
    range: IPRange | None
    phase: str
    is_growth: bool
    is_announced: bool = False
    type: str = ""


def fact_of(record: Allocation | None) -> Fact | None:
    """Return the content of a record version, or None if it cannot be parsed."""
    if record is None:
        return None
    return Fact(
        str(record.claim),
        record.claim.short,
        record.owner.short,
        record.name,
        record.owner.team,
        str(record.pool),
        record.range,
        record.phase.value,
        record.role == "growth" or record.claim.slot_order[1] > 0,
        record.announced,
        record.type,
    )


_HOLDING = (Phase.ALLOCATED.value, Phase.RELEASED.value)


class What(StrEnum):
    """Type of an event, in the words of outputs."""

    ALLOCATED = "allocated"
    GREW = "grew"
    TAKEN_BACK = "taken back"
    MOVED = "moved"
    TRANSFERRED = "transferred"
    LEFT = "left"
    RELEASED = "released"
    EXPIRED = "expired"
    REMOVED = "removed"
    RENAMED = "renamed"
    REFUSED = "refused"


class RecordEvent(NamedTuple):
    """Event of a claim's addresses in a commit. `delta` counts allocated and held ones, by pool.

    `fact` is after the event, or before it if the record was removed. `giver` is another owner.
    """

    row: CommitRow
    what: What
    fact: Fact
    range: IPRange | None
    source: IPRange | None = None
    delta: tuple[tuple[str, int], ...] = ()
    giver: str = ""
    heir: Fact | None = None

    def concerns(self, asked: Iterable[IPRange]) -> bool:
        """Report whether the event involves some of these addresses."""
        found = [item for item in (self.range, self.source) if item is not None]
        return any(item.overlaps(one) for one in asked for item in found)


# Type of the event in which a new record takes over addresses, by type of the old one's event.
_COMES = {What.REMOVED: (What.ALLOCATED, What.GREW), What.EXPIRED: (What.RELEASED, What.LEFT)}
Facts = Mapping[tuple[str, str], Fact | None]
"""Facts of record versions, by id and path."""


def events_of(row: CommitRow, facts: Facts) -> Iterator[RecordEvent]:
    """Yield the events of a commit, by claim. A missing fact counts as no record."""
    before: dict[str, list[Fact]] = {}
    after: dict[str, list[Fact]] = {}
    for touch in row.touched:
        for oid, found in ((touch.old, before), (touch.new, after)):
            fact = facts.get((oid, touch.path)) if oid else None
            if fact is not None:
                found.setdefault(fact.claim, []).append(fact)
    claims = sorted(before.keys() | after.keys())
    of_claims = (_of_claim(row, before.get(it, []), after.get(it, [])) for it in claims)
    yield from _with_renames(list(chain.from_iterable(of_claims)))


def _with_renames(items: list[RecordEvent]) -> Iterator[RecordEvent]:
    # Indexed by address, because a commit can allocate many ranges.
    came: dict[tuple[str, IPRange | None], list[RecordEvent]] = {}
    for item in items:
        came.setdefault((item.fact.pool, item.range), []).append(item)
    heirs: dict[int, RecordEvent] = {}
    for at, item in enumerate(items):
        for one in came[item.fact.pool, item.range] if item.what in _COMES else ():
            if one.what in _COMES[item.what] and item.fact.claim != one.fact.claim:
                heirs.setdefault(at, one)
    merged = {id(it) for it in heirs.values()}
    for at, item in enumerate(items):
        if (heir := heirs.get(at)) is not None:
            yield item._replace(what=What.RENAMED, heir=heir.fact, delta=())
        elif id(item) not in merged:
            yield item


def _of_claim(row: CommitRow, before: list[Fact], after: list[Fact]) -> Iterator[RecordEvent]:
    gone = [fact for fact in before if fact not in after]
    came = [fact for fact in after if fact not in before]
    pairs: list[tuple[Fact | None, Fact | None]] = []
    for same in (True, False):  # first pair versions with equal addresses
        for new in list(came):
            old = next((it for it in gone if not same or it.range == new.range), None)
            if old is not None:
                pairs.append((old, new))
                gone.remove(old)
                came.remove(new)
    pairs += [(None, fact) for fact in came] + [(fact, None) for fact in gone]
    for was, now in pairs:
        fact, what = now or was, _what(was, now)
        if fact is not None and what is not None:
            range_ = fact.range if what is not What.REFUSED else None
            source = was.range if was is not None and what is What.MOVED else None
            yield RecordEvent(row, what, fact, range_, source, _delta(was, now), _giver(was, now))


def _what(old: Fact | None, new: Fact | None) -> What | None:
    was = old.phase if old is not None else ""
    if new is None:
        ends = {Phase.RELEASED.value: What.EXPIRED, Phase.ALLOCATED.value: What.REMOVED}
        return ends.get(was)
    if new.phase not in _HOLDING:
        return What.REFUSED if was != new.phase else None
    if new.phase == Phase.RELEASED:
        held = (Phase.RELEASED.value, new.range, new.is_announced)
        is_new = old is None or (old.phase, old.range, old.is_announced) != held
        return (What.LEFT if new.is_announced else What.RELEASED) if is_new else None
    if old is None or old.phase not in _HOLDING:
        return What.GREW if new.is_growth else What.ALLOCATED
    if old.range != new.range:
        return What.MOVED
    if old.phase == Phase.RELEASED:
        return What.TAKEN_BACK
    return What.TRANSFERRED if _giver(old, new) else None


def _giver(old: Fact | None, new: Fact | None) -> str:
    if old is None or new is None or old.owner == new.owner:
        return ""
    return old.owner if {old.phase, new.phase}.issubset(_HOLDING) else ""


def _delta(old: Fact | None, new: Fact | None) -> tuple[tuple[str, int], ...]:
    counts = Counter[str]()
    for fact, sign in ((old, -1), (new, 1)):
        if fact is not None and fact.range is not None and fact.phase in _HOLDING:
            counts[fact.pool] += sign * fact.range.size
    return tuple((pool, count) for pool, count in counts.items() if count)


class Life(NamedTuple):
    """Period in which one claim held a range in one state; None for an unknown begin or no end."""

    fact: Fact
    begins: CommitRow | None
    ends: CommitRow | None


def lives(
    records: Iterable[Allocation], rows: Sequence[CommitRow], facts: Facts, most: int
) -> tuple[list[Life], int]:
    """Return the periods of all addresses, at least `most` if there are, and the commits covered."""
    found: list[Life] = []
    living: dict[str, tuple[Fact, CommitRow | None]] = {
        it.path: (fact, None) for it in records if (fact := _holding(fact_of(it)))
    }
    reach = 0
    for row in rows:
        if row.is_cut or len(found) + len(living) >= most:
            break
        found += _of_row(row, facts, living)
        reach += 1
    return found + [Life(fact, None, ends) for fact, ends in living.values()], reach


def _of_row(
    row: CommitRow, facts: Facts, living: dict[str, tuple[Fact, CommitRow | None]]
) -> list[Life]:
    found = []
    for touch in row.touched:
        old = _holding(facts.get((touch.old, touch.path))) if touch.old else None
        later = living.get(touch.path)
        if later is not None and (old is None or _seen(old) != _seen(later[0])):
            del living[touch.path]
            found.append(Life(later[0], row, later[1]))
        if old is not None and touch.path not in living:
            living[touch.path] = (old, row)
    return found


def _holding(fact: Fact | None) -> Fact | None:
    is_holding = fact is not None and fact.range is not None and fact.phase in _HOLDING
    return fact if is_holding else None


def _seen(fact: Fact) -> tuple[object, ...]:
    held = fact.phase, fact.is_announced
    return (fact.claim, fact.owner, fact.team, fact.pool, fact.range, *held)
