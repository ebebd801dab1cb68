"""What a family is: a value holding functions, with no base class to inherit from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reconciler.addresses import IPSet
from reconciler.documents.document import Document, Documents, Identity, Kind
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.model.state import Blocked

Held = Mapping[Key, Allocation]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a family makes of its documents.

    Attributes:
        protected: Owners (family, kind, namespace, name) whose claims cannot be told, because
            something that they depend on is wrong or missing. They keep their records.
        frozen: Pools that give nothing new, because their document cannot be read, with the path
            of its file. They are among `pools` when their document could be read before.
    """

    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    findings: tuple[Finding, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    protected: frozenset[Identity] = frozenset()
    frozen: Mapping[Key, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Projection:
    """One object for one cluster.

    Attributes:
        cluster: `management`, or `<namespace>/<name>` of a TenantCluster.
        manifest: The whole object, with status where we own it.
        is_status_only: The object belongs to others. Where it exists, the fields of `status` that
            are given are applied; it is never made, changed or rendered.
    """

    cluster: str
    manifest: Mapping[str, Any]
    is_status_only: bool = False


@dataclass(frozen=True, slots=True)
class World:
    """What projections are made from: one committed tree.

    Attributes:
        applies_documents: People's documents are applied as objects, too, not the pools alone.
        withheld: What records hold that another one held before them, by their path.
    """

    documents: Documents
    reading: Reading
    records: tuple[Allocation, ...]
    usage: Mapping[Key, Usage]
    clock: str
    applies_documents: bool = False
    withheld: Mapping[str, IPSet] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Family:
    """A family.

    Attributes:
        name: First part of every key.
        kinds: The kinds of document that it reads.
        judge: What contradicts itself in a document, whatever else there is; empty when nothing.
        read: Documents, records by claim and Settings to pools and claims. It looks at other
            documents than the one it reads by `find` and `every` alone.
        project: A committed tree to the objects of every cluster.
    """

    name: str
    kinds: tuple[Kind, ...]
    judge: Callable[[Document, Settings], list[Finding]]
    read: Callable[[Documents, Held, Settings], Reading]
    project: Callable[[World], tuple[Projection, ...]]
