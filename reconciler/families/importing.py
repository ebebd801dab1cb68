"""Import and intake of cluster objects."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Documents, Identity, Kind
from reconciler.documents.validators import schema
from reconciler.model.key import Key
from reconciler.model.objects import (
    MANAGER,
    PART_MANAGER,
    PREFIX,
    STATUS_MANAGER,
    Manifest,
    Resource,
)

UID = f"{PREFIX}uid"
"""The annotation of a copy with the uid of its object."""

_MANAGERS = (MANAGER, STATUS_MANAGER, PART_MANAGER)
_NOTHING = object()
Part = Mapping[str, Any]


def _of_nobody(manifest: Manifest) -> Identity | None:
    del manifest
    return None


def _to_nobody(manifest: Manifest) -> bool:
    del manifest
    return False


def _intake_as_it_is(body: dict[str, Any], manifest: Manifest) -> dict[str, Any]:
    del manifest
    return body


class IntakeKind(Struct, frozen=True):
    """A kind whose objects can exist only in the management cluster.

    Attributes:
        resource: The resource of its objects.
        kinds: Its document kinds, in each version.
        lacks: The effect of an object that is not in Git, in singular and plural; empty for none.
        pool: The pool that an object names. If no document describes it, the object is not
            imported.
        is_others: Whether another controller already serves the object, so it makes no request.
        amend: Returns the copy with values of the object in other fields.
    """

    resource: Resource
    kinds: tuple[Kind, ...]
    lacks: tuple[str, str] = ("", "")
    pool: Callable[[Manifest], Identity | None] = _of_nobody
    is_others: Callable[[Manifest], bool] = _to_nobody
    amend: Callable[[dict[str, Any], Manifest], dict[str, Any]] = _intake_as_it_is

    @property
    def kind(self) -> str:
        """The name in Settings."""
        return self.resource.kind

    def identity(self, manifest: Manifest) -> Identity:
        """Return the identity of an object's document."""
        metadata = manifest["metadata"]
        namespace = metadata.get("namespace", "") if self.resource.is_namespaced else ""
        return self.resource.group, self.resource.kind, namespace, metadata["name"]


def copied(manifest: Manifest, intake: IntakeKind) -> dict[str, Any]:
    """Return the document of a live object: identity, uid, and the known fields of its kind.

    All versions of a kind have one resource name. The document uses the version with the most
    fields of the object; among equals, the oldest.
    """
    asked = _without_ours(manifest)
    bodies = [_document(asked, kind) for kind in intake.kinds]
    body = intake.amend(max(bodies, key=_leaves), asked)
    metadata = body["metadata"]
    annotations = {**(metadata.get("annotations") or {}), UID: manifest["metadata"]["uid"]}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def _document(manifest: Manifest, kind: Kind) -> dict[str, Any]:
    """Return the fields of an object that one version of a kind knows."""
    parts = schema(kind.schema)["properties"]
    metadata = _kept(manifest["metadata"], parts["metadata"], is_spec=False)
    body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
    spec = _kept(manifest.get("spec"), parts["spec"], is_spec=True)
    return {**body, "spec": spec} if spec else body


def _kept(value: Any, part: Part, *, is_spec: bool) -> Any:
    """Return the part of a value that its schema lists.

    A scalar of another type stays, so that validation refuses it.
    """
    if isinstance(value, list):
        return [_kept(item, part["items"], is_spec=is_spec) for item in value if "items" in part]
    if isinstance(value, float):
        return Decimal(str(value))
    if not isinstance(value, Mapping):
        return value
    found = {}
    for field, inner in part.get("properties", {}).items():
        if field in value and not inner.get("x-unread"):
            item = _kept(value[field], inner, is_spec=is_spec)
            # Servers add defaults and empty values. An annotation can be meaningful without a
            # value.
            if not _is_empty(item) and not (is_spec and _is_default(item, inner)):
                found[field] = item
    return found


def _is_empty(item: Any) -> bool:
    return item is None or item == {}


def _is_default(item: Any, part: Part) -> bool:
    default = part.get("default", _NOTHING)
    return item == "" or (item == default and type(item) is type(default))


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_leaves, value.values()))
    if isinstance(value, list):
        return sum(map(_leaves, value))
    return 1


def _without_ours(manifest: Manifest) -> Manifest:
    """Return the object without fields that only `ipam` owns."""
    entries = manifest["metadata"].get("managedFields") or ()
    ours = [entry.get("fieldsV1") or {} for entry in entries if entry.get("manager") in _MANAGERS]
    if not ours:
        return manifest
    others = [
        entry.get("fieldsV1") or {} for entry in entries if entry.get("manager") not in _MANAGERS
    ]
    return _less(manifest, ours, others)


def _less(value: Mapping[str, Any], ours: Iterable[Part], others: Iterable[Part]) -> dict[str, Any]:
    found = dict(value)
    for field, item in value.items():
        step = f"f:{field}"
        mine, theirs = _under(step, ours), _under(step, others)
        if isinstance(item, Mapping) and any(mine):
            found[field] = _less(item, mine, theirs)
        elif mine and not theirs:
            del found[field]
    return found


def _under(step: str, trees: Iterable[Part]) -> list[Part]:
    """Return the subtrees of field trees below a step; an empty subtree for a leaf."""
    found = (tree[step] for tree in trees if step in tree)
    return [inner if isinstance(inner, Mapping) else {} for inner in found]


ImportedBody = dict[str, Any]
ImportedList = dict[Resource, list[Manifest]]
"""The objects of one cluster, by kind."""


class Network(Struct, frozen=True):
    """A pool to write.

    Attributes:
        windows: Its allocatable ranges; none for the whole network.
        is_full: Whether it contains only existing addresses, so that no capacity limit applies.
    """

    name: str
    extent: IPRange
    space: str
    windows: tuple[IPRange, ...] = ()
    is_full: bool = False


class Pin(Struct, frozen=True):
    """An existing range to write as a request that pins it.

    Attributes:
        owner: Namespace and name of the owner.
        name: The name of the request.
    """

    owner: tuple[str, str]
    team: str
    type: str
    pool: str
    item: IPRange
    name: str


class ImportedCluster(Struct, frozen=True):
    """A cluster to write as a document.

    Attributes:
        size: The number of addresses of its own claim; 0 for none.
        metallb_pool: Its MetalLB pool, if its name is not the default.
    """

    owner: tuple[str, str]
    team: str
    provider: str
    size: int
    metallb_pool: str = ""


def _wanted(manifest: Manifest, there: ImportedList) -> str:
    del manifest, there
    return ""


def _importing_as_it_is(
    body: ImportedBody, manifest: Manifest, there: ImportedList
) -> ImportedBody:
    del manifest, there
    return body


class Copied(Struct, frozen=True):
    """A kind whose objects are copied from a cluster as documents.

    Attributes:
        folder: The default source folder of its documents.
        left: Returns why an object is not copied, given all objects; empty if it is copied.
        amend: Returns the document with values from other objects of the cluster.
    """

    intake: IntakeKind
    folder: str
    left: Callable[[Manifest, ImportedList], str] = _wanted
    amend: Callable[[ImportedBody, Manifest, ImportedList], ImportedBody] = _importing_as_it_is


class Writing(Struct, frozen=True):
    """Writer of a family's documents.

    Attributes:
        pool_title: The title of its pools.
        cluster_title: The title of its clusters.
        version: The IP version.
        pool_key: Returns the key of a pool by name.
        pool: Returns the document of a pool.
        pin: Returns the document of a request for a range.
        cluster: Returns the document of a cluster.
        provider: Returns the document that assigns pools to clusters, by its name and their names.
        provider_of: Returns the name of an existing document that serves from all of some pools, or
            empty.
        request_name: Returns the name of the request for an owner's first range of a type, so that
            it replaces the owner's own claim.
        is_there: Returns whether a document describes a cluster.
        annotation: The annotation of a cluster's document that names its MetalLB pool.
    """

    pool_title: str
    cluster_title: str
    version: int
    pool_key: Callable[[str], Key]
    pool: Callable[[Network], ImportedBody]
    pin: Callable[[Pin], ImportedBody]
    cluster: Callable[[ImportedCluster], ImportedBody]
    provider: Callable[[str, Iterable[str]], ImportedBody]
    provider_of: Callable[[Documents, Iterable[str]], str]
    request_name: Callable[[tuple[str, str], str], str]
    is_there: Callable[[Documents, str, str], bool]
    annotation: str
