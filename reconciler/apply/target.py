"""Target clusters and options."""

from msgspec import Struct, field

from reconciler.addresses import IPSet
from reconciler.apply.metallb import pool_addresses
from reconciler.families.interface import DEFAULT_PORT
from reconciler.kube.resources import ADDRESS_POOL, DesiredObject
from reconciler.model.claim import Allocation
from reconciler.model.key import Key

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


class ApplyOptions(Struct, frozen=True):
    """Options of an apply.

    Attributes:
        crds: Install and upgrade the CRDs.
        policies: Install or remove the admission policies; None leaves them unchanged.
        break_glass: Groups whose members may write locked objects.
        adopt: Take over objects of other owners.
        dry_run: Write nothing.
        require_all: A tenant without a kubeconfig is a failure.
        re_enrol: Clusters whose identity may have changed.
        force_withdraw: Withdraw addresses that Services use.
        forced_claims: Claims whose left ranges are withdrawn even if Services use them.
        confirm_withdrawn: Clusters that no longer announce anything, confirmed by a person.
        default_port: The port of an endpoint without a port.
        lb_class: The load balancer class of MetalLB; empty for Services without a class.
        allow_release: The number of objects that may be deleted beyond the release limit; None for
            the Settings'.
        root: The root folder of the repository; empty for the top.
        shard: The index of the shard from 0, and the number of shards.
    """

    crds: bool = False
    policies: bool | None = None
    break_glass: tuple[str, ...] = ()
    adopt: bool = False
    dry_run: bool = False
    require_all: bool = False
    re_enrol: frozenset[str] = field(default_factory=frozenset)
    force_withdraw: bool = False
    forced_claims: frozenset[str] = field(default_factory=frozenset)
    confirm_withdrawn: frozenset[str] = field(default_factory=frozenset)
    default_port: int = DEFAULT_PORT
    lb_class: str = ""
    allow_release: int | None = None
    shard: tuple[int, int] = (0, 1)
    root: str = ""

    def forces(self, claim: Key) -> bool:
        """Return whether the left range of a claim is withdrawn even if Services use it."""
        return self.force_withdraw or not self.forced_claims.isdisjoint(names_of(claim))

    @property
    def says_withdrawn(self) -> bool:
        """Return whether a withdrawal is confirmed for any cluster or claim."""
        return self.force_withdraw or bool(self.forced_claims or self.confirm_withdrawn)

    def confirms(self, claim: Key, cluster: str) -> bool:
        """Return whether the withdrawal is confirmed for the claim or its cluster."""
        return self.forces(claim) or cluster in self.confirm_withdrawn


def names_of(claim: Key) -> tuple[str, ...]:
    """Return the names of a claim in options: `namespace/name/slot` and `namespace/name`."""
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    return str(claim), f"{owner}/{claim.slot}", owner
