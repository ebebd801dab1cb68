"""Objects that an import finds."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses.notation import format_address
from reconciler.addresses.ranges import IPRange
from reconciler.documents.findings import Finding, Location, error
from reconciler.families import families
from reconciler.families.importing import UID, Copied, ImportedList, copied
from reconciler.model.key import is_label, is_name
from reconciler.model.objects import Manifest, Resource

LOAD_BALANCER, NODES = "loadbalancer", "nodes"
DEFAULT_SPACE = "default"


class ImportedNetwork(NamedTuple):
    """A network that a source describes."""

    name: str
    extent: IPRange
    place: Location
    space: str = DEFAULT_SPACE
    windows: tuple[IPRange, ...] = ()


class Window(NamedTuple):
    """A range that a source gives out of, without saying who has it."""

    item: IPRange
    place: Location
    space: str = DEFAULT_SPACE


class ImportedRange(NamedTuple):
    """Somebody has a range.

    Attributes:
        said: What the source calls it, as it is written there.
        pool: The name of the pool that the source names; empty for none.
        is_cluster: The owner is a cluster that was read: it gets a document of its own.
        users: Who uses addresses of it, for people.
    """

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

    @property
    def owner(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def title(self) -> str:
        """`namespace/name`, for people."""
        return f"{self.namespace}/{self.name}"


class ImportedObject(NamedTuple):
    """An object of a cluster as a document."""

    folder: str
    namespace: str
    name: str
    body: dict[str, Any]
    place: Location


class ImportedSource(Struct, frozen=True):
    """All that was found.

    Attributes:
        named: MetalLB's pool of a cluster, by its owner, where that has not the usual name.
        notes: What was passed over, for people.
    """

    described: tuple[ImportedNetwork, ...] = ()
    windows: tuple[Window, ...] = ()
    holdings: tuple[ImportedRange, ...] = ()
    copies: tuple[ImportedObject, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    named: tuple[tuple[tuple[str, str], str, Location], ...] = ()
    notes: tuple[str, ...] = ()

    def with_more(self, other: "ImportedSource") -> "ImportedSource":
        """What two sources say."""
        return ImportedSource(
            (*self.described, *other.described),
            (*self.windows, *other.windows),
            (*self.holdings, *other.holdings),
            (*self.copies, *other.copies),
            (*self.conflicts, *other.conflicts),
            (*self.named, *other.named),
            (*self.notes, *other.notes),
        )


def conflict(place: Location, message: str, hint: str) -> Finding:
    """Something that a person has to decide: it is not guessed.

    Where no line tells the place, as in a JSON export, the message names the object.
    """
    if place.line == 0 and place.pointer and place.pointer not in message:
        message = f"{place.pointer}: {message}"
    return error("import-conflict", place, message, hint)


def kinds() -> tuple[Copied, ...]:
    """The kinds that are copied, of all families."""
    return tuple(item for family in families() for item in family.objects.copied)


def resources() -> tuple[Resource, ...]:
    """Where their objects are."""
    return tuple(item.intake.resource for item in kinds())


def copies_of(cluster: str, there: ImportedList) -> ImportedSource:
    """The documents of the objects of a cluster.

    Args:
        cluster: Its name, for places.
        there: Its objects by kind, in a shape that can be read.
    """
    copies: list[ImportedObject] = []
    notes: list[str] = []
    conflicts: list[Finding] = []
    for kind in kinds():
        for manifest in there.get(kind.intake.resource, ()):
            place = Location(f"cluster {cluster} {_title(kind, manifest)}")
            if why := kind.left(manifest, there):
                notes.append(f"{place}: left out, because {why}")
                continue
            try:
                copies.append(_copy(kind, manifest, there, place))
            except (KeyError, TypeError, AttributeError, ValueError):
                hint = "mend the object, or write its document by hand"
                conflicts.append(conflict(place, "no document can be made of it", hint))
    return ImportedSource(copies=tuple(copies), notes=tuple(notes), conflicts=tuple(conflicts))


def _title(kind: Copied, manifest: Manifest) -> str:
    return " ".join((kind.intake.kind, "/".join(_names(kind, manifest))))


def _names(kind: Copied, manifest: Manifest) -> Iterator[str]:
    metadata = manifest["metadata"]
    if kind.intake.resource.is_namespaced and metadata.get("namespace"):
        yield metadata["namespace"]
    yield metadata["name"]


def _copy(kind: Copied, manifest: Manifest, there: ImportedList, place: Location) -> ImportedObject:
    body = copied(manifest, kind.intake)
    metadata = dict(body["metadata"])
    # Who copies by hand wants the object to be told apart from a later one of its name; here it is
    # people's from now on.
    annotations = {key: it for key, it in metadata.pop("annotations").items() if key != UID}
    metadata |= {"annotations": annotations} if annotations else {}
    body = kind.amend({**body, "metadata": metadata}, manifest, there)
    namespace = metadata.get("namespace", "") if kind.intake.resource.is_namespaced else ""
    if not is_name(metadata["name"]) or not (namespace == "" or is_label(namespace)):
        raise ValueError(metadata["name"])  # it becomes the path of a file
    return ImportedObject(kind.folder, namespace, metadata["name"], body, place)


MAX_NAMING = 63
_OTHERS = re.compile(r"[^a-z0-9]+")
_HASH = 8


def slug(text: str) -> str:
    """The text as an RFC 1123 label; empty when nothing of it can be in one.

    A long one is cut, and ends in a hash of the whole, so that two of them stay two.
    """
    return fitted(_OTHERS.sub("-", text.casefold()).strip("-"))


def fitted(label: str) -> str:
    """A label, cut to the length that one may have."""
    if len(label) <= MAX_NAMING:
        return label
    marked = sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{label[: MAX_NAMING - _HASH - 1].rstrip('-')}-{marked}"


def by_address(word: str, item: IPRange, length: int | None = None) -> str:
    """A name for what has none: the word and its first address, and the length of a network."""
    address = _OTHERS.sub("-", format_address(item.version, item.first)).strip("-")
    return f"{word}-{address}" + (f"-{length}" if length is not None else "")
