"""Documents, their kinds, and places."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import force_setattr

from reconciler.documents import yaml
from reconciler.documents.findings import Location

Identity = tuple[str, str, str, str]
"""API group, kind, namespace, name."""


class GroupKind(NamedTuple):
    """The API group and name of a kind, independent of its version."""

    group: str
    kind: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document in one version of its API; `id` is equal for all versions.

    Attributes:
        schema: File of its JSON Schema below `schemas/`, or `package:file` of a family.
        default_namespace: None for cluster-scoped kinds.
        role: `provider` or `team` for documents that define permissions of others; else empty.
        longest: The most characters of a name with dots; 0 if names are RFC 1123 labels.
        adopts: Whether documents keep cluster-set fields of a manifest in `copied`.
    """

    api_version: str
    name: str
    schema: str
    default_namespace: str | None
    role: str = ""
    adopts: bool = False
    longest: int = 0
    id: GroupKind = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        group, _, _ = self.api_version.rpartition("/")
        object.__setattr__(self, "id", GroupKind(group, self.name))


class Document(Struct, frozen=True, gc=False):
    """A document of a known kind that is valid by its schema.

    Attributes:
        index: Position in its file, from 0.
        span: Start and end in the file, in characters.
        body: The document without fields that only a cluster sets.
        unread: The broken file that this earlier version replaces, or empty.
        identity: API group, kind, namespace, and name: all versions of a group share one object.
        twice: The file of a later description of the same object, or empty.
        copied: Unvalidated `status` and `creationTimestamp`.
    """

    path: str
    index: int
    line: int
    kind: Kind
    namespace: str
    name: str
    body: Mapping[str, Any]
    data: bytes
    unread: str = ""
    twice: str = ""
    copied: Mapping[str, Any] = MappingProxyType({})
    span: tuple[int, int] = (0, 0)
    identity: Identity = ("", "", "", "")

    def __post_init__(self) -> None:
        force_setattr(self, "identity", (*self.kind.id, self.namespace, self.name))

    @property
    def doubt(self) -> str:
        """Return the file that prevents new results from this document; empty if there is none."""
        return self.unread or self.twice

    def at(self, *steps: str | int, key: bool = False) -> Location:
        """Return the location of a value or its key, else of its closest existing ancestor."""
        if self.unread:
            return Location(self.unread, 1, 1)
        line, column = _places(self.data, self.line, self.span).of(steps, key=key)
        return Location(self.path, line, column, pointer(steps))

    @property
    def file(self) -> str:
        """Return the file in the tree that contains the document, or that it replaces."""
        return self.unread or self.path

    @property
    def start(self) -> Location:
        """Return the location of the start of the document."""
        return Location(self.file, 1 if self.unread else self.line, 1)

    @property
    def spec(self) -> Mapping[str, Any]:
        """Return the spec; empty if the document has none."""
        spec = self.body.get("spec")
        return spec if isinstance(spec, dict) else {}

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return the metadata."""
        metadata: Mapping[str, Any] = self.body["metadata"]
        return metadata

    def annotations(self) -> Mapping[str, str]:
        """Return the annotations."""
        return self.metadata.get("annotations") or {}

    def labels(self) -> Mapping[str, str]:
        """Return the labels."""
        return self.metadata.get("labels") or {}

    @property
    def title(self) -> str:
        """Return `kind namespace/name` for messages."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind.name} {name}"


def value_at(body: Any, *steps: str | int) -> Any:
    """Return a value inside a document that no schema has checked; None if it is not there."""
    for step in steps:
        if isinstance(step, int):
            body = body[step] if isinstance(body, list) and step < len(body) else None
        else:
            body = body.get(step) if isinstance(body, Mapping) else None
    return body


def text_at(body: Any, *steps: str) -> str:
    """Return a text inside such a document; empty for another value."""
    value = value_at(body, *steps)
    return value if isinstance(value, str) else ""


class Selection(Struct, frozen=True):
    """The documents that labels select, by name, and unreadable files that might match."""

    documents: tuple[Document, ...]
    unread: tuple[str, ...]


class Documents:
    """Documents of a tree by kind, in the order of their identities (not of their files)."""

    def __init__(
        self, documents: Iterable[Document], broken: Mapping[Identity, str] = MappingProxyType({})
    ) -> None:
        self._broken: dict[GroupKind, dict[tuple[str, str], str]] = {}
        for (group, kind, namespace, name), path in broken.items():
            named = self._broken.setdefault(GroupKind(group, kind), {})
            named[namespace, name] = path
        self._by_kind: dict[GroupKind, dict[tuple[str, str], Document]] = {}
        for document in sorted(documents, key=lambda item: item.identity):
            there = self._by_kind.setdefault(document.kind.id, {})
            there[document.namespace, document.name] = document

    def of(self, kind: GroupKind) -> Iterator[Document]:
        """Yield all documents of a kind, in any version."""
        return iter(self._by_kind.get(kind, {}).values())

    def has(self, kind: GroupKind) -> bool:
        """Return whether any document of a kind exists, valid or not."""
        return kind in self._by_kind or kind in self._broken

    def find(self, kind: GroupKind, namespace: str, name: str) -> Document | None:
        """Return the document of a kind, namespace, and name, or None."""
        return self._by_kind.get(kind, {}).get((namespace, name))

    def unread(self, kind: GroupKind, namespace: str, name: str) -> str:
        """Return the file of a document without a readable version; else empty."""
        return self._broken.get(kind, {}).get((namespace, name), "")

    def every(self, kind: GroupKind, namespace: str) -> list[str]:
        """Return the names of all documents of a kind in a namespace, valid or not."""
        named = (*self._by_kind.get(kind, ()), *self._broken.get(kind, ()))
        return sorted(name for space, name in named if space == namespace)

    def namesakes(self, kind: GroupKind, name: str) -> list[str]:
        """Return the namespaces of all documents of a kind with a name, valid or not."""
        named = (*self._by_kind.get(kind, ()), *self._broken.get(kind, ()))
        return sorted(space for space, other in named if other == name)

    def matching(self, kind: GroupKind, namespace: str, labels: Mapping[str, str]) -> Selection:
        """Return the documents of a kind in a namespace that have all of some labels."""
        there = [it for it in self.of(kind) if it.namespace == namespace]
        broken = self._broken.get(kind, {}).items()
        return Selection(
            tuple(it for it in there if labels.items() <= it.labels().items()),
            tuple(sorted({path for (space, _), path in broken if space == namespace})),
        )


def pointer(steps: yaml.Steps) -> str:
    """Return an RFC 6901 JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


_places = lru_cache(maxsize=64)(yaml.places)
