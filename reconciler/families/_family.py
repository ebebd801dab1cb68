"""What a family is: a value holding functions, with no base class to inherit from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.document import Document, Documents, Identity, Kind
from reconciler.families._mending import Mending
from reconciler.families._metering import Metering
from reconciler.families._objects import Objects
from reconciler.families._record_form import RecordForm
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import METALLB_POOL, Settings
from reconciler.model.state import Blocked, ClusterNetwork, Gateway

DEFAULT_PORT = 6443
"""Of the endpoint of a Kubernetes API server."""

Held = Mapping[Key, Allocation]


class Reading(Struct, frozen=True):
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


Reader = Callable[[Documents, Held | None, Settings], Reading]


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
    reading: Reading
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
    metering: Metering = Metering()
    mending: Mending = Mending()

    @property
    def moves(self) -> bool:
        """A claim of it can have two ranges announced at once, so that it moves without a break."""
        return self.relocate is not None
