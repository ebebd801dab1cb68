"""Import and intake of cluster objects."""

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from msgspec import Struct

from reconciler.addresses.ranges import IPRange
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
"""The annotation of a copy that names the uid of its object."""

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
    """A kind whose objects may live in the management cluster alone.

    Attributes:
        resource: Where its objects are.
        kinds: What its documents are, in each version.
        lacks: What an object lacks that is not in Git: of one, and of several; empty for nothing.
        pool: The pool that an object names. Of one that nobody describes it is not ours.
        is_others: Somebody else serves an object already: it asks nothing of us.
        amend: The copy with what an object says in other words.
    """

    resource: Resource
    kinds: tuple[Kind, ...]
    lacks: tuple[str, str] = ("", "")
    pool: Callable[[Manifest], Identity | None] = _of_nobody
    is_others: Callable[[Manifest], bool] = _to_nobody
    amend: Callable[[dict[str, Any], Manifest], dict[str, Any]] = _intake_as_it_is

    @property
    def kind(self) -> str:
        """Its name, as Settings name it."""
        return self.resource.kind

    def identity(self, manifest: Manifest) -> Identity:
        """What the document of an object is known by."""
        metadata = manifest["metadata"]
        namespace = metadata.get("namespace", "") if self.resource.is_namespaced else ""
        return self.resource.group, self.resource.kind, namespace, metadata["name"]


def copied(manifest: Manifest, intake: IntakeKind) -> dict[str, Any]:
    """The document of a live object: identity, uid, and what is read of its kind.

    Behind the border all versions of a kind have one name. The document is of the version of which
    the object has the most fields; of the oldest among equals.
    """
    asked = _without_ours(manifest)
    bodies = [_document(asked, kind) for kind in intake.kinds]
    body = intake.amend(max(bodies, key=_leaves), asked)
    metadata = body["metadata"]
    annotations = {**(metadata.get("annotations") or {}), UID: manifest["metadata"]["uid"]}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def _document(manifest: Manifest, kind: Kind) -> dict[str, Any]:
    """What one version of a kind reads of an object."""
    parts = schema(kind.schema)["properties"]
    metadata = _kept(manifest["metadata"], parts["metadata"], is_spec=False)
    body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
    spec = _kept(manifest.get("spec"), parts["spec"], is_spec=True)
    return {**body, "spec": spec} if spec else body


def _kept(value: Any, part: Part, *, is_spec: bool) -> Any:
    """The part of a value that its schema lists. A scalar of another type stays: it is refused."""
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
            # Servers fill in what nobody wrote; an annotation may count without a value.
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
    """The object without the fields that we wrote and nobody else did."""
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
    """What trees of fields say below a step; an empty one for a leaf."""
    found = (tree[step] for tree in trees if step in tree)
    return [inner if isinstance(inner, Mapping) else {} for inner in found]


ImportedBody = dict[str, Any]
ImportedList = dict[Resource, list[Manifest]]
"""The objects of one cluster, by kind."""


class Network(Struct, frozen=True):
    """A pool to be written.

    Attributes:
        windows: What it gives out; none for the whole network.
        is_full: It holds what lives and nothing else, so that no gate may stop it.
    """

    name: str
    extent: IPRange
    space: str
    windows: tuple[IPRange, ...] = ()
    is_full: bool = False


class Pin(Struct, frozen=True):
    """A range that somebody has, to be written as a request of that very range.

    Attributes:
        owner: Namespace and name of who has it.
        name: Of the request.
    """

    owner: tuple[str, str]
    team: str
    type: str
    pool: str
    item: IPRange
    name: str


class ImportedCluster(Struct, frozen=True):
    """A cluster to be written as a document.

    Attributes:
        size: How many addresses its own claim has; 0 for none.
        metallb_pool: Its pool of MetalLB, where that has not the usual name.
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
        folder: The source folder that its documents usually stand in.
        left: Why an object is not copied, by all that the cluster holds; empty when it is.
        amend: The document with what the cluster says elsewhere.
    """

    intake: IntakeKind
    folder: str
    left: Callable[[Manifest, ImportedList], str] = _wanted
    amend: Callable[[ImportedBody, Manifest, ImportedList], ImportedBody] = _importing_as_it_is


class Writing(Struct, frozen=True):
    """How a family writes what lives elsewhere.

    Attributes:
        pool_title: What its pools are called.
        cluster_title: What its clusters are called.
        version: The IP version that they hold.
        pool_key: The key of a pool that is written, by its name.
        pool: The document of a pool.
        pin: The document of a request of a range.
        cluster: The document of a cluster.
        provider: The document that says which pools serve clusters, by its name and theirs.
        provider_of: The name of such a document that is there and serves from all of some pools,
            or empty.
        request_name: What the request of an owner's first range of a type is called, so that it
            stands for the claim that the owner has of itself.
        is_there: Somebody describes a cluster.
        annotation: What a cluster's document names its pool of MetalLB by.
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
