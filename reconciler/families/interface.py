"""Interface of a family."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from reconciler.addresses.ranges import IPRange, IPSet
from reconciler.documents.document import Document, Documents, GroupKind, Identity, Kind
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding
from reconciler.families.importing import Copied, IntakeKind, Writing
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.metric import Metric, Sample
from reconciler.model.objects import MANAGEMENT, Check, Manifest, Ref, Resource, Right
from reconciler.model.plan import Decision, Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import METALLB_POOL, Settings
from reconciler.model.state import Blocked, ClusterNetwork, Gateway

Lists = Mapping[Resource, Iterable[Manifest]]
Manifests = Mapping[Ref, Manifest]


class UpdateRule(Struct, frozen=True):
    """A rule that admission policies keep when an object is changed, in CEL.

    Attributes:
        variables: What the rule uses, by names that no other rule has.
        holds: The expression that must be true.
        message: Why a change is refused.
        message_expression: The same with values of the object; empty for the message alone.
    """

    resource: Resource
    variables: Mapping[str, str]
    holds: str
    message: str
    message_expression: str = ""


class ObjectEvent(Struct, frozen=True):
    """A change of an object in the management cluster.

    Attributes:
        is_record: The object is a record, of this family or of another one.
        wanted: What the object shall be, with its status and its live metadata.
        before: What it was, or None.
        pool: The pool that the object stands for.
        there: The objects that were there before, by reference.
        recent: What lately was told of objects of the kind in the namespace; of a record nothing
            is read. Where there is nothing to tell without it, it is not read either.
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
    """What becomes of a projection beside what the management cluster holds.

    Attributes:
        manifest: What is applied in its place; None to leave the object as it is.
        error: Why the object cannot be what it shall be; empty when it can.
        takes: Of a part: fields that are there without a value are taken from who wrote them.
        owners: The objects that own it, each with whether it is the one that controls it. Those
            that are made in the same run own it at its end.
    """

    manifest: Manifest | None = None
    error: str = ""
    takes: bool = False
    owners: tuple[tuple[Ref, bool], ...] = ()


class ListingInput(Struct, frozen=True):
    """What a listing is made from: the tree as it stands, not as planned.

    Attributes:
        clock: Date of the revision, in seconds since 1970.
    """

    documents: Documents
    usage: Mapping[Key, Usage]
    records: tuple[Allocation, ...]
    clock: int = 0


class ListingRow(Struct, frozen=True):
    """A document that is listed, and what is known of it besides."""

    document: Document
    more: Any = None


class ListingColumn(Struct, frozen=True):
    """A column of a listing: its header, and the text of a row in it.

    Attributes:
        exact: The text in a wide table, where that is another one.
    """

    header: str
    cell: Callable[[ListingRow], str]
    exact: Callable[[ListingRow], str] | None = None


class Listing(Struct, frozen=True):
    """Something that `ipam get` can list.

    Attributes:
        name: The word for it on the command line.
        kind: The kind of the documents.
        rows: The documents that have a row, in order. As JSON all of the kind are listed.
        columns: As `kubectl get` shows them.
        wide: Columns that `-o wide` adds.
        short: Short names, as `kubectl get` takes them.
    """

    name: str
    kind: GroupKind
    rows: Callable[[ListingInput], Iterable[ListingRow]]
    columns: tuple[ListingColumn, ...]
    wide: tuple[ListingColumn, ...] = ()
    short: tuple[str, ...] = ()


class Grower(Struct, frozen=True):
    """Somebody whose cluster may ask for more addresses than the first ones.

    Attributes:
        owner: The object that claims: family, kind, namespace, name.
        cluster: Its cluster, by name.
        ref: The object of the management cluster that is told.
        increment: How many addresses it grows by at least.
        claim: The claim of growth of a number, for so many addresses.
    """

    owner: tuple[str, str, str, str]
    cluster: str
    ref: Ref
    increment: int
    claim: Callable[[int, int], Claim]


class Sizes(Struct, frozen=True):
    """How large a claimant is that is added in thought; None leaves it to defaults."""

    lb: int | None
    nodes: int | None


class Newcomer(Struct, frozen=True):
    """What `ipam simulate` adds in thought.

    Attributes:
        kind: The kind of the document that stands for one.
        chooses: The kind of document that it names where it is not the default one.
        document: One of a name, in a namespace, that names such a document (or None) and is so
            large.
    """

    kind: GroupKind
    chooses: GroupKind
    document: Callable[[str, str, str | None, Sizes], Mapping[str, object]]


class Objects(Struct, frozen=True):
    """A family in clusters.

    Attributes:
        resources: Its kinds in the management cluster.
        owned: Those whose objects we make, keep and take away. Admission policies lock them.
        shared: Those of them that others write, too: no policy locks them.
        needed: Those without which nothing can be done at all.
        shapes: The shape of what is read of its kinds, and of those that it observes.
        record_spec: The shape of the fields that it adds to the spec of its records.
        crds: Its CRDs as YAML, by file name.
        rights: What it needs in the management cluster, besides what everybody needs.
        tenant_rights: The same in every other cluster.
        intake: Kinds whose objects may live in the management cluster alone, in the order in which
            they are taken in.
        update_rules: What holds when an object of its kinds is changed.
        event: The Event to make because of a change, if any. It is made before the status is
            applied.
        observes: The kinds of the management cluster that it looks at.
        observe: All pools, and all objects of these kinds, to more fields of status.
        fit: What shall be of its kinds, and what is, to what becomes of it, where that is not the
            projection as it stands.
        asked: The kinds of the management cluster that tell whether an address is still in use.
        still_has: Records whose addresses such objects still have, by path, and why.
        listings: What `ipam get` can list: its pools first.
        newcomer: What `ipam simulate` adds.
        growers: Those who may grow, by the documents of a whole tree.
        may_own: Whether there may be somebody of a namespace and name whose Demand one of that
            name is.
        copied: Kinds whose objects `ipam import` copies, those before others that these name.
        writing: How it writes what lives elsewhere.
    """

    resources: tuple[Resource, ...] = ()
    owned: tuple[Resource, ...] = ()
    shared: tuple[Resource, ...] = ()
    needed: tuple[Resource, ...] = ()
    shapes: Mapping[Resource, Check] = field(default_factory=dict)
    record_spec: Mapping[str, Check] = field(default_factory=dict)
    crds: Callable[[], Mapping[str, str]] = dict
    rights: tuple[Right, ...] = ()
    tenant_rights: tuple[Right, ...] = ()
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
    """A change of one document. Whether it helps is not known before it was tried."""

    says: str
    document: Document
    edits: tuple[Edit, ...]


def _no_size(documents: Documents, claim: Claim, size: int) -> Mend | None:
    del documents, claim, size
    return None


def _no_room(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    del documents, pool, lacking
    yield from ()


def _no_pool(documents: Documents, claim: Claim, pools: Mapping[Key, Pool]) -> Iterator[Mend]:
    del documents, claim, pools
    yield from ()


def _removed(record: Allocation) -> str:
    return f"a change that removes the {record.claim.kind}"


class Mending(Struct, frozen=True):
    """What can be edited.

    Attributes:
        smaller: A claim asks for so many addresses; None where its document says no size.
        widened: A pool gives out at least so many addresses more, the smallest change first.
        added: Another pool serves the claim, too: one change for each that is there.
        given_back: The change that gives back what a record holds which nobody uses, in words.
    """

    smaller: Callable[[Documents, Claim, int], Mend | None] = _no_size
    widened: Callable[[Documents, Pool, int], Iterator[Mend]] = _no_room
    added: Callable[[Documents, Claim, Mapping[Key, Pool]], Iterator[Mend]] = _no_pool
    given_back: Callable[[Allocation], str] = _removed


class Measured(Struct, frozen=True):
    """A revision that was read whole.

    Attributes:
        records: Those that hold addresses, by claim.
    """

    documents: Documents
    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    records: Mapping[Key, Allocation]
    usage: Mapping[Key, Usage]


class Turn(Struct, frozen=True):
    """What one round did, of what it read.

    Attributes:
        decisions: Those that were carried out, and what was refused.
        newly_refused: Claims that were refused now, and were not before, or for another reason.
        failed: Objects of the management cluster that could not be written, `group/Kind/…/name`.
        is_applied: The management cluster was applied to, and answered.
        seconds: How long the round took.
        since: Seconds from what the round answers to its end.
    """

    documents: Documents
    claims: Mapping[Key, Claim]
    decisions: tuple[Decision, ...]
    newly_refused: frozenset[Key]
    failed: frozenset[str]
    is_applied: bool
    seconds: float
    since: float


def _of_nothing(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    del usage
    return iter(())


def _of_nobody(measured: Measured) -> Iterator[Sample]:
    del measured
    return iter(())


def _of_no_turn(turn: Turn) -> Iterator[Sample]:
    del turn
    return iter(())


class FamilyMetrics(Struct, frozen=True):
    """The figures of a family.

    Attributes:
        metrics: All that it tells.
        of_pools: How full pools are, to gauges. It is asked with the pools of all families.
        of_documents: What a whole revision says, to gauges.
        of_turn: What a round did, to what counters grow by and what histograms are told.
    """

    metrics: tuple[Metric, ...] = ()
    of_pools: Callable[[Mapping[Key, Usage]], Iterator[Sample]] = _of_nothing
    of_documents: Callable[[Measured], Iterator[Sample]] = _of_nobody
    of_turn: Callable[[Turn], Iterator[Sample]] = _of_no_turn


RecordBody = Mapping[str, Any]

NAME = ("name",)
PLACED = ("name", "namespace")
WHOLE = ("apiGroup", "kind", "name", "namespace")
"""The fields of a reference that needs nothing beside it to be understood."""


class RecordForm(Struct, frozen=True):
    """The references in the `spec` of a family's records.

    Attributes:
        pool: The fields of `poolRef`: `WHOLE` or `NAME`. A pool of which the name alone is said is
            of the family's first pool kind, and lies in the namespace of the record.
        owner: The field of `spec` that names the owner.
        owner_fields: Its fields: `WHOLE` or `PLACED`.
        type: What a record means that says no `type`.
        claim: The claim that a record stands for which names none, as one copied from a cluster;
            told by its text alone. None when it is none of the family.
        types: The type of each slot's records, which are the claimant's own. Records of other
            slots say themselves of what type and whose they are.
    """

    pool: tuple[str, ...]
    owner: str
    owner_fields: tuple[str, ...]
    type: str
    claim: Callable[[RecordBody], Key | None]
    types: Mapping[str, str] = field(default_factory=dict)

    def type_of(self, slot: str) -> str | None:
        """The type of a slot's records, or of the slot it grew from; None where each says it."""
        return self.types.get(slot) or self.types.get(slot.rpartition("-")[0])

    @property
    def names_pool_whole(self) -> bool:
        """The text says which pool is meant, wherever the record stands."""
        return self.pool == WHOLE


def referring_whole(family: str, owners: Mapping[str, GroupKind], type_: str) -> RecordForm:
    """The form of every family but Butler: `claimRef` and `poolRef` that say all.

    Args:
        family: Its name.
        owners: The kind that claims, by slot. A copied record has its slot as `type`.
        type_: What a record means that says no `type`.
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

    types = {slot: slot for slot in owners}
    return RecordForm(WHOLE, "claimRef", WHOLE, type_, claim, types)


DEFAULT_PORT = 6443
"""Of the endpoint of a Kubernetes API server."""

CurrentRecords = Mapping[Key, Allocation]


class FamilyReading(Struct, frozen=True):
    """What a family makes of its documents.

    Attributes:
        protected: Owners (family, kind, namespace, name) whose claims cannot be told, because
            something that they depend on is wrong or missing. They keep their records.
        frozen: Pools that give nothing new, because their document cannot be read, with the path
            of its file. They are among `pools` when their document could be read before.
        growing: Owners that are there, and hold growth: what was observed of their clusters says
            whether they need it.
        missing: Pools that a document names and that are not there, by the finding that says so.
        presumed: Claims that must get what they ask for, or a finding is not true.
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


Reader = Callable[[Documents, CurrentRecords | None, Settings], FamilyReading]


class Projection(Struct, frozen=True):
    """One object for one cluster.

    Attributes:
        cluster: `management`, or the name of another cluster.
        manifest: The whole object, with status where we own it.
        is_status_only: The object belongs to others. Where it exists, the fields of `status` that
            are given are applied; it is never made, changed or rendered.
        is_part: The same of any fields: its family's `fit` says which of them are applied to the
            object that is there.
        rests_on: It is left out where one of these objects could not be written.
    """

    cluster: str
    manifest: Mapping[str, Any]
    is_status_only: bool = False
    is_part: bool = False
    rests_on: tuple[Ref, ...] = ()


class ProjectionInput(Struct, frozen=True):
    """What projections are made from: one committed tree.

    Attributes:
        applies_documents: People's documents are applied as objects, too, not the pools alone.
        withheld: What records hold that another one held before them, by their path.
        default_port: Of an endpoint that names none.
        metallb_pool: What the pool that we keep in a cluster is called, where its document names
            none.
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


def of_namespace(document: Document, documents: Documents) -> str:
    """The team of what can name none: its namespace."""
    del documents
    return document.namespace


def of_nobody(body: Mapping[str, Any]) -> tuple[str, str] | None:
    """What a family says whose documents name their owner by themselves."""
    return None


def names_nobody(_: Documents) -> Iterable[tuple[Document, tuple[str, ...], Key]]:
    """What names those who claim: nothing, in most families."""
    return ()


def as_named(record: Allocation, documents: Documents) -> Key:
    """The claim of a copied record where its text says all: the one that it was read as."""
    del documents
    return record.claim


class ClusterKind(Struct, frozen=True):
    """A kind whose objects stand for clusters, each called `namespace/name`.

    Attributes:
        homes: The namespaces in which the Secret with its kubeconfig may be, for the live object
            (None when there is none) and its namespace. A `ValueError` says what is wrong with
            the object.
    """

    resource: Resource
    homes: Callable[[Manifest | None, str], Iterable[str]]


def _nowhere_else(record: Allocation) -> str:
    del record
    return MANAGEMENT


def _nobody(manifest: Manifest) -> str | None:
    del manifest
    return None


def _nothing(world: ProjectionInput) -> Mapping[str, Sequence[IPRange]]:
    del world
    return {}


class Announcing(Struct, frozen=True):
    """What of a family clusters announce.

    Attributes:
        clusters: The kind whose objects stand for clusters.
        cluster_of: The cluster that announces the addresses of a record, by name. Without it
            that is the management cluster.
        announcer: The same told from a record's copy in the management cluster; None when it is of
            another family, or its addresses are not announced.
        announces: What each cluster but the management cluster announces, for the records given,
            by the cluster's name.
    """

    clusters: ClusterKind | None = None
    cluster_of: Callable[[Allocation], str] = _nowhere_else
    announcer: Callable[[Manifest], str | None] = _nobody
    announces: Callable[[ProjectionInput], Mapping[str, Sequence[IPRange]]] = _nothing


class Relocation(Struct, frozen=True):
    """What a document says of the place of its addresses: it changes when a claim moves.

    Attributes:
        steps: Where it names the pool.
        name: What it has to say there.
        pin: Where it may pin the range; empty where it cannot.
        ends: The fields of the first and the last address there. None where a claim that holds
            addresses needs no pin any more: it goes.
    """

    steps: tuple[str, ...]
    name: str
    pin: tuple[str, ...] = ()
    ends: tuple[str, str] | None = None


class Family(Struct, frozen=True):
    """A family.

    Attributes:
        name: First part of every key.
        kinds: The kinds of document that it reads, in each version. Their names differ.
        pool_kinds: Names of those that are pools. The first is meant where a record names none.
        slots: The kind of the owner that claims by each slot. A slot is of one family alone.
        grows: Slots that have numbered ones beside them, such as `nodes-2` beside `nodes`.
        judge: What contradicts itself in a document, whatever else there is; empty when nothing.
        read: Documents, records by claim and Settings to pools and claims. It looks at other
            documents than the one it reads by `find`, `every` and `matching` alone. With None for
            the records nobody looks at the claims: what is asked for is all that matters then.
        project: A committed tree to the objects of every cluster.
        record: How its records name pool and owner.
        adopt: The claim that a record stands for which names none, as one copied from a cluster,
            once all documents are known. `record.claim` is what its text alone says.
        relocate: What the document of a claim has to say so that the claim moves to a pool. None where a claim can have no two ranges announced at once, as it does
            while it moves without a break.
        team: The team of a document that claims, as its records name it.
        space: The namespace that a document asks for.
        meant: Whose claim a broken document may be, by namespace and name; "" where nobody can read
            it. None where it can be told by the words in it, or cannot be told at all.
        referring: Documents that name who claims, each with the field that does, and whose key.
        announcing: What clusters announce of it.
        objects: Its objects in clusters.
        metering: Its metrics.
        mending: How its documents can be changed if a claim is refused.
    """

    name: str
    kinds: tuple[Kind, ...]
    pool_kinds: tuple[str, ...]
    slots: Mapping[str, str]
    grows: tuple[str, ...]
    judge: Callable[[Document, Settings], list[Finding]]
    read: Reader
    project: Callable[[ProjectionInput], tuple[Projection, ...]]
    record: RecordForm
    adopt: Callable[[Allocation, Documents], Key] = as_named
    relocate: Callable[[Key, Key], Relocation] | None = None
    team: Callable[[Document, Documents], str] = of_namespace
    space: Callable[[Document], str] = lambda document: document.namespace
    meant: Callable[[Mapping[str, Any]], tuple[str, str] | None] = of_nobody
    referring: Callable[[Documents], Iterable[tuple[Document, tuple[str, ...], Key]]] = names_nobody
    announcing: Announcing = Announcing()
    objects: Objects = Objects()
    metering: FamilyMetrics = FamilyMetrics()
    mending: Mending = Mending()

    @property
    def moves(self) -> bool:
        """A claim of it can have two ranges announced at once, so that it moves without a break."""
        return self.relocate is not None
