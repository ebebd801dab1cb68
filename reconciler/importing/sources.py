"""Objects and ranges that an import finds."""

import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import astuple, replace

from reconciler.addresses import IPRange, format_address
from reconciler.documents.findings import Finding, Location, error
from reconciler.families import families, importing
from reconciler.families.importing import UID, Copied, ImportedCluster, ImportedList, Writing
from reconciler.model.key import is_label, is_name
from reconciler.model.objects import Manifest, Resource
from reconciler.model.pool import DEFAULT_SPACE
from reconciler.planning.documents import Tree

LOAD_BALANCER, NODES = "loadbalancer", "nodes"
ROUTE, SERVICE, OUTSIDE = "announced in an aggregate", "in use", "in use without a load balancer"
"""Uses of a range by a cluster, for display. No pool of the cluster has the range."""


class Window(NamedTuple):
    """A range without an owner: free to allocate, or used by another system."""

    item: IPRange
    place: Location
    space: str = DEFAULT_SPACE
    use: str = "used by another system"


class ImportedObject(NamedTuple):
    """An object of a cluster as a document."""

    folder: str
    namespace: str
    name: str
    body: dict[str, Any]
    place: Location


class ImportedSource(Struct, frozen=True):
    """All results of the sources; `named` are pools in clusters with another name.

    `places` return the locations of objects of files, by the path of their locations.
    """

    described: tuple[importing.ImportedNetwork, ...] = ()
    windows: tuple[Window, ...] = ()
    holdings: tuple[importing.ImportedRange, ...] = ()
    copies: tuple[ImportedObject, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    named: tuple[tuple[tuple[str, str], str, Location], ...] = ()
    notes: tuple[str, ...] = ()
    reserved: tuple[Window, ...] = ()
    clusters: tuple[ImportedCluster, ...] = ()
    places: tuple[tuple[str, Callable[[], Location]], ...] = ()

    def with_more(self, *others: "ImportedSource") -> "ImportedSource":
        """Return the combination of several sources."""
        parts = zip(*map(astuple, (self, *others)), strict=True)
        return ImportedSource(*(tuple(it for part in parts_ for it in part) for parts_ in parts))

    def mapped(self, function: Callable[[Any], Iterable[Any]]) -> "ImportedSource":
        """Return the source with the results of a function of each part that has addresses."""
        fields = ("described", "windows", "reserved", "holdings")
        parts = {it: tuple(chain.from_iterable(map(function, getattr(self, it)))) for it in fields}
        return replace(self, **parts)


def conflict(place: Location, message: str, hint: str) -> Finding:
    """Return a finding that needs a decision. Without a line, the message names the object."""
    if place.line == 0 and place.pointer and place.pointer not in message:
        message = f"{place.pointer}: {message}"
    return error("import-conflict", place, message, hint)


def undecided(place: Location, message: str, hint: str) -> ImportedSource:
    """Return a source of which one conflict is known."""
    return ImportedSource(conflicts=(conflict(place, message, hint),))


def full_place(place: Location) -> str:
    """Return a location with its pointer, for notes and messages that name a second one."""
    return f"{place}{place.pointer}"


def kinds(writer: Writing | None = None) -> tuple[Copied, ...]:
    """Return the copied kinds of all families; with a writer, without families of other writers."""
    return tuple(
        item
        for family in families()
        if writer is None or family.objects.writing in (None, writer)
        for item in family.objects.copied
    )


def resources(writer: Writing | None = None) -> tuple[Resource, ...]:
    """Return the resources of their objects."""
    return tuple(item.intake.resource for item in kinds(writer))


def writing(tree: Tree) -> Writing:
    """Return the writer of the family of the repository's pools, or else of its source folders."""
    there = {it.kind.id for source in tree.sources for it in source.documents}
    every = [it for it in families() if it.objects.writing is not None]
    used = [
        it for it in every for kind in it.kinds if kind.name in it.pool_kinds and kind.id in there
    ]
    writers = [it.objects.writing for it in (*used, *every) if it.objects.writing is not None]
    if not used:
        writers.sort(key=lambda it: it.folder not in tree.settings.sources)
    return writers[0]


def copies_of(cluster: str, there: ImportedList, writer: Writing | None = None) -> ImportedSource:
    """Return the documents of the objects of a cluster, by kind and with a valid structure."""
    copies: list[ImportedObject] = []
    notes: list[str] = []
    conflicts: list[Finding] = []
    for kind in kinds(writer):
        for manifest in there.get(kind.intake.resource, ()):
            *_, namespace, name = kind.intake.identity(manifest)
            title = f"{namespace}/{name}" if namespace else name
            place = Location(f"{cluster} {kind.intake.kind} {title}")
            try:
                if why := kind.left(manifest, there):
                    notes.append(f"{place}: omitted, because {why}")
                    continue
                copies.append(_copy(kind, manifest, there, place))
            except (KeyError, TypeError, AttributeError, ValueError):
                hint = "correct the object, or write its document by hand"
                conflicts.append(conflict(place, "the object cannot become a document", hint))
    return ImportedSource(copies=tuple(copies), notes=tuple(notes), conflicts=tuple(conflicts))


def _copy(kind: Copied, manifest: Manifest, there: ImportedList, place: Location) -> ImportedObject:
    body = importing.copied(manifest, kind.intake)
    metadata = dict(body["metadata"])
    # Imported objects are managed in Git from now on, so they need no uid.
    annotations = {key: it for key, it in metadata.pop("annotations").items() if key != UID}
    metadata |= {"annotations": annotations} if annotations else {}
    body = kind.amend({**body, "metadata": metadata}, manifest, there)
    *_, namespace, name = kind.intake.identity(body)
    if not is_name(name) or not (namespace == "" or is_label(namespace)):
        raise ValueError(name)  # it becomes the path of a file
    return ImportedObject(kind.folder, namespace, name, body, place)


MAX_NAMING = 63
_OTHERS = re.compile(r"[^a-z0-9]+")
_HASH = 8


def slug(text: str) -> str:
    """Return the text as an RFC 1123 label; empty if no character is valid."""
    return fitted(_OTHERS.sub("-", normalize("NFC", text).casefold()).strip("-"))


def fitted(label: str) -> str:
    """Return a label; if it is too long, its start and a hash of the whole."""
    if len(label) <= MAX_NAMING:
        return label
    marked = sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{label[: MAX_NAMING - _HASH - 1].rstrip('-')}-{marked}"


def by_address(word: str, item: IPRange, length: int | None = None) -> str:
    """Return a generated name: the word, its first address, and the prefix length of a network."""
    address = _OTHERS.sub("-", format_address(item.version, item.first)).strip("-")
    return fitted(f"{word}-{address}" + (f"-{length}" if length is not None else ""))
