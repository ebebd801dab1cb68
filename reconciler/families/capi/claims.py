"""IPAddressClaims and manual ranges."""

import re
from typing import NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
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
"""The annotation by which a claim pins its address."""


GIVEN = ("spec", "address")
"""The field with the address of an IPAddress."""


class NamedSlot(Struct, frozen=True):
    """A slot of a Cluster, as derived from a claim's name."""

    cluster: str
    slot: str


def claim_key(document: Document) -> Key:
    """Return the key of an IPAddressClaim's claim."""
    return Key(NAME, document.namespace, document.name, ADDRESS, CLAIM.kind)


def pool_of(document: Document) -> Key | None:
    """Return the pool of an IPAddressClaim or IPAddress; None for a pool of another provider."""
    reference = document.spec["poolRef"]
    kind, name = reference["kind"], reference["name"]
    if reference["apiGroup"] != IPAM_GROUP or kind not in (POOL.kind, GLOBAL_POOL.kind):
        return None
    return pool_key(kind, document.namespace if kind == POOL.kind else "", name)


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the address that an IPAddressClaim pins; None if absent or invalid."""
    text = document.annotations().get(PINNED)
    if text is None:
        return None
    return read_address(document, ("metadata", "annotations", PINNED), text, found)


def read_given(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the address of an IPAddress; None if invalid."""
    return read_address(document, GIVEN, document.spec["address"], found)


def named_for(name: str) -> NamedSlot | None:
    """Return the slot in a name `vip-cp-<cluster>` or `vip-ingress-<cluster>`; else None."""
    for slot, prefix in CLAIM_NAMES.items():
        if name.startswith(prefix) and name != prefix:
            return NamedSlot(name.removeprefix(prefix), slot)
    return None


HOST = ("spec", "controlPlaneEndpoint", "host")
_ANNOTATION = ("metadata", "annotations", INGRESS_VIP)
_NUMBERS = re.compile(r"[0-9.]+|.*:.*", re.ASCII | re.DOTALL)


class ManualRange(Struct, frozen=True):
    """A manually chosen address of a slot.

    Attributes:
        range: The address; None for a DNS name.
        title: The title in findings of other claims, which begins with namespace and name.
        source: The location of the field.
        field: The field.
    """

    range: IPRange | None
    title: str
    source: Location
    field: str


def chosen(document: Document, slot: str, found: list[Finding]) -> ManualRange | None:
    """Return the manual address of a Cluster for a slot; None if absent or invalid."""
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
    """Add findings about the manual addresses of a Cluster."""
    for slot in (CONTROL_PLANE, INGRESS):
        chosen(document, slot, found)


def is_adopted(document: Document) -> bool:
    """Return whether manual addresses were allocated earlier, and must be recorded."""
    return document.annotations().get(ADOPT) == "true"


def _said(document: Document, slot: str) -> tuple[str, Steps]:
    if slot == INGRESS:
        return document.annotations().get(INGRESS_VIP, "").strip(), _ANNOTATION
    endpoint = document.spec.get("controlPlaneEndpoint") or {}
    return endpoint.get("host", ""), HOST


class ClassRef(NamedTuple):
    """The ClusterClass of a Cluster."""

    namespace: str
    name: str


def class_of(document: Document) -> ClassRef | None:
    """Return the class of a Cluster; None without topology.

    Clusters without a class claim nothing.
    """
    topology = document.spec.get("topology") or {}
    reference = topology.get("classRef") or {}
    name = topology.get("class") or reference.get("name")
    if not name:
        return None
    namespace = topology.get("classNamespace") or reference.get("namespace") or document.namespace
    return ClassRef(namespace, name)


def wants(document: Document, slot: str) -> bool:
    """Return whether a Cluster requests an address for a slot.

    A Cluster with topology requests one, except for ingress if the variable is `false`.
    """
    return slot != INGRESS or document.annotations().get(INGRESS_ENABLED) != "false"


def rests(document: Document) -> str:
    """Return why a Cluster or claim gets nothing new: `paused` or `being deleted`; else empty."""
    if "deletionTimestamp" in document.metadata:
        return "being deleted"
    is_paused = PAUSED in document.annotations() or document.spec.get("paused", False)
    return "paused" if is_paused else ""


def variables_of(document: Document) -> frozenset[str]:
    """Return the names of the variables that a ClusterClass defines."""
    return frozenset(item["name"] for item in document.spec.get("variables") or ())


def cluster_named(document: Document, name: str, documents: Documents) -> Document | None:
    """Return the Cluster of a name in a document's namespace."""
    return documents.find(CLUSTER, document.namespace, name)


class Selected(Struct, frozen=True):
    """Pools that match labels.

    Attributes:
        keys: The pools, in the order in which they are tried.
        unread: An unreadable file that might describe another pool; empty if there is none.
    """

    keys: tuple[Key, ...]
    unread: str


class Selector:
    """Selector of pools for Clusters. It parses the labels of each pool once."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._serves: dict[Key, Serves] = {}
        self._selected: dict[tuple[str, str, str], Selected] = {}

    def select(self, namespace: str, class_: str, role: str) -> Selected:
        """Return the namespaced and global pools that serve a class for a role.

        The order is by name. If two pools have one name, the namespaced pool is first.
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
        """Return the first pool by name that precedes this one, with class and role."""
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
