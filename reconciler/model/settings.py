"""Settings and Overrides."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, plural
from reconciler.model.pool import Thresholds, Tier

HOUR = 3_600
POOL_NAME = "default-pool"

PATH = "ipam.yaml"
"""The file of the Settings."""
OVERRIDES = "overrides"
"""The folder of the Overrides."""


class Limits(Struct, frozen=True):
    """Read limits of a revision: number of files, and their bytes."""

    files: int = 200_000
    bytes: int = 1 << 30

    def widened(self, other: "Limits") -> "Limits":
        """Return the wider limits of both."""
        return Limits(max(self.files, other.files), max(self.bytes, other.bytes))


class Elastic(Struct, frozen=True):
    """How tenants grow and shrink: `elastic` of Settings. Durations in seconds."""

    pending_after: int = 1  # how long a Service must be pending before it counts
    shrink_after: int = 600  # how long a growth range must be unused before it is released
    retention: int = 0  # how long a Released growth record stays reserved
    max_growth: int = 64  # the most addresses by which a tenant without a quota grows


class Intake(Struct, frozen=True):
    """A kind whose objects can exist only in the management cluster; namespace `*` matches all."""

    kind: str
    namespaces: tuple[str, ...] = ("*",)


class Settings(Struct, frozen=True):
    """Content of `ipam.yaml`, in seconds and percent. `address_spaces` None permits any name."""

    sources: tuple[str, ...] = ("pools", "providers", "teams", "tenants", "clusters")
    records: str = "allocations"
    thresholds: Thresholds = Thresholds()
    gate: Tier | None = Tier.EXHAUSTED
    retention: int = 24 * HOUR
    overlap_is_error: bool = False
    implicit_is_error: bool = False
    max_release_percent: int = 30
    min_records: int = 10
    applies_documents: bool = False
    inventory_namespace: str = "kube-system"  # of ClusterTargets
    address_spaces: tuple[str, ...] | None = None
    kinds: tuple[tuple[str, tuple[str, ...]], ...] = ()
    committer: tuple[str, str] = ("gitops-ipam", "noreply@gitops-ipam.dev")
    skips_ci: bool = False
    limits: Limits = Limits()
    observed: str = "observed"
    elastic: Elastic = Elastic()
    intake: tuple[Intake, ...] = ()
    pool_name: str = POOL_NAME
    advertisement: str = "l2"
    branch: str = ""
    docs_url: str = ""
    location: Location = Location(".")

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders of documents: source folders, and the observed folder."""
        return *self.sources, self.observed

    def url_of(self, code: str) -> str:
        """Return the page of a finding code in the published documentation, or an empty text."""
        return f"{self.docs_url.rstrip('/')}/reference/codes/{code}/" if self.docs_url else ""

    def held_to(self, earlier: "Settings") -> "Settings":
        """Return these Settings with the stricter limits and thresholds of both Settings."""
        levels = map(min, self.thresholds.levels, earlier.thresholds.levels)
        return replace(
            self,
            max_release_percent=min(self.max_release_percent, earlier.max_release_percent),
            min_records=min(self.min_records, earlier.min_records),
            gate=stricter_gate(self.gate, earlier.gate),
            thresholds=Thresholds(*levels),
        )


def stricter_gate(one: Tier | None, other: Tier | None) -> Tier | None:
    """Return the lower of two capacity limits; None means no limit."""
    return min((it for it in (one, other) if it), key=lambda it: it.rank, default=None)


class OverrideKind(StrEnum):
    """The purpose of an Override."""

    RECORD = "record"
    GATE = "gate"
    BRAKE = "brake"
    MOVE = "move"
    SHRINK = "shrink"


SETTINGS_SCOPE = "Settings"
"""The scope of an Override for all pools with the capacity limit of Settings."""


@dataclass(frozen=True, slots=True)
class Override:
    """One Override.

    Attributes:
        scope: The path or claim of a record, or a folder that ends with `/`; a pool, or `Settings`;
            a claim. Empty for a release limit.
        expires: The first second at which it is no longer effective, since 1970.
        releases: For a release limit, the expected number, including reserved records.
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
        """Return a description of its effect."""
        if self.kind is OverrideKind.RECORD and self.scope.endswith("/"):
            return f"new records below {self.scope}"
        if self.kind is OverrideKind.BRAKE:
            return f"up to {plural(self.releases, 'release')} (including records in retention)"
        effects = {
            OverrideKind.RECORD: "an edit of the record",
            OverrideKind.GATE: "exceeding the capacity limit of",
            OverrideKind.MOVE: "a move of",
            OverrideKind.SHRINK: "shrinking",
        }
        return f"{effects[self.kind]} {self.scope}"


class Lack(Struct, frozen=True):
    """More releases than an Override permits: all, and the reserved records among them."""

    wanted: int
    resting: int


@dataclass(frozen=True, slots=True)
class Overrides:
    """The Overrides of a tree: effective ones, findings, and those effective after the merge."""

    counting: tuple[Override, ...] = ()
    findings: tuple[Finding, ...] = ()
    coming: tuple[Override, ...] = ()
    _asked: dict[Override, None] = field(default_factory=dict, compare=False, repr=False)
    _short: dict[Override, Lack] = field(default_factory=dict, compare=False, repr=False)
    _of: dict[tuple[str, str], list[Override]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for item in self.counting:
            self._of.setdefault((item.kind, item.scope), []).append(item)

    def allow(self, kind: str, scope: str) -> bool:
        """Return whether an Override of a kind has exactly this scope, and mark it as used."""
        found = self._of.get((kind, scope), [])
        self._asked.update(dict.fromkeys(found))
        return bool(found)

    def releases(self, wanted: int, resting: int = 0) -> bool:
        """Return whether an Override permits the releases. Mark it, or those that fall short."""
        found = [item for item in self.counting if wanted <= item.releases]
        self._asked.update(dict.fromkeys(found))
        if not found:
            every = (*self.counting, *self.coming)
            lack = Lack(wanted, resting)
            self._short.update((it, lack) for it in every if 0 < it.releases < wanted)
        return bool(found)

    def short(self) -> Iterator[tuple[Override, Lack]]:
        """Yield the Overrides that permit fewer releases than planned, and are not effective."""
        return ((item, lack) for item, lack in self._short.items() if item not in self._asked)

    def unused(self) -> Iterator[Override]:
        """Yield effective, unused Overrides, except Overrides that permit too few releases."""
        known = {**self._asked, **self._short}
        return (item for item in self.counting if item not in known)

    def used(self) -> Iterator[Override]:
        """Yield the Overrides that were used."""
        return (item for item in self.counting if item in self._asked)

    def afresh(self) -> "Overrides":
        """Return a copy without usage marks, for a separate evaluation."""
        return Overrides(self.counting, self.findings, self.coming)
