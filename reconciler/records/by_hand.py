"""Records beside those of a base: what somebody other than reconcile did to them, claim by claim.

A record belongs to the reconciler, to the last byte. Claims, and not paths, are compared: a record
that bears another path is an edit of the one that it was.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, field

from reconciler.addresses import IPSet
from reconciler.findings import Finding, Location, Severity
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.records.hands import Hand, Paths, Stated, Told, came_along, of_claim
from reconciler.records.held import held_of, least
from reconciler.records.layout import file_of, folders_above


class Records(Struct, frozen=True):
    """Records that differ between a base and a change, by path; None where there is none.

    Attributes:
        claims: The claims of records of the base, where their text alone does not tell.
        expected: What reconcile itself would write on the base, claim by claim.
        left: What reconcile left, claim by claim, of what people touched on the base since then.
        is_strict: Every byte counts, also of what comes and goes. Else only what records state.
        made: A commit after the base that says that reconcile made it; empty when there is none.
        begins: The base has no records at all: a root may have been moved here with its own.
    """

    before: Mapping[str, Stated | None]
    now: Mapping[str, Stated | None]
    claims: Mapping[str, Key] = field(default_factory=dict)
    expected: Mapping[Key, Paths] = field(default_factory=dict)
    left: Mapping[Key, Paths] = field(default_factory=dict)
    is_strict: bool = False
    made: str = ""
    begins: bool = False


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
        for item in of_claim(hand, base, after):
            severity = Severity.ERROR if _weighs(records, claim, item, allows) else Severity.WARNING
            place = Location(item.path, 1, 1)
            if records.is_strict or item.is_news:
                hint = came_along(item) if records.begins and item.is_added else item.hint
                if item.is_removed and lets_pass(records, claim, item.path, allows):
                    hint = "an Override of kind record lets it go: nothing is left to do"
                yield Finding(item.code, severity, item.message, place, f"{behind}{hint}")


def as_left(records: Records) -> Mapping[Key, Paths]:
    """The files of claims that somebody touched, as they were before, by claim."""
    return {
        claim: dict.fromkeys(hand.now) | {path: item.data for path, item in hand.before.items()}
        for claim, hand in _hands(records).items()
        if isinstance(claim, Key)
    }


def unproven(records: Records, allows: Callable[[str], bool]) -> dict[str, IPSet]:
    """What records hold by somebody's hand alone, by path: no record of the claim held it before.

    Of records that are told of as errors. Args: as of `told`.
    """
    found: dict[str, IPSet] = {}
    for claim, hand in _hands(records).items():
        held = IPSet.of(item.range for item in _live(hand.before.values()) if item.range)
        for told_of in of_claim(hand, "", {}):
            now = _live([item]) if (item := hand.now.get(told_of.path)) is not None else []
            more = IPSet.of(it.range for it in now if it.range) - held
            if more and _weighs(records, claim, told_of, allows):
                found[told_of.path] = more
    return found


def _weighs(records: Records, claim: Key | str, item: Told, allows: Callable[[str], bool]) -> bool:
    """It is an error: it matters, and nobody let it pass."""
    if not (item.is_error or records.is_strict):
        return False
    is_new = item.is_added and _is_its(records, item.path, claim)
    if is_new and any(map(allows, folders_above(item.path))):
        return False
    return not lets_pass(records, claim, item.path, allows)


def lets_pass(records: Records, claim: Key | str, path: str, allows: Callable[[str], bool]) -> bool:
    """A person let pass what is done to a record of a claim."""
    return (_is_its(records, path, claim) and allows(path)) or allows(str(claim))


def taken_away(records: Records) -> dict[str, Key | str]:
    """Paths of records that are not there any more, each with its claim."""
    return {
        path: claim
        for claim, hand in _hands(records).items()
        for path in hand.before
        if records.now.get(path) is None
    }


class Freed(Struct, frozen=True):
    """What people freed by what they did to records.

    Attributes:
        removed: How many claims held addresses in the base, and have no live record now.
        edited: Claims that have one, but not for all that they held: the rest is free.
        expected: How many have none as a person expects, who let it pass.
        marks: What live records no longer say, by claim: how many there were when a brake first
            held their release back. But for what a person let pass.
        held_of: The least that those said which are not there any more; 0 when none said it.
    """

    removed: int
    edited: frozenset[Key | str]
    expected: int = 0
    marks: Mapping[Key | str, int] = MappingProxyType({})
    held_of: int = 0


NOTHING_FREED = Freed(0, frozenset())


def freed(records: Records, allows: Callable[[str], bool]) -> Freed:
    """What was freed: ranges that live records held, and that none of the same claim holds now.

    What a person let pass is expected: an Override names the very record, or its claim.
    """
    gone, expected, edited = 0, 0, set[Key | str]()
    for claim, hand, lost in losing(records):
        now = _live(hand.now.values())
        if all(lets_pass(records, claim, it.path, allows) for it in lost):
            expected += not now
        elif now:
            edited.add(claim)
        else:
            gone += 1
    touched = list(_marks(records, allows))
    marks = {claim: of for claim, of, is_live in touched if is_live}
    least_gone = least(*(of for _, of, is_live in touched if not is_live))
    return Freed(gone, frozenset(edited), expected, marks, least_gone)


def _marks(
    records: Records, allows: Callable[[str], bool]
) -> Iterator[tuple[Key | str, int, bool]]:
    """The marks that records bore before somebody touched them; with whether they are live still."""
    for claim, hand in _hands(records).items():
        old = [it for it in _live(hand.before.values()) if it.held_of]
        now = _live(hand.now.values())
        is_same = held_of(old) == held_of(now)
        if not is_same and not all(lets_pass(records, claim, it.path, allows) for it in old):
            yield claim, held_of(old), bool(now)


def losing(records: Records) -> Iterator[tuple[Key | str, Hand, list[Allocation]]]:
    """What was done to claims that lose what they held, with the records that held it."""
    for claim, hand in _hands(records).items():
        now = _live(hand.now.values())
        lost = [it for it in _live(hand.before.values()) if not now or _is_lost(it, now)]
        if lost:
            yield claim, hand, lost


def _live(stated: Iterable[Stated]) -> list[Allocation]:
    return [found for it in stated if (found := it.recalled.allocation) and found.is_live]


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


def _hands(records: Records) -> dict[Key | str, Hand]:
    """What was done, by claim, but for what reconcile would have done or did; else by path."""
    hands: dict[Key | str, Hand] = {}
    known: frozenset[Key | str] = frozenset(records.claims.values())
    for path, old, new in _differing(records):
        if old is not None:
            claim = records.claims.get(path) or _claim_of(old) or path
            hands.setdefault(claim, Hand()).before[path] = old
        if new is not None:
            claim = _claim_of(new) or path
            hands.setdefault(claim, Hand(claim in known)).now[path] = new
    return {
        claim: hand
        for claim, hand in hands.items()
        if not isinstance(claim, Key)
        or hand.files not in (records.expected.get(claim), records.left.get(claim))
    }


def _claim_of(item: Stated) -> Key | None:
    allocation, unreadable = item.recalled.allocation, item.recalled.unreadable
    if allocation is not None:
        return allocation.claim
    return unreadable.claim if unreadable is not None else None
