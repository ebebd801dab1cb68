"""Which of several records of one claim speaks for it."""

from reconciler.model.allocation import Allocation
from reconciler.model.key import Key


def speaking(records: tuple[Allocation, ...]) -> dict[Key, Allocation]:
    """The record that speaks for each claim: a live one, else the one released last."""
    found: dict[Key, Allocation] = {}
    for record in records:
        other = found.get(record.claim)
        if other is None or _weight(record) > _weight(other):
            found[record.claim] = record
    return found


def _weight(record: Allocation) -> tuple[int, str]:
    if record.is_released:
        return 1, record.since
    return 2 if record.is_live else 0, ""
