"""Interface of a family."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange, NotationError, parse_cidr
from reconciler.documents.document import (
    Document,
    Documents,
    GroupKind,
    Identity,
    Kind,
    text_at,
    value_at,
)
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, error, has_error, warning
from reconciler.documents.yaml import Steps
from reconciler.families.fields import contract_of
from reconciler.families.importing import Copied, IntakeKind, Writing
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.metric import Metric, Sample
from reconciler.model.objects import MANAGEMENT, Manifest, Ref, Resource, Right
from reconciler.model.plan import Blocked, ClusterNetwork, Decision, Gateway, Usage
from reconciler.model.pool import DEFAULT_SPACE, Contract, Pool
from reconciler.model.settings import POOL_NAME, Settings

Lists = Mapping[Resource, Iterable[Manifest]]
Manifests = Mapping[Ref, Manifest]
CurrentRecords = Mapping[Key, Allocation]
RecordBody = Mapping[str, Any]


class StatedNetworks(NamedTuple):
    """A text with CIDRs of `pods` or `services`, separated by commas, and its field."""

    use: str
    text: str
    steps: Steps


class FamilyReading(Struct):
    """A family's reading of its documents, to which its reader adds.

    `protected` owners keep their records, because a dependency is unclear; so do the owners that
    `invalid` documents describe. `frozen` pools give nothing new. `growing` owners depend on observed
    demand, and `elastic` records can be released because it shrinks. Clusters of `announcing` owners
    announce the range of a removed claim until no Service has an address of it. `presumed` claims
    must be granted for a finding to apply.
    """

    pools: dict[Key, Pool] = field(default_factory=dict)
    claims: dict[Key, Claim] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    blocked: list[Blocked] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    inside: list[ClusterNetwork] = field(default_factory=list)
    protected: set[Identity] = field(default_factory=set)
    invalid: set[Identity] = field(default_factory=set)
    frozen: dict[Key, str] = field(default_factory=dict)
    growing: set[Identity] = field(default_factory=set)
    elastic: set[Key] = field(default_factory=set)
    announcing: set[Identity] = field(default_factory=set)
    missing: dict[Finding, Key] = field(default_factory=dict)
    presumed: dict[Finding, frozenset[Key]] = field(default_factory=dict)

    def report(self, document: Document, *found: Finding) -> None:
        """Add findings, unless their document comes from an earlier revision."""
        if not document.unread:
            self.findings += found
            self.invalid.update([document.identity] if has_error(found) else [])

    def report_missing(
        self, document: Document, steps: Steps, pool: Key, message: str, hint: str
    ) -> None:
        """Add the finding for a missing pool that a field of a document names."""
        found = error("reference-not-found", document.at(*steps), message, hint)
        self.report(document, found)
        self.missing[found] = pool

    def add_pool(self, document: Document, pool: Pool | None, found: Iterable[Finding]) -> None:
        """Add the pool of a document, if it is valid. An uncertain pool gives out nothing new."""
        self.report(document, *found)
        if pool is not None:
            self.pools[pool.key] = pool
            if document.doubt:
                self.frozen[pool.key] = document.doubt

    def add_inside(
        self, document: Document, stated: Iterable[StatedNetworks], spaces: Iterable[str]
    ) -> None:
        """Add networks in a cluster, by default of the default space. Report invalid CIDRs."""
        within = tuple(sorted(set(spaces))) or (DEFAULT_SPACE,)
        owner = f"{document.namespace}/{document.name}"
        for use, text, steps in stated:
            place = document.at(*steps)
            for one in text.split(","):
                try:
                    item = parse_cidr(one)
                except NotationError as wrong:
                    message = f"{wrong}, so it is not compared with the pools"
                    self.report(document, warning("cidr-invalid", place, message, wrong.hint))
                else:
                    self.inside.append(ClusterNetwork(item, use, owner, within, place))

    def add(self, other: "FamilyReading") -> None:
        """Add the reading of another family."""
        for name in self.__struct_fields__:
            mine, more = getattr(self, name), getattr(other, name)
            mine.extend(more) if isinstance(mine, list) else mine.update(more)


NAME_ONLY = ("name",)
PLACED = ("name", "namespace")
WHOLE = ("apiGroup", "kind", "name", "namespace")
"""The fields of a reference that is complete in itself."""


class RecordForm(Struct, frozen=True):
    """The references in the `spec` of a family's records.

    A pool with only a name is of the first pool kind, in the record's namespace. `claim` identifies
    a copied record, which names none, from its text only. Slots without a type state type and
    owner. With `labels`, records are of `gitops-ipam.dev`.
    """

    pool: tuple[str, ...]
    owner: str
    owner_fields: tuple[str, ...]
    type: str
    claim: Callable[[RecordBody], Key | None]
    types: Mapping[str, str] = field(default_factory=dict)
    slot_type: Callable[[str], str] | None = None
    labels: Callable[[Allocation], Mapping[str, str]] | None = None

    def type_of(self, slot: str) -> str | None:
        """Return the type of a slot's records, or of its base slot; None if records state it."""
        if self.slot_type is not None:
            return self.slot_type(slot)
        return self.types.get(slot) or self.types.get(slot.rpartition("-")[0])


def referring_whole(family: str, owners: Mapping[str, GroupKind], type_: str) -> RecordForm:
    """Return the form of complete `claimRef` and `poolRef`, for the kind that claims by slot."""

    def claim(body: RecordBody) -> Key | None:
        slot, reference = text_at(body, "spec", "type"), value_at(body, "spec", "claimRef")
        group, kind, name = (text_at(reference, it) for it in ("apiGroup", "kind", "name"))
        namespace = value_at(reference, "namespace")
        if (group, kind) != owners.get(slot) or not isinstance(namespace, str | None):
            return None
        found = Key(family, namespace or "", name, slot, kind)
        return found if found.is_sound else None

    return RecordForm(WHOLE, "claimRef", WHOLE, type_, claim, {slot: slot for slot in owners})


DEFAULT_PORT = 6443
"""The default port of a Kubernetes API server endpoint."""


class ProjectionInput(Struct, frozen=True):
    """One committed tree. `applies_documents`: source documents are applied as objects too."""

    documents: Documents
    reading: FamilyReading
    records: tuple[Allocation, ...]
    usage: Mapping[Key, Usage]
    clock: str
    applies_documents: bool = False
    default_port: int = DEFAULT_PORT
    pool_name: str = POOL_NAME
    advertisement: str = "l2"


class Projection(Struct, frozen=True):
    """One object for one cluster, with status if `ipam` owns it.

    `is_status_only`: only the status of an object of others. `is_part`: its family's `fit` selects
    the fields. It is skipped if an object of `rests_on` could not be written.
    """

    cluster: str
    manifest: Mapping[str, Any]
    is_status_only: bool = False
    is_part: bool = False
    rests_on: tuple[Ref, ...] = ()


def projected(document: Document, status: Mapping[str, Any] | None, **metadata: Any) -> Projection:
    """Return a document as an object, with its status and with additional metadata."""
    place = {"namespace": document.namespace} if document.namespace else {}
    manifest = {**document.body, "metadata": {**document.metadata, **metadata, **place}}
    return Projection(MANAGEMENT, {**manifest, "status": status} if status else manifest)


def status_only(document: Document, status: Mapping[str, Any]) -> Projection:
    """Return status fields for the object of a document that belongs to another controller."""
    place = {"namespace": document.namespace} if document.namespace else {}
    manifest = {
        "apiVersion": document.kind.api_version,
        "kind": document.kind.name,
        "metadata": {"name": document.name, **place},
        "status": status,
    }
    return Projection(MANAGEMENT, manifest, is_status_only=True)


class ClusterKind(Struct, frozen=True):
    """A kind whose objects represent clusters, with the namespaces of the kubeconfig Secret."""

    resource: Resource
    homes: Callable[[Manifest | None, str], Iterable[str]]


class Announcing(Struct, frozen=True):
    """Announcements in clusters; `announcer` returns the cluster of a record's copy.

    `balancers` returns the controllers of clusters that state theirs.
    `documents` are kinds that describe clusters, not objects.
    """

    clusters: ClusterKind | None = None
    cluster_of: Callable[[Allocation], str] = lambda _: MANAGEMENT
    announcer: Callable[[Manifest], str | None] = lambda _: None
    announces: Callable[[ProjectionInput], Mapping[str, Sequence[IPRange]]] = lambda _: {}
    balancers: Callable[[Documents], Mapping[str, ClusterBalancer]] = lambda _: {}
    documents: tuple[GroupKind, ...] = ()


class UpdateRule(Struct, frozen=True):
    """A CEL expression that must hold when an object is changed. Names of variables are unique."""

    resource: Resource
    variables: Mapping[str, str]
    holds: str
    message: str
    message_expression: str = ""


class ObjectEvent(Struct, frozen=True):
    """A change of an object or record. `recent` are Events on the kind in the namespace."""

    ref: Ref
    is_record: bool
    wanted: Manifest
    before: Manifest | None
    pool: Pool | None
    there: Callable[[Ref], Manifest | None]
    recent: Iterable[Manifest]
    now: int


class ObjectFit(Struct, frozen=True):
    """The manifest to apply instead of a projection, None to leave the object unchanged.

    `takes`: empty fields are taken from other managers. `owners`: with whether each controls.
    """

    manifest: Manifest | None = None
    error: str = ""
    takes: bool = False
    owners: tuple[tuple[Ref, bool], ...] = ()


class ListingInput(Struct, frozen=True):
    """Input of a listing: the current tree at `clock` (seconds since 1970), not the plan."""

    documents: Documents
    usage: Mapping[Key, Usage]
    records: tuple[Allocation, ...]
    clock: int = 0


class ListingRow(Struct, frozen=True):
    """A listed document, and additional data about it."""

    document: Document
    more: Any = None


class ListingColumn(Struct, frozen=True):
    """A column: its header, the text of a row, and the text in a wide table if it differs."""

    header: str
    cell: Callable[[ListingRow], str]
    exact: Callable[[ListingRow], str] | None = None


class Listing(Struct, frozen=True):
    """A resource that `ipam get` can list: documents of a kind, with columns.

    `alias` is the name of a listing of another kind, and means this one if that document does not exist.
    """

    name: str
    kind: GroupKind
    rows: Callable[[ListingInput], Iterable[ListingRow]]
    columns: tuple[ListingColumn, ...]
    wide: tuple[ListingColumn, ...] = ()
    short: tuple[str, ...] = ()
    alias: str = ""


def pool_rows(family: str, kind: GroupKind) -> Callable[[ListingInput], Iterator[ListingRow]]:
    """Return the rows of a kind of pool, each with its usage; invalid pools have none."""

    def rows(listed: ListingInput) -> Iterator[ListingRow]:
        for document in listed.documents.of(kind):
            key = Key(family, document.namespace, document.name, "", kind.kind)
            if (usage := listed.usage.get(key)) is not None:
                yield ListingRow(document, usage)

    return rows


NAMESPACE_COLUMN = ListingColumn("NAMESPACE", lambda row: row.document.namespace)
NAME_COLUMN = ListingColumn("NAME", lambda row: row.document.name)
SOURCE_COLUMN = ListingColumn("SOURCE", lambda row: f"{row.document.path}:{row.document.line}")


class EntryRenames(NamedTuple):
    """The new keys of claims by their former ones, and findings about refused renames."""

    keys: Mapping[Key, Key] = MappingProxyType({})
    findings: tuple[Finding, ...] = ()


class Grower(Struct, frozen=True):
    """An owner whose cluster can request more addresses; `ref` is the object that gets the status.

    For an entry and IP version of a cluster, `slots` are the slots of its first range, now and before its
    rename, `most` is its maximum size, and `object` is the stated name of its object.
    """

    owner: tuple[str, str, str, str]
    cluster: str
    increment: int
    claim: Callable[[int, int], Claim]
    ref: Ref | None = None
    slots: tuple[str, ...] = ()
    version: int = 0
    most: int | None = None
    object: str = ""

    @property
    def name(self) -> str:
        """Return a name that no other grower has."""
        return "/".join((self.cluster, *self.slots[:1]))

    @property
    def listed_as(self) -> dict[str, str]:
        """Return the fields of its entries in a Demand."""
        entry, _, family = self.slots[0].partition(".") if self.slots else ("", "", "")
        return {"name": entry, "ip_family": family.replace("ip", "IP")}


class Newcomer(Struct, frozen=True):
    """A claimant that `ipam simulate` adds; `chooses` is the kind of document that it can name.

    With `needs_choice`, it must be named. `document` gets name, namespace, chosen name, and sizes (load balancer, nodes; None for defaults).
    """

    kind: GroupKind
    chooses: GroupKind
    document: Callable[[str, str, str | None, int | None, int | None], Mapping[str, object]]
    needs_choice: bool = False


class Objects(Struct, frozen=True):
    """A family in clusters.

    Policies lock `owned` kinds, except `shared` ones. `needed` are required for any operation.
    `crds` are names for `crd_files`. `intake` is in the order of import. `observe` gets the objects of `observes`. `still_has`
    returns why addresses are still in use, by path. `copied` kinds follow the kinds that they name.
    """

    resources: tuple[Resource, ...] = ()
    owned: tuple[Resource, ...] = ()
    shared: tuple[Resource, ...] = ()
    needed: tuple[Resource, ...] = ()
    crds: tuple[str, ...] = ()
    rights: tuple[Right, ...] = ()
    intake: tuple[IntakeKind, ...] = ()
    update_rules: tuple[UpdateRule, ...] = ()
    event: Callable[[ObjectEvent], Manifest | None] | None = None
    observes: tuple[Resource, ...] = ()
    observe: Callable[[Iterable[Pool], Lists], Mapping[Ref, Manifest]] | None = None
    fit: Callable[[Manifests, Manifests], Mapping[Ref, ObjectFit]] | None = None
    asked: tuple[Resource, ...] = ()
    still_has: Callable[[Iterable[Allocation], Lists], Mapping[str, str]] | None = None
    listings: tuple[Listing, ...] = ()
    newcomer: Newcomer | None = None
    growers: Callable[[Documents, Settings], Iterable[Grower]] | None = None
    may_own: Callable[[Documents, str, str], bool] | None = None
    copied: tuple[Copied, ...] = ()
    writing: Writing | None = None


class Fix(NamedTuple):
    """A change of one document. It is not known to help before it is tried."""

    says: str
    document: Document
    edits: tuple[Edit, ...]


class Fixes(Struct, frozen=True):
    """Possible edits: a smaller size (None if unstated), larger pools (smallest first), others."""

    smaller: Callable[[Documents, Claim, int], Fix | None] = lambda *_: None
    widened: Callable[[Documents, Pool, int], Iterator[Fix]] = lambda *_: iter(())
    added: Callable[[Documents, Claim, Mapping[Key, Pool]], Iterator[Fix]] = lambda *_: iter(())
    given_back: Callable[[Allocation], str] = lambda it: (
        f"a change that removes the {it.claim.kind}"
    )


class Measured(Struct, frozen=True):
    """A revision that was read completely; `records` are those with addresses."""

    documents: Documents
    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    records: Mapping[Key, Allocation]
    usage: Mapping[Key, Usage]


class Turn(Struct, frozen=True):
    """A reconcile run, `since` seconds after its trigger. `failed` are `group/Kind/…/name`."""

    documents: Documents
    claims: Mapping[Key, Claim]
    decisions: tuple[Decision, ...]
    newly_refused: frozenset[Key]
    failed: frozenset[str]
    is_applied: bool
    seconds: float
    since: float


class FamilyMetrics(Struct, frozen=True):
    """Metrics: gauges of pool usage (of all families) and revisions, and increments of a run."""

    metrics: tuple[Metric, ...] = ()
    of_pools: Callable[[Mapping[Key, Usage]], Iterator[Sample]] = lambda _: iter(())
    of_documents: Callable[[Measured], Iterator[Sample]] = lambda _: iter(())
    of_turn: Callable[[Turn], Iterator[Sample]] = lambda _: iter(())


class Relocation(Struct, frozen=True):
    """Fields that a move changes. `ends` are the pin's fields, None if the pin is removed."""

    steps: Steps
    name: str
    pin: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None


def slot_kinds(
    kinds: Mapping[str, str], grows: tuple[str, ...] = ()
) -> Callable[[str], str | None]:
    """Return the function that returns the owner kind of a slot; slots in `grows` have numbers."""

    def kind(slot: str) -> str | None:
        base, _, number = slot.rpartition("-")
        is_numbered = base in grows and number.isascii() and number.isdigit()
        return kinds.get(base if is_numbered else slot)

    return kind


Referring = Callable[[Documents], Iterable[tuple[Document, tuple[str, ...], Key]]]


class Family(Struct, frozen=True):
    """A family.

    The first of `pool_kinds` is the default of records. `slots` returns the owner kind of a slot, one
    of `owners`; no two families have a slot. `grows` have numbered slots such as `nodes-2`. `entries`
    returns the former and the new key of claims in renamed entries of a document, with findings. `read` without records uses only requests. `adopt`
    identifies copied records. `annotations` are allowed on documents of a kind, in addition to the
    annotations of pools, teams, and renames. `relocate` gets a claim, its new pool, its document, and
    its current pool; it is None if a claim cannot have two announced ranges.
    `possible_owner` has "" for an unreadable half.
    """

    name: str
    kinds: tuple[Kind, ...]
    pool_kinds: tuple[str, ...]
    owners: tuple[str, ...]
    slots: Callable[[str], str | None]
    grows: tuple[str, ...]
    judge: Callable[[Document, Settings], list[Finding]]
    read: Callable[[Documents, CurrentRecords | None, Settings], FamilyReading]
    project: Callable[[ProjectionInput], tuple[Projection, ...]]
    record: RecordForm
    annotations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adopt: Callable[[Allocation, Documents], Key] = lambda record, _: record.claim
    relocate: Callable[[Key, Key, Document, Key], Relocation] | None = None
    team: Callable[[Document, Documents], str] = lambda document, _: document.namespace
    contract: Callable[[Document], Contract | None] = contract_of
    entries: Callable[[Documents, Iterable[Key]], EntryRenames] = lambda *_: EntryRenames()
    space: Callable[[Document], str] = lambda document: document.namespace
    possible_owner: Callable[[RecordBody], tuple[str, str] | None] = lambda _: None
    referring: Referring = lambda _: ()
    announcing: Announcing = Announcing()
    objects: Objects = Objects()
    metering: FamilyMetrics = FamilyMetrics()
    fixes: Fixes = Fixes()
