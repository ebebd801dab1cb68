"""A cluster besides the management cluster, and what it shall hold."""

from msgspec import Struct, field

from reconciler.addresses import IPSet
from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.metallb import pool_addresses
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.model.allocation import Allocation

UNCLEAR = "the repository has errors, a brake holds releases back, or its records are gone"


class Target(Struct, frozen=True):
    """A cluster and what it shall hold.

    Attributes:
        released: Ranges of its released records: positively nobody's any more.
        forced: Those of them that a person lets go, whoever uses them.
        is_whole: Nothing in the tree is wrong, so what is not wanted is really not wanted.
        spaces: The address spaces of its records.
        withheld: Addresses that other clusters may still announce, with the name of one of them.
        remembered: Addresses that it may announce itself, as the management cluster remembers.
        is_described: Some document of the tree describes the cluster.
        is_re_enrolled: It may have another identity than before.
        records: Its records of load-balancer addresses, in any phase.
    """

    name: str
    desired: tuple[DesiredObject, ...] = ()
    released: IPSet = field(default_factory=IPSet)
    is_whole: bool = True
    spaces: tuple[str, ...] = ()
    withheld: tuple[tuple[str, IPSet], ...] = ()
    remembered: IPSet = field(default_factory=IPSet)
    is_described: bool = True
    is_re_enrolled: bool = False
    forced: IPSet = field(default_factory=IPSet)
    records: tuple[Allocation, ...] = ()

    def wanted(self) -> dict[str, IPSet]:
        """The addresses of each pool that it shall have."""
        return {
            item.ref.name: pool_addresses(item.body)
            for item in self.desired
            if item.ref.resource == ADDRESS_POOL and item.body is not None
        }

    def addresses(self) -> IPSet:
        """All that it shall announce."""
        return IPSet.of(item for pool in self.wanted().values() for item in pool)

    def given(self) -> IPSet:
        """All that records ever gave it, as far as is known: now, or in memory.

        What it announces besides counts against nobody: it may say anything.
        """
        return IPSet.of([*self.addresses(), *self.remembered, *self.released])

    def spaces_of(self, announced: IPSet, before: tuple[str, ...]) -> tuple[str, ...]:
        """The address spaces of what it announces; what is yet to leave has those that it had.

        Args:
            announced: What it announces.
            before: The address spaces that are remembered of it.
        """
        if not announced - self.addresses():
            return self.spaces
        known = self.spaces and before  # one that is not known may be any
        return tuple(sorted({*self.spaces, *before})) if known else ()
