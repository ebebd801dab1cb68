"""Events of records."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.gitio.interface import CommitRow
from reconciler.model.claim import Allocation, Phase
from reconciler.model.key import Key

_HOLDING = (Phase.ALLOCATED, Phase.RELEASED)


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

    `record` is after the event, or before it if it was removed. `giver` is another owner.
    """

    row: CommitRow
    what: What
    record: Allocation
    range: IPRange | None
    source: IPRange | None = None
    delta: tuple[tuple[Key, int], ...] = ()
    giver: str = ""
    heir: Allocation | None = None

    def concerns(self, asked: Iterable[IPRange]) -> bool:
        """Report whether the event involves some of these addresses."""
        found = [item for item in (self.range, self.source) if item is not None]
        return any(item.overlaps(one) for one in asked for item in found)


# Type of the event in which a new record takes over addresses, by type of the old one's event.
_COMES = {What.REMOVED: (What.ALLOCATED, What.GREW), What.EXPIRED: (What.RELEASED, What.LEFT)}
Versions = Mapping[tuple[str, str], Allocation | None]
"""Versions of records, by id and path; None for one that cannot be parsed."""


def events_of(row: CommitRow, versions: Versions) -> Iterator[RecordEvent]:
    """Yield the events of a commit, by claim. A missing version counts as no record."""
    before: dict[Key, list[Allocation]] = {}
    after: dict[Key, list[Allocation]] = {}
    for touch in row.touched:
        for oid, found in ((touch.old, before), (touch.new, after)):
            record = versions.get((oid, touch.path)) if oid else None
            if record is not None:
                found.setdefault(record.claim, []).append(record)
    claims = sorted(before.keys() | after.keys(), key=str)
    of_claims = (_of_claim(row, before.get(it, []), after.get(it, [])) for it in claims)
    yield from _with_renames(list(chain.from_iterable(of_claims)))


def _with_renames(items: list[RecordEvent]) -> Iterator[RecordEvent]:
    # Indexed by address, because a commit can allocate many ranges.
    came: dict[tuple[Key, IPRange | None], list[RecordEvent]] = {}
    for item in items:
        came.setdefault((item.record.pool, item.range), []).append(item)
    heirs: dict[int, RecordEvent] = {}
    for at, item in enumerate(items):
        for one in came[item.record.pool, item.range] if item.what in _COMES else ():
            if one.what in _COMES[item.what] and item.record.claim != one.record.claim:
                heirs.setdefault(at, one)
    merged = {id(it) for it in heirs.values()}
    for at, item in enumerate(items):
        if (heir := heirs.get(at)) is not None:
            yield item._replace(what=What.RENAMED, heir=heir.record, delta=())
        elif id(item) not in merged:
            yield item


def _of_claim(
    row: CommitRow, before: list[Allocation], after: list[Allocation]
) -> Iterator[RecordEvent]:
    gone = [record for record in before if record not in after]
    came = [record for record in after if record not in before]
    pairs: list[tuple[Allocation | None, Allocation | None]] = []
    for same in (True, False):  # first pair versions with equal addresses
        for new in list(came):
            old = next((it for it in gone if not same or it.range == new.range), None)
            if old is not None:
                pairs.append((old, new))
                gone.remove(old)
                came.remove(new)
    pairs += [(None, record) for record in came] + [(record, None) for record in gone]
    for was, now in pairs:
        record, what = now or was, _what(was, now)
        if record is not None and what is not None:
            range_ = record.range if what is not What.REFUSED else None
            source = was.range if was is not None and what is What.MOVED else None
            yield RecordEvent(row, what, record, range_, source, _delta(was, now), _giver(was, now))


def is_growth(record: Allocation) -> bool:
    """Report whether a record adds to the first addresses of its object."""
    return record.role == "growth" or record.claim.slot_order[1] > 0


def _what(old: Allocation | None, new: Allocation | None) -> What | None:
    was = old.phase if old is not None else None
    if new is None:
        ends = {Phase.RELEASED: What.EXPIRED, Phase.ALLOCATED: What.REMOVED}
        return None if was is None else ends.get(was)
    if new.phase not in _HOLDING:
        return What.REFUSED if was != new.phase else None
    if new.phase == Phase.RELEASED:
        held = (Phase.RELEASED, new.range, new.announced)
        is_new = old is None or (old.phase, old.range, old.announced) != held
        return (What.LEFT if new.announced else What.RELEASED) if is_new else None
    if old is None or old.phase not in _HOLDING:
        return What.GREW if is_growth(new) else What.ALLOCATED
    if old.range != new.range:
        return What.MOVED
    if old.phase == Phase.RELEASED:
        return What.TAKEN_BACK
    return What.TRANSFERRED if _giver(old, new) else None


def _giver(old: Allocation | None, new: Allocation | None) -> str:
    if old is None or new is None or old.owner.short == new.owner.short:
        return ""
    return old.owner.short if {old.phase, new.phase}.issubset(_HOLDING) else ""


def _delta(old: Allocation | None, new: Allocation | None) -> tuple[tuple[Key, int], ...]:
    counts = Counter[Key]()
    for record, sign in ((old, -1), (new, 1)):
        if record is not None and record.range is not None and record.phase in _HOLDING:
            counts[record.pool] += sign * record.range.size
    return tuple((pool, count) for pool, count in counts.items() if count)


class Life(NamedTuple):
    """Period in which one claim held a range in one state; None for an unknown begin or no end."""

    record: Allocation
    begins: CommitRow | None
    ends: CommitRow | None


def lives(
    records: Iterable[Allocation], rows: Sequence[CommitRow], versions: Versions, most: int
) -> tuple[list[Life], int]:
    """Return the periods of all addresses, at least `most` if there are, and the commits covered."""
    found: list[Life] = []
    living: dict[str, tuple[Allocation, CommitRow | None]] = {
        it.path: (record, None) for it in records if (record := _holding(it))
    }
    reach = 0
    for row in rows:
        if row.is_cut or len(found) + len(living) >= most:
            break
        found += _of_row(row, versions, living)
        reach += 1
    return found + [Life(record, None, ends) for record, ends in living.values()], reach


def _of_row(
    row: CommitRow, versions: Versions, living: dict[str, tuple[Allocation, CommitRow | None]]
) -> list[Life]:
    found = []
    for touch in row.touched:
        old = _holding(versions.get((touch.old, touch.path))) if touch.old else None
        later = living.get(touch.path)
        if later is not None and (old is None or _seen(old) != _seen(later[0])):
            del living[touch.path]
            found.append(Life(later[0], row, later[1]))
        if old is not None and touch.path not in living:
            living[touch.path] = (old, row)
    return found


def _holding(record: Allocation | None) -> Allocation | None:
    is_holding = record is not None and record.range is not None and record.phase in _HOLDING
    return record if is_holding else None


def _seen(record: Allocation) -> tuple[object, ...]:
    held = record.phase, record.announced
    return (record.claim, record.owner.short, record.owner.team, record.pool, record.range, *held)
