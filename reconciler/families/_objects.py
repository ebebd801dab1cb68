"""What a family is in clusters: its kinds there, its rights, and what it says of their objects.

All of it is a value beside the family's pure half; what is not given means nothing or nobody.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.families._importing import Copied, Writing
from reconciler.families._intake import Intake
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.right import Right
from reconciler.model.settings import Settings
from reconciler.model.shape import Check

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


class Happening(Struct, frozen=True):
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


class Fit(Struct, frozen=True):
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


class Standing(Struct, frozen=True):
    """What a listing is made from: the tree as it stands, not as planned.

    Attributes:
        clock: Date of the revision, in seconds since 1970.
    """

    documents: Documents
    usage: Mapping[Key, Usage]
    records: tuple[Allocation, ...]
    clock: int = 0


class Row(Struct, frozen=True):
    """A document that is listed, and what is known of it besides."""

    document: Document
    more: Any = None


class Column(Struct, frozen=True):
    """A column of a listing: its header, and the text of a row in it.

    Attributes:
        exact: The text in a wide table, where that is another one.
    """

    header: str
    cell: Callable[[Row], str]
    exact: Callable[[Row], str] | None = None


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
    rows: Callable[[Standing], Iterable[Row]]
    columns: tuple[Column, ...]
    wide: tuple[Column, ...] = ()
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
    intake: tuple[Intake, ...] = ()
    update_rules: tuple[UpdateRule, ...] = ()
    event: Callable[[Happening], Manifest | None] | None = None
    observes: tuple[Resource, ...] = ()
    observe: Callable[[Iterable[Pool], Lists], Mapping[Ref, Manifest]] | None = None
    fit: Callable[[Manifests, Manifests], Mapping[Ref, Fit]] | None = None
    asked: tuple[Resource, ...] = ()
    still_has: Callable[[Iterable[Allocation], Lists], Mapping[str, str]] | None = None
    listings: tuple[Listing, ...] = ()
    newcomer: Newcomer | None = None
    growers: Callable[[Documents, Settings], Iterable[Grower]] | None = None
    may_own: Callable[[Documents, str, str], bool] | None = None
    copied: tuple[Copied, ...] = ()
    writing: Writing | None = None
