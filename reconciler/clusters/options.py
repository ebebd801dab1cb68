"""What a person asks of an apply."""

from msgspec import Struct, field

from reconciler.families._family import DEFAULT_PORT
from reconciler.model.key import Key


class ApplyOptions(Struct, frozen=True):
    """What a person asks of an apply.

    Attributes:
        crds: Install and upgrade the CRDs.
        policies: Install the admission policies, or remove them; None leaves them as they are.
        break_glass: Groups whose members may write what the policies lock.
        adopt: Take over objects that belong to others.
        dry_run: Write nothing.
        require_all: A tenant without a kubeconfig is a failure.
        re_enrol: Clusters that may have another identity than before.
        force_withdraw: Withdraw addresses although Services use them.
        forced_claims: The same of these claims alone, as a person named them.
        confirm_withdrawn: Clusters of which a person says that they announce nothing any more.
        default_port: Of an endpoint that is written and names none.
        lb_class: Of the Services that MetalLB serves (its own `--lb-class`); empty for those without.
        allow_release: How many objects may go at most, to pass the brake; None for the Settings'.
        root: The folder of the repository that is the root; empty for the top. What another one
            put into a cluster is none of this one's to take away.
        shard: Which part of the clusters, and of how many; counted from 0.
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
        """What a claim has left is withdrawn although Services use it."""
        return self.force_withdraw or not self.forced_claims.isdisjoint(names_of(claim))

    @property
    def says_withdrawn(self) -> bool:
        """A person says of some cluster or claim that what was left is announced no more."""
        return self.force_withdraw or bool(self.forced_claims or self.confirm_withdrawn)

    def confirms(self, claim: Key, cluster: str) -> bool:
        """They say so of a claim, or of the cluster that announces it."""
        return self.forces(claim) or cluster in self.confirm_withdrawn


def names_of(claim: Key) -> tuple[str, ...]:
    """What a person may call a claim: its key, `namespace/name/slot`, or `namespace/name`."""
    owner = f"{claim.namespace}/{claim.name}" if claim.namespace else claim.name
    return str(claim), f"{owner}/{claim.slot}", owner
