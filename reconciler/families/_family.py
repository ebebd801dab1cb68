"""What a family is: a value holding functions, with no base class to inherit from."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents, Kind
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.model.state import Blocked

Identity = tuple[str, str, str, str]
Held = Mapping[Key, Allocation]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a family makes of its documents.

    Attributes:
        protected: Owners (family, kind, namespace, name) whose claims cannot be told, because
            something that they depend on is wrong or missing. They keep their records.
        broken: Pools that are described, but wrongly.
    """

    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    findings: tuple[Finding, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    protected: frozenset[Identity] = frozenset()
    broken: frozenset[Key] = frozenset()


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
    """

    documents: Documents
    reading: Reading
    records: tuple[Allocation, ...]
    usage: Mapping[Key, Usage]
    clock: str
    applies_documents: bool = False


# What a record's name has behind its owner's: type, number of growth, hash of a newcomer.
_ENDINGS = re.compile(r"(?:-(?:lb|nodes)(?:-[0-9]+)?(?:-[0-9a-f]{6})?)+\Z", re.ASCII)

EVERYWHERE = "*"
"""The address space of a range that bears on all of them."""


class Links(NamedTuple):
    """What a document bears on: names of things, and ranges of an address space.

    Documents that share a node, or whose ranges of one space overlap, are planned together.

    Attributes:
        default: A node that is meant when it exists, and the beginning of all nodes that could be
            meant when it does not; or None.
        is_shared: It bears on everything, as a team does.
    """

    nodes: tuple[str, ...]
    ranges: tuple[tuple[str, IPRange], ...] = ()
    default: tuple[str, str] | None = None
    is_shared: bool = False


def owner_node(claim: Key) -> str:
    """The node of the object that claims."""
    return f"{claim.kind} {claim.namespace}/{claim.name}"


def pool_node(pool: Key) -> str:
    """The node of a pool."""
    return f"{pool.kind} {pool.namespace}/{pool.name}"


def name_node(name: str) -> str:
    """The node of a record's name, which a tenant's record may bear, too."""
    # All endings, because the owner's own name may end like that of a record.
    ending = _ENDINGS.search(name)
    return f"name {name[: ending.start()] if ending else name}"


@dataclass(frozen=True, slots=True)
class Family:
    """A family.

    Attributes:
        name: First part of every key.
        kinds: The kinds of document that it reads.
        links: What a document bears on.
        read: Documents, records by claim and Settings to pools and claims.
        project: A committed tree to the objects of every cluster.
    """

    name: str
    kinds: tuple[Kind, ...]
    links: Callable[[Document], Links]
    read: Callable[[Documents, Held, Settings], Reading]
    project: Callable[[World], tuple[Projection, ...]]
