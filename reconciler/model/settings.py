"""Settings and Overrides."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct
from msgspec import field as field_
from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location
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
    thresholds: Thresholds = field_(default_factory=Thresholds)
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
    limits: Limits = field_(default_factory=Limits)
    observed: str = "observed"
    elastic: Elastic = field_(default_factory=Elastic)
    intake: tuple[Intake, ...] = ()
    metallb_pool: str = METALLB_POOL
    branch: str = ""
    location: Location = field_(default=_NOWHERE)

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


class OverrideKind(StrEnum):
    """What an Override is for."""

    RECORD = "record"
    GATE = "gate"
    BRAKE = "brake"
    MOVE = "move"
    SHRINK = "shrink"


SETTINGS_SCOPE = "Settings"
"""The scope of a gate Override that is for all pools with the gate of Settings."""


@dataclass(frozen=True, slots=True)
class Override:
    """One Override.

    Attributes:
        scope: What it is for: the path or the claim of a record, or a folder that ends with `/`; a pool, or `Settings`; a claim.
            Empty for a brake.
        reason: Why, in the words of who wrote it.
        expires: The first second in which it lets nothing pass, since 1970.
        releases: How many releases a person expects, with those that rest already; 0 for all kinds but a brake.
        path: Its file.
    """

    kind: OverrideKind
    scope: str
    reason: str
    expires: int
    releases: int
    path: str
    location: Location = field(compare=False)

    @property
    def lets_pass(self) -> str:
        """What it lets pass, in words."""
        match self.kind:
            case OverrideKind.RECORD if self.scope.endswith("/"):
                return f"records that are added below {self.scope}"
            case OverrideKind.RECORD:
                return f"an edit of the record {self.scope}"
            case OverrideKind.GATE:
                return f"the capacity gate of {self.scope}"
            case OverrideKind.BRAKE:
                return f"up to {self.releases} releases (with those that rest already)"
            case OverrideKind.MOVE:
                return f"a move of {self.scope}"
        return f"shrinking {self.scope}"


class Lack(Struct, frozen=True):
    """More releases than an Override names.

    Attributes:
        wanted: How many would have to pass, with those that rest already.
        resting: Those that rest.
    """

    wanted: int
    resting: int


@dataclass(frozen=True, slots=True)
class Overrides:
    """Those of a tree.

    Attributes:
        counting: Those that let something pass: merged before, unchanged, not expired.
        findings: What is wrong with their files, and which of them do not count.
        coming: Those that will count once they are merged.
    """

    counting: tuple[Override, ...] = ()
    findings: tuple[Finding, ...] = ()
    coming: tuple[Override, ...] = ()
    _asked: dict[Override, None] = field(default_factory=dict, compare=False, repr=False)
    _short: dict[Override, Lack] = field(default_factory=dict, compare=False, repr=False)

    def allow(self, kind: str, scope: str) -> bool:
        """Whether one of a kind is for exactly this scope. It is then noted as used."""
        found = [item for item in self.counting if item.kind == kind and item.scope == scope]
        self._asked.update(dict.fromkeys(found))
        return bool(found)

    def releases(self, wanted: int, resting: int = 0) -> bool:
        """Whether one lets so many releases pass. It is then noted as used; else those that are short.

        Args:
            wanted: How many, with those that rest since before.
            resting: Those that rest.
        """
        found = [item for item in self.counting if wanted <= item.releases]
        self._asked.update(dict.fromkeys(found))
        if not found:
            every = (*self.counting, *self.coming)
            lack = Lack(wanted, resting)
            self._short.update((it, lack) for it in every if 0 < it.releases < wanted)
        return bool(found)

    def short(self) -> Iterator[tuple[Override, Lack]]:
        """Those that name fewer releases than were asked for, and let nothing pass."""
        return ((item, lack) for item, lack in self._short.items() if item not in self._asked)

    def unused(self) -> Iterator[Override]:
        """Those that count, but that nothing was asked of; but for those that are short."""
        return (item for item in self.counting if item not in {**self._asked, **self._short})

    def used(self) -> Iterator[Override]:
        """Those that let something pass."""
        return (item for item in self.counting if item in self._asked)

    def afresh(self) -> "Overrides":
        """The same, of which nothing was asked yet: what an evaluation notes is its own."""
        return Overrides(self.counting, self.findings, self.coming)
