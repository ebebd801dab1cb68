"""Which of several records of one claim speaks for it: the one place where that is decided."""

from collections.abc import Iterable

from reconciler.model.allocation import Allocation
from reconciler.model.key import Key


def speaking(records: Iterable[Allocation]) -> dict[Key, Allocation]:
    """The record that speaks for each claim: a live one, else the one released last.

    Of equals the first by path speaks, in whatever order they are given.
    """
    found: dict[Key, Allocation] = {}
    for record in records:
        other = found.get(record.claim)
        if other is None or _speaks_before(record, other):
            found[record.claim] = record
    return found


def _speaks_before(record: Allocation, other: Allocation) -> bool:
    weight, others = _weight(record), _weight(other)
    return weight > others or (weight == others and record.path < other.path)


def _weight(record: Allocation) -> tuple[int, str]:
    if record.is_released:
        return 1, record.since
    return 2 if record.is_live else 0, ""
