"""Settings of a repository, with the defaults that hold where it says nothing."""

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.findings import Location
from reconciler.model.pool import Thresholds, Tier

HOUR = 3_600
METALLB_POOL = "default-pool"
_NOWHERE = Location(".")

PATH = "ipam.yaml"
"""The file of the Settings."""
OVERRIDES = "overrides"
"""The folder of the Overrides."""


class Limits(Struct, frozen=True):
    """How much of a revision is read at most: so many files, so many bytes of them."""

    files: int = 200_000
    bytes: int = 1 << 30


class Elastic(Struct, frozen=True):
    """How tenants grow and shrink: `elastic` of Settings. Durations in seconds.

    Attributes:
        pending_after: How long a Service waits before it counts.
        shrink_after: How long a growth range is unused before it goes.
        retention: How long a Released growth record holds its addresses.
        max_growth: Most addresses that a tenant without a quota grows by.
    """

    pending_after: int = 1
    shrink_after: int = 600
    retention: int = 0
    max_growth: int = 64


class Intake(Struct, frozen=True):
    """Objects that may live in the management cluster alone: a kind, and in which namespaces.

    Attributes:
        kind: Its name, such as `Cluster`.
        namespaces: Names; `*` stands for all.
    """

    kind: str
    namespaces: tuple[str, ...] = ("*",)


class Settings(Struct, frozen=True):
    """What `ipam.yaml` says; durations in seconds, shares in percent.

    Attributes:
        address_spaces: All that pools may name; None where any name will do.
        observed: The folder of what clusters ask for, which reconcile alone writes.
        branch: The branch that is the truth; empty where the repository tells.
        skips_ci: The subject of reconcile's commits asks CI to leave them out.
        metallb_pool: What the pool that we keep in a cluster is called.
        kinds: What folders may hold: names of kinds by folder, in the order of the folders.
    """

    sources: tuple[str, ...] = ("pools", "providers", "teams", "tenants", "clusters")
    records: str = "allocations"
    thresholds: Thresholds = field(default_factory=Thresholds)
    gate: Tier | None = Tier.EXHAUSTED
    retention: int = 24 * HOUR
    overlap_is_error: bool = False
    max_release_percent: int = 30
    min_records: int = 10
    applies_documents: bool = False
    address_spaces: tuple[str, ...] | None = None
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = ()
    committer: tuple[str, str] = ("gitops-ipam", "noreply@gitops-ipam.dev")
    skips_ci: bool = False
    limits: Limits = field(default_factory=Limits)
    observed: str = "observed"
    elastic: Elastic = field(default_factory=Elastic)
    intake: tuple[Intake, ...] = ()
    metallb_pool: str = METALLB_POOL
    branch: str = ""
    location: Location = field(default=_NOWHERE)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that documents stand in: people's, and that of what was observed."""
        return *self.sources, self.observed

    def held_to(self, earlier: "Settings") -> "Settings":
        """These, with brakes, gate and thresholds of earlier ones where those are stricter."""
        levels = map(min, self.thresholds.levels, earlier.thresholds.levels)
        return replace(
            self,
            max_release_percent=min(self.max_release_percent, earlier.max_release_percent),
            min_records=min(self.min_records, earlier.min_records),
            gate=stricter_gate(self.gate, earlier.gate),
            thresholds=Thresholds(*levels),
        )


def stricter_gate(one: Tier | None, other: Tier | None) -> Tier | None:
    """The lower of two gates; None is none at all."""
    return min((it for it in (one, other) if it), key=lambda it: it.rank, default=None)
