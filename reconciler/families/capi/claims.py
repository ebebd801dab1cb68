"""IPAddressClaims and manual ranges."""

import re
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses.ranges import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, Location
from reconciler.documents.yaml import Steps
from reconciler.families.capi.kinds import (
    ADDRESS,
    CLAIM,
    CLAIM_NAMES,
    CLUSTER,
    CONTROL_PLANE,
    GLOBAL_POOL,
    INGRESS,
    INGRESS_ENABLED,
    INGRESS_VIP,
    IPAM_GROUP,
    NAME,
    PAUSED,
    POOL,
)
from reconciler.families.capi.pools import Serves, pool_key, read_serves
from reconciler.families.fields import PREFIX, read_address
from reconciler.model.key import Key
from reconciler.model.objects import ADOPT

PINNED = f"{PREFIX}address"
"""The annotation by which a claim names its address."""


GIVEN = ("spec", "address")
"""Where an IPAddress names its address."""


class NamedSlot(Struct, frozen=True):
    """The Cluster, and the slot of it, that a claim is named for."""

    cluster: str
    slot: str


def claim_key(document: Document) -> Key:
    """The key of an IPAddressClaim's claim."""
    return Key(NAME, document.namespace, document.name, ADDRESS, CLAIM.kind)


def pool_of(document: Document) -> Key | None:
    """The pool that an IPAddressClaim or an IPAddress names; None for one of another provider."""
    reference = document.spec["poolRef"]
    kind, name = reference["kind"], reference["name"]
    if reference["apiGroup"] != IPAM_GROUP or kind not in (POOL.kind, GLOBAL_POOL.kind):
        return None
    return pool_key(kind, document.namespace if kind == POOL.kind else "", name)


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """The address that an IPAddressClaim names; None when it names none, or with a finding."""
    text = document.annotations().get(PINNED)
    if text is None:
        return None
    return read_address(document, ("metadata", "annotations", PINNED), text, found)


def read_given(document: Document, found: list[Finding]) -> IPRange | None:
    """The address of an IPAddress; None with a finding."""
    return read_address(document, GIVEN, document.spec["address"], found)


def named_for(name: str) -> NamedSlot | None:
    """What an object's name says: `vip-cp-<cluster>`, `vip-ingress-<cluster>`; else None."""
    for slot, prefix in CLAIM_NAMES.items():
        if name.startswith(prefix) and name != prefix:
            return NamedSlot(name.removeprefix(prefix), slot)
    return None


HOST = ("spec", "controlPlaneEndpoint", "host")
_ANNOTATION = ("metadata", "annotations", INGRESS_VIP)
_NUMBERS = re.compile(r"[0-9.]+|.*:.*", re.ASCII | re.DOTALL)


class ManualRange(Struct, frozen=True):
    """What somebody chose for a slot.

    Attributes:
        range: The address; None for a name of DNS.
        title: What it is called where it blocks others: namespace and name come first.
        source: Where it stands.
        field: The field in which it stands.
    """

    range: IPRange | None
    title: str
    source: Location
    field: str


def chosen(document: Document, slot: str, found: list[Finding]) -> ManualRange | None:
    """What a Cluster has by hand for a slot; None when it has nothing, or with a finding."""
    text, steps = _said(document, slot)
    if not text:
        return None
    field = str(steps[-2]) if slot == CONTROL_PLANE else INGRESS_VIP
    title = f"{document.namespace}/{document.name} ({field})"
    if not _NUMBERS.fullmatch(text):
        return ManualRange(None, title, document.at(*steps), field)
    item = read_address(document, steps, text, found)
    if item is None:
        return None
    return ManualRange(item, title, document.at(*steps), field)


def judge_chosen(document: Document, found: list[Finding]) -> None:
    """Findings about what a Cluster has by hand."""
    for slot in (CONTROL_PLANE, INGRESS):
        chosen(document, slot, found)


def is_adopted(document: Document) -> bool:
    """What stands there by hand was given out before, and is to be recorded."""
    return document.annotations().get(ADOPT) == "true"


def _said(document: Document, slot: str) -> tuple[str, Steps]:
    if slot == INGRESS:
        return document.annotations().get(INGRESS_VIP, "").strip(), _ANNOTATION
    endpoint = document.spec.get("controlPlaneEndpoint") or {}
    return endpoint.get("host", ""), HOST


class ClassRef(NamedTuple):
    """The ClusterClass that a Cluster is of."""

    namespace: str
    name: str


def class_of(document: Document) -> ClassRef | None:
    """The class that a Cluster names; None for one without topology, which claims nothing."""
    topology = document.spec.get("topology") or {}
    reference = topology.get("classRef") or {}
    name = topology.get("class") or reference.get("name")
    if not name:
        return None
    namespace = topology.get("classNamespace") or reference.get("namespace") or document.namespace
    return ClassRef(namespace, name)


def wants(document: Document, slot: str) -> bool:
    """A Cluster with topology asks for an address in a slot: for ingress unless it says `false`."""
    return slot != INGRESS or document.annotations().get(INGRESS_ENABLED) != "false"


def rests(document: Document) -> str:
    """Why a Cluster or a claim gets nothing new: `paused`, or `being deleted`; else empty."""
    if "deletionTimestamp" in document.metadata:
        return "being deleted"
    is_paused = PAUSED in document.annotations() or document.spec.get("paused", False)
    return "paused" if is_paused else ""


def variables_of(document: Document) -> frozenset[str]:
    """The names of the variables that a ClusterClass defines."""
    return frozenset(item["name"] for item in document.spec.get("variables") or ())


def cluster_named(document: Document, name: str, documents: Documents) -> Document | None:
    """The Cluster of a name in a document's namespace."""
    return documents.find(CLUSTER, document.namespace, name)


class Selected(Struct, frozen=True):
    """What labels select.

    Attributes:
        keys: The pools, in the order in which they are tried.
        unread: A file that may describe another one; empty when all can be told.
    """

    keys: tuple[Key, ...]
    unread: str


class Selector:
    """Finds the pools of Clusters. The labels of a pool are read once."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._serves: dict[Key, Serves] = {}
        self._selected: dict[tuple[str, str, str], Selected] = {}

    def select(self, namespace: str, class_: str, role: str) -> Selected:
        """The pools of a namespace, and those of all, that serve a class for a role.

        In the order of their names; of two of one name the namespace's own comes first.
        """
        asked = namespace, class_, role
        if asked not in self._selected:
            self._selected[asked] = self._select(*asked)
        return self._selected[asked]

    def _select(self, namespace: str, class_: str, role: str) -> Selected:
        found: list[Key] = []
        unread: list[str] = []
        for kind, space in ((POOL, namespace), (GLOBAL_POOL, "")):
            there = self._documents.matching(kind, space, {})
            found += [self._key(item) for item in there.documents if self._fits(item, class_, role)]
            unread += there.unread
        found.sort(key=lambda key: (key.name, key.kind != POOL.kind))
        return Selected(tuple(found), next(iter(unread), ""))

    def before(self, document: Document) -> tuple[Key, str, str] | None:
        """A pool that goes before this one for some class and role, with these; the first by name."""
        own = self._key(document)
        serves = self._told(document)
        found: list[tuple[str, bool, str, str, Key]] = []
        for class_ in sorted(serves.classes):
            for role in sorted(serves.roles):
                first = self.select(document.namespace, class_, role).keys[0]
                if first != own:
                    found.append((first.name, first.kind != POOL.kind, class_, role, first))
        if not found:
            return None
        _, _, class_, role, first = min(found)
        return first, class_, role

    def _told(self, document: Document) -> Serves:
        key = self._key(document)
        if key not in self._serves:
            self._serves[key] = read_serves(document, [])
        return self._serves[key]

    def _fits(self, document: Document, class_: str, role: str) -> bool:
        return self._told(document).fits(class_, role)

    @staticmethod
    def _key(document: Document) -> Key:
        return pool_key(document.kind.name, document.namespace, document.name)
