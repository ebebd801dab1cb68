"""Which addresses several records hold: each must be nobody's but the one's who had it first."""

from operator import itemgetter

from reconciler.addresses import IPRange, IPSet
from reconciler.engine.rules import Entry, competing
from reconciler.model.allocation import Allocation
from reconciler.model.state import State

Contests = dict[str, dict[str, IPSet]]


def contests(state: State) -> Contests:
    """What each record shares with others, by its path and by theirs; empty when all is well.

    Two records for one place are no contest.
    """
    shared: dict[str, dict[str, list[IPRange]]] = {}
    holding = [(item.range, item) for item in state.records if item.range is not None]
    for entries in competing(state, holding):
        for one, other, common in _meeting(entries):
            if destination(one) != destination(other):
                shared.setdefault(one.path, {}).setdefault(other.path, []).append(common)
                shared.setdefault(other.path, {}).setdefault(one.path, []).append(common)
    return {
        path: {other: IPSet.of(ranges) for other, ranges in others.items()}
        for path, others in shared.items()
    }


def destination(record: Allocation) -> tuple[str, ...]:
    """Where a record's addresses go, whatever the record is called and wherever it stands."""
    return (record.claim.family, record.owner.namespace, record.owner.name, record.type)


def _meeting(entries: list[Entry]) -> list[tuple[Allocation, Allocation, IPRange]]:
    """Every two records that overlap, and where."""
    found: list[tuple[Allocation, Allocation, IPRange]] = []
    open_entries: list[Entry] = []
    for entry in sorted(entries, key=itemgetter(0, 1)):
        item, _, record = entry
        open_entries = [
            (other, path, holder)
            for other, path, holder in open_entries
            if other.version == item.version and other.last >= item.first
        ]
        for other, _, holder in open_entries:
            common = IPRange(item.version, item.first, min(item.last, other.last))
            found.append((holder, record, common))
        open_entries.append(entry)
    return found
