"""What a tenant grows by: the entries of its Demand; without one, what its records state."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reconciler.documents.document import Document, Documents
from reconciler.families._demand import DEMAND, ENTRIES, Entry, entries_of, standing
from reconciler.families._family import Held
from reconciler.families.butler.kinds import TENANT
from reconciler.families.butler.providers import Provider
from reconciler.findings import Finding, Location, warning
from reconciler.model.key import Key


class Grown(NamedTuple):
    """One claim of a tenant's growth.

    Attributes:
        doubt: What cannot be read, so that it gets nothing new; empty when all can be.
    """

    entry: Entry
    source: Location
    doubt: str = ""


def grown(
    demand: Document | None,
    tenant: Document,
    records: Sequence[Key],
    held: Held,
    *,
    may_grow: bool,
) -> Iterator[Grown]:
    """The claims of a tenant's growth.

    Args:
        demand: Its Demand, or None; one that never could be read is none.
        tenant: The tenant.
        records: The claims of its growth that hold something.
        held: Records by claim.
        may_grow: Whether its provider lets it grow: else what holds nothing claims nothing.
    """
    if demand is None:
        for entry in standing(held[key] for key in records):
            yield Grown(entry, tenant.start)
        return
    there = {key.slot for key in records}
    for at, entry in enumerate(entries_of(demand)):
        if may_grow or entry.slot in there:
            yield Grown(entry, demand.at(*ENTRIES, at), demand.doubt)


def unused(demand: Document, provider: Provider) -> Iterator[Finding]:
    """A warning where a provider lets nobody grow."""
    if provider.is_elastic or not entries_of(demand):
        return
    name = provider.document.name
    message = f"{demand.title}: ProviderConfig {name} is static: nothing is added to it"
    hint = "what it holds stays until a person removes the entries, which gives it back"
    yield warning("demand-unused", demand.at(*ENTRIES), message, hint)


def demands(documents: Documents) -> dict[tuple[str, str], Document]:
    """The Demands, by the namespace and name of their tenants.

    Each asks for its tenant, whether that is there or not, so that the two are read together.
    """
    found: dict[tuple[str, str], Document] = {}
    for demand in documents.of(DEMAND.id):
        name = demand.namespace, demand.name
        documents.find(TENANT, *name)
        found[name] = demand
    return found
