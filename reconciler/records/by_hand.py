"""Records beside those of a base: what somebody other than reconcile did to them, claim by claim.

A record belongs to the reconciler, to the last byte. Claims, and not paths, are compared: a record
that bears another path is an edit of the one that it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_range
from reconciler.findings import Finding, Location, Severity
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.records.layout import file_of
from reconciler.records.recall import Recalled

Paths = Mapping[str, bytes | None]
"""Files by path; None for one that goes."""

_REVERT = "revert the change: records are written by ipam reconcile alone"


class Stated(NamedTuple):
    """A record file: its bytes, and what they state."""

    data: bytes
    recalled: Recalled


@dataclass(frozen=True, slots=True)
class Records:
    """Records that differ between a base and a change, by path; None where there is none.

    Attributes:
        claims: The claims of records of the base, where their text alone does not tell.
        expected: What reconcile itself would write on the base, claim by claim.
        is_strict: Every byte counts, also of what comes and goes. Else only what records state.
        made: A commit after the base that says that reconcile made it; empty when there is none.
    """

    before: Mapping[str, Stated | None]
    now: Mapping[str, Stated | None]
    claims: Mapping[str, Key] = field(default_factory=dict)
    expected: Mapping[Key, Paths] = field(default_factory=dict)
    is_strict: bool = False
    made: str = ""


@dataclass(slots=True)
class _Hand:
    """What was done to the records of one claim."""

    before: dict[str, Stated] = field(default_factory=dict)
    now: dict[str, Stated] = field(default_factory=dict)

    @property
    def files(self) -> Paths:
        """What its files became."""
        gone: dict[str, bytes | None] = dict.fromkeys(self.before)
        return gone | {path: item.data for path, item in self.now.items()}


def _is_its(records: Records, path: str, claim: Key | str) -> bool:
    """A path is that of the claim whose record the base has there; of a new one it names the claim."""
    old = records.before.get(path)
    if old is not None:
        return (records.claims.get(path) or _claim_of(old) or path) == claim
    if not isinstance(claim, Key):
        return claim == path
    return path.endswith(f"/{file_of(claim)}")


def differing(records: Records) -> bool:
    """Some record is not byte for byte that of the base."""
    return any(True for _ in _differing(records))


def told(
    records: Records,
    base: str,
    after: Mapping[Key, Allocation],
    allows: Callable[[str], bool],
) -> Iterator[Finding]:
    """Findings about records that somebody wrote, edited, moved or removed by hand.

    Args:
        records: Those that differ.
        base: The name of the base.
        after: What each claim holds once the change is planned.
        allows: Whether a person let pass what is done to a record, by its path or its claim.
    """
    behind = ""
    if records.made:
        behind = f"if {base} is behind: git fetch, then --base origin/main (commit"
        behind += f" {records.made[:12]} says that reconcile made it); else "
    for claim, hand in _hands(records).items():
        for item in _of_claim(hand, base, after):
            severity = Severity.ERROR if _weighs(records, claim, item, allows) else Severity.WARNING
            place = Location(item.path, 1, 1)
            if records.is_strict or item.is_news:
                yield Finding(item.code, severity, item.message, place, f"{behind}{item.hint}")


def unproven(records: Records, allows: Callable[[str], bool]) -> dict[str, IPSet]:
    """What records hold by somebody's hand alone, by path: no record of the claim held it before.

    Of records that are told of as errors. Args: as of `told`.
    """
    found: dict[str, IPSet] = {}
    for claim, hand in _hands(records).items():
        held = IPSet.of(item.range for item in _live(hand.before.values()) if item.range)
        for told_of in _of_claim(hand, "", {}):
            now = _live([item]) if (item := hand.now.get(told_of.path)) is not None else []
            more = IPSet.of(it.range for it in now if it.range) - held
            if more and _weighs(records, claim, told_of, allows):
                found[told_of.path] = more
    return found


def _weighs(
    records: Records, claim: Key | str, item: "_Told", allows: Callable[[str], bool]
) -> bool:
    """It is an error: it matters, and nobody let it pass."""
    if not (item.is_error or records.is_strict):
        return False
    return not _lets_pass(records, claim, item.path, allows)


def _lets_pass(
    records: Records, claim: Key | str, path: str, allows: Callable[[str], bool]
) -> bool:
    """A person let pass what is done to a record of a claim."""
    return (_is_its(records, path, claim) and allows(path)) or allows(str(claim))


class Freed(NamedTuple):
    """What people freed by what they did to records.

    Attributes:
        removed: How many claims held addresses in the base, and have no live record now.
        edited: Claims that have one, but not for all that they held: the rest is free.
        expected: How many have none as a person expects, who let it pass.
    """

    removed: int
    edited: frozenset[Key | str]
    expected: int = 0


NOTHING_FREED = Freed(0, frozenset())


def freed(records: Records, allows: Callable[[str], bool]) -> Freed:
    """What was freed: ranges that live records held, and that none of the same claim holds now.

    What a person let pass is expected: an Override names the very record, or its claim.
    """
    gone, expected, edited = 0, 0, set[Key | str]()
    for claim, hand in _hands(records).items():
        now = _live(hand.now.values())
        lost = [it for it in _live(hand.before.values()) if not now or _is_lost(it, now)]
        if not lost:
            continue
        if all(_lets_pass(records, claim, it.path, allows) for it in lost):
            expected += not now
        elif now:
            edited.add(claim)
        else:
            gone += 1
    return Freed(gone, frozenset(edited), expected)


def _live(stated: Iterable[Stated]) -> list[Allocation]:
    allocations = (item.recalled.allocation for item in stated)
    return [item for item in allocations if item is not None and item.is_live]


def _is_lost(old: Allocation, now: Iterable[Allocation]) -> bool:
    """Not all that a record held is held by others, of its pool: another may be another space."""
    held = IPSet.of(item.range for item in now if item.range and item.pool == old.pool)
    return old.range is not None and not held.covers(old.range)


def _differing(records: Records) -> Iterator[tuple[str, Stated | None, Stated | None]]:
    """Records that differ; but not those that cannot be read now, which is told as such."""
    for path in sorted({*records.before, *records.now}):
        old, new = records.before.get(path), records.now.get(path)
        is_same = old is not None and new is not None and old.data == new.data
        if not is_same and (new is None or new.recalled.unreadable is None):
            yield path, old, new


def _hands(records: Records) -> dict[Key | str, _Hand]:
    """What was done, by claim, but for what reconcile would have done; by path without a claim."""
    hands: dict[Key | str, _Hand] = {}
    for path, old, new in _differing(records):
        if old is not None:
            claim = records.claims.get(path) or _claim_of(old) or path
            hands.setdefault(claim, _Hand()).before[path] = old
        if new is not None:
            hands.setdefault(_claim_of(new) or path, _Hand()).now[path] = new
    return {
        claim: hand
        for claim, hand in hands.items()
        if not isinstance(claim, Key) or records.expected.get(claim) != hand.files
    }


def _claim_of(item: Stated) -> Key | None:
    allocation, unreadable, _ = item.recalled
    if allocation is not None:
        return allocation.claim
    return unreadable.claim if unreadable is not None else None


class _Told(NamedTuple):
    """What is said of one record.

    Attributes:
        is_error: It states something else than it did.
        is_news: It is told where every byte does not count, too.
    """

    path: str
    code: str
    message: str
    hint: str
    is_error: bool = False
    is_news: bool = True


def _of_claim(hand: _Hand, base: str, after: Mapping[Key, Allocation]) -> Iterable[_Told]:
    gone = {path: item for path, item in hand.before.items() if path not in hand.now}
    for path, item in hand.now.items():
        old = hand.before.get(path)
        came_from = "" if old is not None or not gone else min(gone)
        if came_from:
            old = gone.pop(came_from)
        if old is None:
            yield _added(path, item)
        else:
            yield _edited(path, came_from, old, item, base)
    for path, item in gone.items():
        yield _removed(path, item, after)


def _added(path: str, item: Stated) -> _Told:
    new = item.recalled.allocation
    whose = f"{new.claim.short} holds {_held(new)}" if new is not None else "it holds something"
    hint = "remove it: records are written by ipam reconcile alone; to bring one in, merge an"
    hint += f" Override of kind record for {path} first"
    is_error = new is None or new.range is not None
    return _Told(path, "record-edited", f"is added by hand: {whose}", hint, is_error)


def _edited(path: str, came_from: str, old: Stated, item: Stated, base: str) -> _Told:
    before, new = old.recalled.allocation, item.recalled.allocation
    what = f"is moved by hand from {came_from}" if came_from else "is edited by hand"
    if before is None or new is None:
        message = f"{what}: in {base} it could not be read"
        return _Told(path, "record-edited", message, _REVERT, is_news=False)
    is_error = _facts(before) != _facts(new)
    message = f"{what}: {before.claim.short} holds {_held(before)} in {base}"
    hint = f"{_REVERT}; to move a claim, delete its record"
    return _Told(path, "record-edited", message, hint, is_error, is_error or bool(came_from))


def _removed(path: str, item: Stated, after: Mapping[Key, Allocation]) -> _Told:
    old = item.recalled.allocation
    if old is None:
        message = "is removed by hand: what it holds could not be read"
        return _Told(path, "record-removed", message, _REVERT, is_news=False)
    new = after.get(old.claim)
    if new is not None and new.range is not None:
        gets = f"it gets {format_range(new.range)}"
    else:
        gets = "the addresses are free at once, without retention"
    message = f"is removed by hand: {old.claim.short} held {_held(old)}; {gets}"
    return _Told(path, "record-removed", message, "revert the removal unless that is meant")


def _held(record: Allocation) -> str:
    return format_range(record.range) if record.range else "nothing"


def _facts(record: Allocation) -> Allocation:
    """All that a record states, whatever its form and place."""
    return record._replace(path="", pristine=True, adopted=False)
