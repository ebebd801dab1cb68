"""What a tenant grows by: the entries of its Demand; without one, what its records state."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reconciler.documents.document import Document, Documents
from reconciler.families._demand import DEMAND, ENTRIES, Entry, entries_of, standing
from reconciler.families._family import Held
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
    doubt: str


class Growth(NamedTuple):
    """What is known of a tenant's growth beside its records.

    Attributes:
        demand: Its Demand, or None.
        unread: The file of a Demand that never could be read; else empty.
    """

    demand: Document | None
    unread: str

    def claims(
        self, tenant: Document, records: Sequence[Key], held: Held, *, may_grow: bool
    ) -> Iterator[Grown]:
        """The claims.

        Args:
            tenant: The tenant.
            records: The claims of its growth that hold something.
            held: Records by claim.
            may_grow: Whether its provider lets it grow: else what holds nothing claims nothing.
        """
        if self.demand is None:
            for entry in standing(held[key] for key in records):
                yield Grown(entry, tenant.start, self.unread)
            return
        there = {key.slot for key in records}
        for at, entry in enumerate(entries_of(self.demand)):
            if may_grow or entry.slot in there:
                yield Grown(entry, self.demand.at(*ENTRIES, at), self.demand.doubt)

    def unused(self, provider: Provider) -> Iterator[Finding]:
        """A warning where a provider lets nobody grow."""
        if self.demand is None or provider.is_elastic or not entries_of(self.demand):
            return
        name = provider.document.name
        message = f"{self.demand.title}: ProviderConfig {name} is static: nothing is added to it"
        hint = "what it holds stays until a person removes the entries, which gives it back"
        yield warning("demand-unused", self.demand.at(*ENTRIES), message, hint)


def growth_of(documents: Documents, tenant: Document) -> Growth:
    """What is known of a tenant's growth."""
    named = DEMAND.id, tenant.namespace, tenant.name
    demand = documents.find(*named, asker=tenant.file)
    unread = documents.unread(*named, asker=tenant.file) if demand is None else ""
    return Growth(demand, unread)
