"""Interface of a family."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.document import Document, Documents, GroupKind, Identity, Kind
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding
from reconciler.families.importing import Copied, IntakeKind, Writing
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.metric import Metric, MetricKind, Sample
from reconciler.model.objects import MANAGEMENT, Check, Manifest, Ref, Resource, Right
from reconciler.model.plan import Blocked, ClusterNetwork, Decision, Gateway, Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import METALLB_POOL, Settings

Lists = Mapping[Resource, Iterable[Manifest]]
Manifests = Mapping[Ref, Manifest]
CurrentRecords = Mapping[Key, Allocation]
RecordBody = Mapping[str, Any]


class FamilyReading(Struct, frozen=True):
    """A family's reading of its documents.

    Attributes:
        protected: Owners with unknown claims (a dependency is invalid or missing): they keep their
            records.
        frozen: Pools that give nothing new because their document cannot be read, with its file.
            They are among `pools` if there is a readable earlier version.
        growing: Owners whose growth depends on observed demand of their clusters.
        missing: Missing pools that documents name, by the finding that reports them.
        presumed: Claims that must be granted for a finding to apply.
    """

    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    findings: tuple[Finding, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    gateways: tuple[Gateway, ...] = ()
    inside: tuple[ClusterNetwork, ...] = ()
    protected: frozenset[Identity] = frozenset()
    frozen: Mapping[Key, str] = field(default_factory=dict)
    growing: frozenset[Identity] = frozenset()
    missing: Mapping[Finding, Key] = field(default_factory=dict)
    presumed: Mapping[Finding, frozenset[Key]] = field(default_factory=dict)


NAME_ONLY = ("name",)
PLACED = ("name", "namespace")
WHOLE = ("apiGroup", "kind", "name", "namespace")
"""The fields of a reference that is complete in itself."""


class RecordForm(Struct, frozen=True):
    """The references in the `spec` of a family's records.

    Attributes:
        pool: The fields of `poolRef`: `WHOLE` or `NAME_ONLY`. A pool with only a name is of the
            family's first pool kind, in the namespace of the record.
        owner: The field of `spec` that names the owner, with `owner_fields`: `WHOLE` or `PLACED`.
        type: The type of a record without `type`.
        claim: Returns the claim of a copied record, which names none, from its text only. None if
            the record is not of the family.
        types: The type of records by slot. Records of other slots state their type and owner.
    """

    pool: tuple[str, ...]
    owner: str
    owner_fields: tuple[str, ...]
    type: str
    claim: Callable[[RecordBody], Key | None]
    types: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, slot: str) -> str | None:
        """Return the type of a slot's records, or of its base slot; None if records state it."""
        return self.types.get(slot) or self.types.get(slot.rpartition("-")[0])

    @property
    def names_pool_whole(self) -> bool:
        """Return whether a record's pool reference is complete, independent of its namespace."""
        return self.pool == WHOLE


def referring_whole(family: str, owners: Mapping[str, GroupKind], type_: str) -> RecordForm:
    """Return the form of every family except Butler: complete `claimRef` and `poolRef`.

    `owners` is the kind that claims, by slot. A copied record has its slot as `type`; a record
    without `type` has `type_`.
    """

    def claim(body: RecordBody) -> Key | None:
        spec = body.get("spec")
        reference = spec.get("claimRef") if isinstance(spec, Mapping) else None
        if not isinstance(spec, Mapping) or not isinstance(reference, Mapping):
            return None
        slot = spec.get("type")
        kind = owners.get(slot) if isinstance(slot, str) else None
        said = reference.get("apiGroup"), reference.get("kind")
        name, namespace = reference.get("name"), reference.get("namespace", "")
        if said != kind or not isinstance(name, str) or not isinstance(namespace, str):
            return None
        found = Key(family, namespace, name, str(slot), str(said[1]))
        return found if found.is_sound else None

    return RecordForm(WHOLE, "claimRef", WHOLE, type_, claim, {slot: slot for slot in owners})


DEFAULT_PORT = 6443
"""The default port of a Kubernetes API server endpoint."""


class ProjectionInput(Struct, frozen=True):
    """Input of projections: one committed tree.

    Attributes:
        applies_documents: Whether source documents are applied as objects, in addition to pools.
        withheld: Ranges of records that an earlier record already held, by path.
        metallb_pool: The name of a cluster's managed MetalLB pool, if its document names none.
    """

    documents: Documents
    reading: FamilyReading
    records: tuple[Allocation, ...]
    usage: Mapping[Key, Usage]
    clock: str
    applies_documents: bool = False
    withheld: Mapping[str, IPSet] = field(default_factory=dict)
    default_port: int = DEFAULT_PORT
    metallb_pool: str = METALLB_POOL


class Projection(Struct, frozen=True):
    """One object for one cluster.

    Attributes:
        manifest: The whole object, with status if `ipam` owns it.
        is_status_only: Whether another controller owns the object. If it exists, the given `status`
            fields are applied. It is never created, changed, or rendered.
        is_part: The same for any fields: `fit` of its family selects those to apply.
        rests_on: Objects it depends on: it is skipped if one of them could not be written.
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
    """A kind whose objects represent clusters, named `namespace/name`.

    Attributes:
        homes: Yields the namespaces of the kubeconfig Secret, for the live object (or None) and its
            namespace. Raises `ValueError` if the object is invalid.
    """

    resource: Resource
    homes: Callable[[Manifest | None, str], Iterable[str]]


class Announcing(Struct, frozen=True):
    """Announcements of a family's addresses in clusters.

    Attributes:
        cluster_of: Returns the cluster that announces a record's addresses.
        announcer: Returns the same for a record's copy in the management cluster; None if it is of
            another family, or its addresses are not announced.
        announces: Returns the ranges that each workload cluster announces, by cluster name.
    """

    clusters: ClusterKind | None = None
    cluster_of: Callable[[Allocation], str] = lambda _: MANAGEMENT
    announcer: Callable[[Manifest], str | None] = lambda _: None
    announces: Callable[[ProjectionInput], Mapping[str, Sequence[IPRange]]] = lambda _: {}


class UpdateRule(Struct, frozen=True):
    """A CEL expression that must hold when an object is changed, and why a change is refused.

    Names of its variables are used by no other rule. `message_expression` is the reason with values
    of the object.
    """

    resource: Resource
    variables: Mapping[str, str]
    holds: str
    message: str
    message_expression: str = ""


class ObjectEvent(Struct, frozen=True):
    """A change of an object in the management cluster.

    Attributes:
        is_record: Whether the object is a record, of this family or of another one.
        wanted: The new object, with its status and its live metadata.
        there: Returns the previous object of a reference.
        recent: Recent events on objects of the kind in the namespace; not read for records, nor if
            they cannot affect the result.
        now: The server's time, in seconds since 1970.
    """

    ref: Ref
    is_record: bool
    wanted: Manifest
    before: Manifest | None
    pool: Pool | None
    there: Callable[[Ref], Manifest | None]
    recent: Iterable[Manifest]
    now: int


class ObjectFit(Struct, frozen=True):
    """The result of comparing a projection with the management cluster.

    Attributes:
        manifest: The manifest to apply instead; None to leave the object unchanged.
        error: Why the projection cannot be applied; empty if it can.
        takes: For parts: empty fields whose ownership is taken from another field manager.
        owners: Owner references, each with whether it is the controller. Owners that are created in
            the same run are set at its end.
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
    """A resource that `ipam get` can list, as `kubectl get` does.

    Attributes:
        kind: The kind of the documents. JSON output lists all of them.
        rows: The documents with a row, in order.
        wide: Columns that `-o wide` adds.
    """

    name: str
    kind: GroupKind
    rows: Callable[[ListingInput], Iterable[ListingRow]]
    columns: tuple[ListingColumn, ...]
    wide: tuple[ListingColumn, ...] = ()
    short: tuple[str, ...] = ()


NAMESPACE_COLUMN = ListingColumn("NAMESPACE", lambda row: row.document.namespace)
NAME_COLUMN = ListingColumn("NAME", lambda row: row.document.name)
SOURCE_COLUMN = ListingColumn("SOURCE", lambda row: f"{row.document.path}:{row.document.line}")


class Grower(Struct, frozen=True):
    """An owner whose cluster can request more addresses than the first ones.

    Attributes:
        ref: The object of the management cluster that gets the status.
        increment: The minimum number of addresses by which it grows.
        claim: Returns the growth claim for an index and a number of addresses.
    """

    owner: tuple[str, str, str, str]
    cluster: str
    ref: Ref
    increment: int
    claim: Callable[[int, int], Claim]


class Sizes(Struct, frozen=True):
    """The size of a simulated claimant; None for defaults."""

    lb: int | None
    nodes: int | None


class Newcomer(Struct, frozen=True):
    """A claimant that `ipam simulate` adds.

    Attributes:
        chooses: The kind of document that it names if it does not use the default.
        document: Returns a document with a name, a namespace, such a document's name, and a size.
    """

    kind: GroupKind
    chooses: GroupKind
    document: Callable[[str, str, str | None, Sizes], Mapping[str, object]]


class Objects(Struct, frozen=True):
    """A family in clusters.

    Attributes:
        resources: Its kinds in the management cluster.
        owned: Kinds whose objects `ipam` creates, updates, and deletes. Policies lock them, unless
            they are `shared` with other writers.
        needed: Kinds that are required for any operation.
        shapes: The expected structure of its kinds, and of observed kinds.
        record_spec: The structure of the fields that it adds to the spec of its records.
        crds: Its CRDs as YAML, by file name.
        rights: Its rights in the management cluster, in addition to the common rights.
        intake: Kinds whose objects can exist only in the cluster, in the order of their import.
        event: Returns the Event for a change, if any. It is created before the status is applied.
        observe: Returns further status fields from all pools and all objects that it `observes`.
        fit: Returns the changes to projections, given the live objects of its kinds.
        still_has: Returns records whose addresses objects of the kinds `asked` still have, by path,
            with the reason.
        listings: Resources that `ipam get` can list: its pools first.
        growers: Yields the owners that can grow, from the documents of a whole tree.
        may_own: Returns whether an owner of a namespace and name might exist.
        copied: Kinds whose objects `ipam import` copies, after the kinds that they name.
    """

    resources: tuple[Resource, ...] = ()
    owned: tuple[Resource, ...] = ()
    shared: tuple[Resource, ...] = ()
    needed: tuple[Resource, ...] = ()
    shapes: Mapping[Resource, Check] = field(default_factory=dict)
    record_spec: Mapping[str, Check] = field(default_factory=dict)
    crds: Callable[[], Mapping[str, str]] = dict
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


class Mend(NamedTuple):
    """A change of one document. It is not known to help before it is tried."""

    says: str
    document: Document
    edits: tuple[Edit, ...]


class Mending(Struct, frozen=True):
    """Possible edits of a family's documents.

    Attributes:
        smaller: Returns the change to a smaller size; None if the document states no size.
        widened: Yields changes that make a pool larger by a minimum size, smallest first.
        added: Yields changes that let another existing pool serve the claim.
        given_back: Describes a change that gives back an unused record.
    """

    smaller: Callable[[Documents, Claim, int], Mend | None] = lambda *_: None
    widened: Callable[[Documents, Pool, int], Iterator[Mend]] = lambda *_: iter(())
    added: Callable[[Documents, Claim, Mapping[Key, Pool]], Iterator[Mend]] = lambda *_: iter(())
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
    """The result of one reconcile run.

    Attributes:
        decisions: Decisions that were carried out, and refusals.
        newly_refused: Claims that were not refused before, or for another reason.
        failed: Objects of the management cluster that could not be written, as `group/Kind/…/name`.
        seconds: The duration of the run.
        since: Seconds from the trigger of the run to its end.
    """

    documents: Documents
    claims: Mapping[Key, Claim]
    decisions: tuple[Decision, ...]
    newly_refused: frozenset[Key]
    failed: frozenset[str]
    is_applied: bool
    seconds: float
    since: float


def gauge(name: str, about: str, *labels: str) -> Metric:
    """Return a gauge."""
    return Metric(name, MetricKind.GAUGE, about, labels)


def counter(name: str, about: str, *labels: str) -> Metric:
    """Return a counter."""
    return Metric(name, MetricKind.COUNTER, about, labels)


class FamilyMetrics(Struct, frozen=True):
    """Metrics: gauges of pool usage (of all families) and revisions, and increments of a run."""

    metrics: tuple[Metric, ...] = ()
    of_pools: Callable[[Mapping[Key, Usage]], Iterator[Sample]] = lambda _: iter(())
    of_documents: Callable[[Measured], Iterator[Sample]] = lambda _: iter(())
    of_turn: Callable[[Turn], Iterator[Sample]] = lambda _: iter(())


class Relocation(Struct, frozen=True):
    """Fields that determine where a document's addresses are: they change if a claim moves.

    Attributes:
        steps: The path of the field that names the pool, with its new value `name`.
        pin: The path of the field that pins the range; empty if there is none.
        ends: The fields of the first and the last address there. None if a claim with addresses
            needs no pin, so that the pin is removed.
    """

    steps: tuple[str, ...]
    name: str
    pin: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None


Referring = Callable[[Documents], Iterable[tuple[Document, tuple[str, ...], Key]]]


class Family(Struct, frozen=True):
    """A family.

    Attributes:
        name: First part of every key.
        kinds: The kinds of document that it reads, in each version. Their names differ.
        pool_kinds: Names of its pool kinds. The first one is the default of records.
        slots: The kind of the owner that claims by each slot. A slot belongs to only one family.
        grows: Slots with additional numbered slots, such as `nodes-2` for `nodes`.
        judge: Returns contradictions in a document, independent of other documents.
        read: Maps documents, records by claim, and Settings to pools and claims. If the records are
            None, only the requests are used and the claims are not.
        adopt: Returns the claim of a copied record, which names none, given all documents.
        relocate: Returns the document fields that move a claim. None if a claim cannot have two
            announced ranges at once, which a move without interruption needs.
        space: Returns the namespace that a document claims for.
        meant: Returns the owner of a broken document's claims, by namespace and name, with "" for
            an unreadable part. None if the words in the document identify it, or if it is unknown.
        referring: Yields documents that name a claiming document, each with the field and the key.
    """

    name: str
    kinds: tuple[Kind, ...]
    pool_kinds: tuple[str, ...]
    slots: Mapping[str, str]
    grows: tuple[str, ...]
    judge: Callable[[Document, Settings], list[Finding]]
    read: Callable[[Documents, CurrentRecords | None, Settings], FamilyReading]
    project: Callable[[ProjectionInput], tuple[Projection, ...]]
    record: RecordForm
    adopt: Callable[[Allocation, Documents], Key] = lambda record, _: record.claim
    relocate: Callable[[Key, Key], Relocation] | None = None
    team: Callable[[Document, Documents], str] = lambda document, _: document.namespace
    space: Callable[[Document], str] = lambda document: document.namespace
    meant: Callable[[Mapping[str, Any]], tuple[str, str] | None] = lambda _: None
    referring: Referring = lambda _: ()
    announcing: Announcing = Announcing()
    objects: Objects = Objects()
    metering: FamilyMetrics = FamilyMetrics()
    mending: Mending = Mending()

    @property
    def moves(self) -> bool:
        """Return whether a claim can have two announced ranges during a move."""
        return self.relocate is not None
