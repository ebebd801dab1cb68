"""Elastic demand."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from reconciler.documents.document import Document, Kind
from reconciler.documents.dump import dump
from reconciler.documents.findings import Finding, error
from reconciler.model.claim import Allocation
from reconciler.model.objects import API_VERSION

DEMAND = Kind(API_VERSION, "Demand", "own/Demand.json", "default")
SLOT = "loadbalancer"
"""The slot of a first claim; that of an entry has its index behind it: `loadbalancer-2`."""

GROWN = f"{SLOT}-"
"""What the slots of entries begin with."""

GROWTH = "growth"
"""The role of records of entries. What a person asked for more is `initial`, in a slot like theirs."""

ENTRIES = ("spec", "loadBalancer")
MAX_DEMAND, LARGEST, LAST = 1_024, 65_536, 999_999
"""Of the schema: how many entries, how many addresses one asks for at most, and the last number."""

_GROWN = re.compile(rf"{GROWN}([1-9][0-9]*)", re.ASCII)


class DemandEntry(Struct, frozen=True, order=True):
    """One claim of a Demand: its number, and how many addresses it asks for."""

    index: int
    count: int

    @property
    def slot(self) -> str:
        """The slot of its claim."""
        return f"{GROWN}{self.index}"


def index_of(slot: str) -> int:
    """The index of the entry that a slot is of; 0 for a slot of another sort."""
    found = _GROWN.fullmatch(slot)
    return int(found.group(1)) if found is not None else 0


def growth_index(record: Allocation) -> int:
    """The index of the entry that a record is of; 0 for a record that no Demand ever asked for.

    Slots of one tenant are counted up together, whatever they grew for. Their role tells them apart.
    """
    return index_of(record.claim.slot) if record.role == GROWTH else 0


def entries_of(document: Document) -> tuple[DemandEntry, ...]:
    """The entries of a Demand, in the order in which they stand there."""
    listed = document.spec.get(ENTRIES[-1]) or ()
    return tuple(DemandEntry(item["index"], item["count"]) for item in listed)


def standing(records: Iterable[Allocation]) -> tuple[DemandEntry, ...]:
    """The entries that a tenant without a Demand counts as having: its growth that holds something.

    Args:
        records: Records of the tenant, of any slots and phases.

    Returns:
        Entries by index.
    """
    found = {
        DemandEntry(index, record.size)
        for record in records
        if record.range is not None and (index := growth_index(record))
    }
    return tuple(sorted(found))


def next_index(records: Iterable[Allocation], entries: Iterable[DemandEntry]) -> int:
    """The index of a tenant's next entry: no name of a record is used twice at once.

    Args:
        records: Records of the tenant, whatever their slots and phases: one that is Released, or
            never had a place, still bears its name.
        entries: The entries of its Demand.

    Returns:
        The highest index of both, plus one; 1 for a tenant that never grew.
    """
    used = [index_of(record.claim.slot) for record in records]
    return max([0, *used, *(entry.index for entry in entries)]) + 1


def demand_document(namespace: str, name: str, entries: Iterable[DemandEntry]) -> bytes:
    """The canonical bytes of a tenant's Demand, entries by index.

    One without entries is written, too: it gives back what the tenant grew by. When no record of
    the growth is left the file may go.
    """
    listed: list[Mapping[str, object]] = [
        {"count": entry.count, "index": entry.index} for entry in sorted(entries)
    ]
    return dump(
        {
            "apiVersion": DEMAND.api_version,
            "kind": DEMAND.name,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {ENTRIES[-1]: listed},
        }
    ).encode()


def judge_demand(document: Document) -> list[Finding]:
    """What contradicts itself in a Demand: an index that stands twice."""
    found: list[Finding] = []
    seen: set[int] = set()
    for at, entry in enumerate(entries_of(document)):
        if entry.index in seen:
            place = document.at(*ENTRIES, at, "index")
            message = f"spec.loadBalancer[{at}].index: {entry.index} stands twice"
            found.append(error("field-value", place, message, "each entry has an index of its own"))
        seen.add(entry.index)
    return found
