"""The desired state of a tenant cluster."""

from msgspec import Struct, field

from reconciler.addresses import IPSet
from reconciler.clusters.desired import DesiredObject
from reconciler.clusters.metallb import pool_addresses
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.model.allocation import Allocation

UNCLEAR = "the repository has errors, a brake holds releases back, or its records are gone"


class Target(Struct, frozen=True):
    """A tenant cluster and its desired state.

    Attributes:
        released: Ranges of its released records, which no claim holds.
        forced: Released ranges that an option withdraws even if they are used.
        is_whole: The tree has no errors, so objects that it lacks can be withdrawn.
        spaces: The address spaces of its records.
        withheld: Ranges that other clusters might announce, with the name of one of them.
        remembered: Ranges that it might announce according to the registry.
        is_described: A document of the tree describes the cluster.
        is_re_enrolled: Its identity may have changed.
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
        """Return the desired addresses of each pool."""
        return {
            item.ref.name: pool_addresses(item.body)
            for item in self.desired
            if item.ref.resource == ADDRESS_POOL and item.body is not None
        }

    def addresses(self) -> IPSet:
        """Return all desired addresses."""
        return IPSet.of(item for pool in self.wanted().values() for item in pool)

    def given(self) -> IPSet:
        """Return all addresses that records give or gave to the cluster, as far as known.

        Other addresses that it announces do not count against other clusters.
        """
        return IPSet.of([*self.addresses(), *self.remembered, *self.released])

    def spaces_of(self, announced: IPSet, before: tuple[str, ...]) -> tuple[str, ...]:
        """Return the address spaces of announced addresses.

        Args:
            announced: The announced addresses.
            before: The address spaces in the registry.
        """
        if not announced - self.addresses():
            return self.spaces
        known = self.spaces and before  # an unknown address can be of any space
        return tuple(sorted({*self.spaces, *before})) if known else ()
