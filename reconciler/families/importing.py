"""Import and intake of cluster objects."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.document import Documents, GroupKind, Identity, Kind
from reconciler.documents.findings import Location
from reconciler.documents.validators import schema
from reconciler.loadbalancers.interface import ImportedPool
from reconciler.model import objects
from reconciler.model.key import Key
from reconciler.model.objects import Manifest, Resource
from reconciler.model.pool import DEFAULT_SPACE

UID = f"{objects.PREFIX}uid"
"""The annotation of a copy with the uid of its object."""

_MANAGERS = (objects.MANAGER, objects.STATUS_MANAGER, objects.PART_MANAGER)
Part = Mapping[str, Any]
ImportedBody = dict[str, Any]
ImportedList = dict[Resource, list[Manifest]]
"""The objects of one cluster, by kind."""


class IntakeKind(Struct, frozen=True):
    """A kind whose objects can exist only in the management cluster.

    `lacks` is the effect of an object that is not in Git, singular and plural. Without a document
    of `pool`, no object is imported. Another controller serves objects that are `is_others`.
    `amend` returns a copy with values in other fields.
    """

    resource: Resource
    family_kinds: tuple[Kind, ...]
    lacks: tuple[str, str] = ("", "")
    pool: Callable[[Manifest], Identity | None] = lambda _: None
    is_others: Callable[[Manifest], bool] = lambda _: False
    amend: Callable[[ImportedBody, Manifest], ImportedBody] = lambda body, _: body

    @property
    def kind(self) -> str:
        """The name in Settings."""
        return self.resource.kind

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Its document kinds, in each version."""
        return tuple(kind for kind in self.family_kinds if kind.name == self.kind)

    def identity(self, manifest: Manifest) -> Identity:
        """Return the identity of an object's document."""
        metadata = manifest["metadata"]
        namespace = metadata.get("namespace", "") if self.resource.is_namespaced else ""
        return self.resource.group, self.resource.kind, namespace, metadata["name"]


def copied(manifest: Manifest, intake: IntakeKind) -> ImportedBody:
    """Return the document of a live object, in the version that has most of its fields."""
    asked = _without_ours(manifest)
    bodies = []
    for kind in intake.kinds:
        parts = schema(kind.schema)["properties"]
        metadata = _kept(asked["metadata"], parts["metadata"], is_spec=False)
        body = {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata}
        spec = _kept(asked.get("spec"), parts["spec"], is_spec=True)
        bodies.append({**body, "spec": spec} if spec else body)
    body = intake.amend(max(bodies, key=_leaves), asked)
    return annotated(body, {UID: manifest["metadata"]["uid"]})


def annotated(body: ImportedBody, more: Mapping[str, str]) -> ImportedBody:
    """Return a document with additional annotations."""
    metadata = body["metadata"]
    annotations = {**(metadata.get("annotations") or {}), **more}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def _kept(value: Any, part: Part, *, is_spec: bool) -> Any:
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
            # Servers add defaults and empty values. An annotation can be meaningful without one.
            default = inner.get("default", ...)
            is_default = item == "" or (item == default and type(item) is type(default))
            if not (item is None or item == {} or (is_spec and is_default)):
                found[field] = item
    return found


def _leaves(value: Any) -> int:
    if isinstance(value, Mapping | list):
        return sum(map(_leaves, value.values() if isinstance(value, Mapping) else value))
    return 1


def _without_ours(manifest: Manifest) -> Manifest:
    ours: list[Part] = []
    others: list[Part] = []
    for entry in manifest["metadata"].get("managedFields") or ():
        side = ours if entry.get("manager") in _MANAGERS else others
        side.append(entry.get("fieldsV1") or {})
    return _less(manifest, ours, others) if ours else manifest


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
    found = (tree[step] for tree in trees if step in tree)
    return [inner if isinstance(inner, Mapping) else {} for inner in found]


def being_deleted(manifest: Manifest, _: ImportedList | None = None) -> str:
    """Return why an object is not copied if it is being deleted; else empty."""
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def made_of_record(manifest: Manifest) -> str:
    """Return why an object is not copied if `ipam` created it; else empty."""
    is_ours = (manifest["metadata"].get("labels") or {}).get(objects.OWNER_LABEL)
    return "ipam created it from a record of another repository" if is_ours else ""


class Copied(Struct, frozen=True):
    """A kind whose objects are copied to a source folder; `left` returns why one is not copied."""

    intake: IntakeKind
    folder: str
    left: Callable[[Manifest, ImportedList], str] = lambda *_: ""
    amend: Callable[[ImportedBody, Manifest, ImportedList], ImportedBody] = lambda body, *_: body


class ImportedNetwork(NamedTuple):
    """A network in a source, or a pool to write; `is_full` if existing addresses fill it.

    No source describes one that `is_found`: it surrounds addresses in use. `users` have reserved ranges.
    """

    name: str
    extent: IPRange
    place: Location
    space: str = DEFAULT_SPACE
    windows: tuple[IPRange, ...] = ()
    is_full: bool = False
    reserved: tuple[IPRange, ...] = ()
    is_found: bool = False
    users: tuple[tuple[str, IPSet], ...] = ()


class ImportedRange(NamedTuple):
    """A range with an owner, as written in the source (`said`), whose type might be a default."""

    namespace: str
    name: str
    type: str
    item: IPRange
    place: Location
    team: str = ""
    said: str = ""
    pool: str = ""
    space: str = DEFAULT_SPACE
    is_cluster: bool = False
    users: tuple[str, ...] = ()
    is_typed: bool = False

    @property
    def owner(self) -> tuple[str, str]:
        """Return namespace and name."""
        return self.namespace, self.name

    @property
    def title(self) -> str:
        """Return `namespace/name`, for display."""
        return "/".join(filter(None, self.owner))


class ImportedCluster(NamedTuple):
    """A cluster and the pools of its controller; `uid` and `namespace` can be empty."""

    name: str
    uid: str
    controller: str
    namespace: str
    pools: tuple[ImportedPool, ...]
    place: Location


EntryWriting = Callable[
    [ImportedCluster, Sequence[tuple[ImportedPool, Sequence[str]]]], ImportedBody
]
"""Returns a cluster with an entry for each of its pools, with the names of pools in Git."""


class Writing(Struct, frozen=True):
    """Writer of a family's documents; `kind` is the kind of its clusters.

    `versions` are the IP versions of its pools. `pin` gets the name of the request; requests are in
    `folder`. `limit` and `ranges` are the places of a pool's capacity limit and addresses.

    With `entries`, all pools of a cluster become entries of its document. Else a cluster is a tenant
    with one managed pool: `cluster` gets its provider and this pool, empty for the default.
    `provider_of` is empty if no provider serves. `annotation` names the managed pool, and `external`
    is the annotation for requests of other owners. `unserved` yields notes about ranges in pools that the
    provider of their owner does not serve.
    """

    kind: GroupKind
    versions: tuple[int, ...]
    pool_key: Callable[[str], Key]
    pool: Callable[[ImportedNetwork], ImportedBody]
    pin: Callable[[ImportedRange, str], ImportedBody]
    request_name: Callable[[tuple[str, str], str], str]
    folder: str
    limit: str
    ranges: str
    entries: EntryWriting | None = None
    cluster: Callable[[ImportedRange, str, str], ImportedBody] = lambda *_: {}
    provider: Callable[[str, Iterable[str]], ImportedBody] = lambda *_: {}
    provider_of: Callable[[Documents, Iterable[str]], str] = lambda *_: ""
    annotation: str = ""
    external: tuple[str, str] = ("", "")
    unserved: Callable[[Documents, Iterable[ImportedRange]], Iterable[str]] = lambda *_: ()
