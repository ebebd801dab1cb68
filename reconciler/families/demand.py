"""Elastic demand."""

import re
from collections.abc import Iterable

from msgspec import Struct

from reconciler.documents.document import Document, Kind
from reconciler.documents.findings import Finding
from reconciler.documents.yaml import dump
from reconciler.families.fields import refuse
from reconciler.model.claim import Allocation
from reconciler.model.objects import API_VERSION

DEMAND = Kind(API_VERSION, "Demand", "own/Demand.json", "default")

GROWN = "loadbalancer-"
"""The prefix of the slots of entries. The slot of the first claim has no index."""

GROWTH = "growth"
"""The role of records of entries; records of manual requests in such slots have `initial`."""

ENTRIES = ("spec", "loadBalancer")
MAX_DEMAND, LARGEST, LAST = 1_024, 65_536, 999_999
"""Limits of the schema: number of entries, addresses per entry, and the highest index."""

_GROWN = re.compile(rf"{GROWN}([1-9][0-9]*)|[^.]+\.ipv[46](?:\.([1-9][0-9]*))?", re.ASCII)


class DemandEntry(Struct, frozen=True, order=True):
    """One claim of a Demand: its index and its number of addresses.

    `name` and `ip_family` are for an entry of a ClusterTarget.
    """

    index: int
    count: int
    name: str = ""
    ip_family: str = ""

    @property
    def slot(self) -> str:
        """Return the slot of its claim."""
        grown = f"{self.name}.{self.ip_family.lower()}." if self.name else GROWN
        return f"{grown}{self.index}"


def index_of(slot: str) -> int:
    """Return the index of a slot; 0 for a tenant's first slot. The first range of an entry has 1."""
    found = _GROWN.fullmatch(slot)
    return int(found[1] or found[2] or 1) if found is not None else 0


def growth_index(record: Allocation) -> int:
    """Return the entry index of a record; 0 if its role shows that no Demand requested it."""
    return index_of(record.claim.slot) if record.role == GROWTH else 0


def entries_of(document: Document) -> tuple[DemandEntry, ...]:
    """Return the entries of a Demand, in document order."""
    listed = document.spec.get(ENTRIES[-1]) or ()
    return tuple(
        DemandEntry(it["index"], it["count"], it.get("name", ""), it.get("ipFamily", ""))
        for it in listed
    )


def granted_entries(records: Iterable[Allocation]) -> tuple[DemandEntry, ...]:
    """Return the entries of a tenant without a Demand: its growth records with addresses."""
    found = {
        DemandEntry(index, record.size)
        for record in records
        if record.range is not None and (index := growth_index(record))
    }
    return tuple(sorted(found))


def next_index(records: Iterable[Allocation], entries: Iterable[DemandEntry]) -> int:
    """Return the next index of a tenant. Names of records are never used twice, in any phase."""
    used = [index_of(record.claim.slot) for record in records]
    return max([0, *used, *(entry.index for entry in entries)]) + 1


def demand_document(namespace: str, name: str, entries: Iterable[DemandEntry]) -> bytes:
    """Return the canonical bytes of a tenant's Demand, entries by index."""
    every = (
        {"count": it.count, "index": it.index, "ipFamily": it.ip_family, "name": it.name}
        for it in sorted(entries)
    )
    listed = [{field: value for field, value in it.items() if value != ""} for it in every]
    body = {
        "apiVersion": DEMAND.api_version,
        "kind": DEMAND.name,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {ENTRIES[-1]: listed},
    }
    return dump(body).encode()


def judge_demand(document: Document) -> list[Finding]:
    """Return findings about duplicate indexes in a Demand."""
    found: list[Finding] = []
    seen: set[str] = set()
    for at, entry in enumerate(entries_of(document)):
        if entry.slot in seen:
            steps = (*ENTRIES, at, "index")
            message = f"spec.loadBalancer[{at}].index: {entry.index} appears twice"
            hint = "give each entry a different index"
            refuse(found, document, steps, "field-value", message, hint)
        seen.add(entry.slot)
    return found
