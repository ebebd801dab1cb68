"""A cluster besides the management cluster, and what it shall hold."""

from dataclasses import dataclass, field

from reconciler.addresses import IPSet
from reconciler.clusters.intent import Intent
from reconciler.clusters.metallb import pool_addresses
from reconciler.clusters.resources import ADDRESS_POOL


@dataclass(frozen=True, slots=True)
class Target:
    """A cluster and what it shall hold.

    Attributes:
        released: Ranges of its released records: positively nobody's any more.
        is_whole: Nothing in the tree is wrong, so what is not wanted is really not wanted.
        spaces: The address spaces of its records.
        withheld: Addresses that other clusters may still announce, with the name of one of them.
        is_described: Some document of the tree describes the cluster.
        is_re_enrolled: It may have another identity than before.
    """

    name: str
    intents: tuple[Intent, ...] = ()
    released: IPSet = field(default_factory=IPSet)
    is_whole: bool = True
    spaces: tuple[str, ...] = ()
    withheld: tuple[tuple[str, IPSet], ...] = ()
    is_described: bool = True
    is_re_enrolled: bool = False

    def wanted(self) -> dict[str, IPSet]:
        """The addresses of each pool that it shall have."""
        return {
            item.ref.name: pool_addresses(item.body)
            for item in self.intents
            if item.ref.resource == ADDRESS_POOL and item.body is not None
        }
