"""Which of several records of one claim is the current one: the one place where that is decided."""

from collections.abc import Iterable

from reconciler.model.allocation import Allocation
from reconciler.model.key import Key


def current_records(records: Iterable[Allocation]) -> dict[Key, Allocation]:
    """The current record of each claim: a live one, else the one that was released last.

    Of equals the first by path counts, in whatever order they are given.
    """
    found: dict[Key, Allocation] = {}
    for record in records:
        other = found.get(record.claim)
        if other is None or _comes_before(record, other):
            found[record.claim] = record
    return found


def _comes_before(record: Allocation, other: Allocation) -> bool:
    weight, others = _weight(record), _weight(other)
    return weight > others or (weight == others and record.path < other.path)


def _weight(record: Allocation) -> tuple[int, str]:
    if record.is_released:
        return 1, record.since
    return 2 if record.is_live else 0, ""
