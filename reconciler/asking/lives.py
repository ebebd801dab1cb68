"""The lives of ranges: what held which addresses, from which commit to which.

Told backwards from the records as they stand, so what a life says of today is what they say.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.asking.facts import Fact, fact_of
from reconciler.asking.happenings import Facts
from reconciler.asking.rows import Row
from reconciler.model.allocation import Allocation, Phase

_HOLDING = (Phase.ALLOCATED.value, Phase.RELEASED.value)


class Life(NamedTuple):
    """A range as one claim had it, in one state, for some commits.

    Attributes:
        fact: What its record said meanwhile.
        begins: The commit that began it; None where that is before the history.
        ends: The commit that ended it; None where it goes on.
    """

    fact: Fact
    begins: Row | None
    ends: Row | None

    @property
    def is_there(self) -> bool:
        """It goes on."""
        return self.ends is None


def lives(
    records: Iterable[Allocation], rows: Sequence[Row], facts: Facts, most: int
) -> tuple[list[Life], int]:
    """What held which addresses, in no order, and of how many commits it is told.

    Args:
        records: As they stand after the newest commit.
        rows: The commits, newest first.
        facts: What the versions said that they touched. One that is not among them says nothing.
        most: So many lives at most, but for those that go on: older ones are not told.
    """
    found: list[Life] = []
    living: dict[str, tuple[Fact, Row | None]] = {
        it.path: (fact, None) for it in records if (fact := _holding(fact_of(it)))
    }
    for at, row in enumerate(rows):
        if row.is_cut or len(found) + len(living) >= most:
            return found + _before(living), at
        found += _of_row(row, facts, living)
    return found + _before(living), len(rows)


def _of_row(row: Row, facts: Facts, living: dict[str, tuple[Fact, Row | None]]) -> list[Life]:
    """What a commit began; what it ended lives before it."""
    found = []
    for touch in row.touched:
        old = _version(facts, touch.old, touch.path)
        later = living.get(touch.path)
        if later is not None and (old is None or not _is_same(old, later[0])):
            del living[touch.path]
            found.append(Life(later[0], row, later[1]))
        if old is not None and touch.path not in living:
            living[touch.path] = (old, row)
    return found


def _before(living: Mapping[str, tuple[Fact, Row | None]]) -> list[Life]:
    """What was there before the first commit that is told."""
    return [Life(fact, None, ends) for fact, ends in living.values()]


def _version(facts: Facts, oid: str, path: str) -> Fact | None:
    return _holding(facts.get((oid, path))) if oid else None


def _holding(fact: Fact | None) -> Fact | None:
    """A fact that holds addresses; else None."""
    is_holding = fact is not None and fact.range is not None and fact.phase in _HOLDING
    return fact if is_holding else None


def _is_same(old: Fact, new: Fact) -> bool:
    """Nobody who looks at addresses sees a difference, whatever else the record says."""
    return _seen(old) == _seen(new)


def _seen(fact: Fact) -> tuple[object, ...]:
    held = fact.phase, fact.is_announced
    return (fact.claim, fact.owner, fact.team, fact.pool, fact.range, *held)
