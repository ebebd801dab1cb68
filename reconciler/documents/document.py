"""Documents, their kinds, and places."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.documents import yaml
from reconciler.documents.findings import Location

Identity = tuple[str, str, str, str]
"""API group, kind, namespace, name."""


class GroupKind(NamedTuple):
    """What a kind is known by: its API group and its name, whatever the version."""

    group: str
    kind: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document that is read, in one version of its API.

    Of a kind that is read in several versions there are several of these, each with a schema of its
    own. Their documents describe the same objects: `id` is equal.

    Attributes:
        schema: File of its JSON Schema: below `schemas/`, or `package:file` beside a family.
        default_namespace: Namespace of a document that names none; None for cluster-scoped kinds.
        is_shared: Its few documents may bear on all others, as those of teams do.
        role: `provider` or `team`: its documents say what others may have, stand in a folder of their
            own (`providers`), and what is new of them is told to who reviews it. Empty for those of
            tenants. A kind of pool needs none: its family names it.
        adopts: What a manifest says that was copied from a cluster is read, to take over what its
            object holds there. Its documents have it in `copied`.
        id: What it is known by.
    """

    api_version: str
    name: str
    schema: str
    default_namespace: str | None
    is_shared: bool = False
    role: str = ""
    adopts: bool = False
    id: GroupKind = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        group, _, _ = self.api_version.rpartition("/")
        object.__setattr__(self, "id", GroupKind(group, self.name))


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose kind is known and whose shape its schema accepts.

    Attributes:
        index: Position in its file, from 0.
        span: Where its text begins and ends in its file, in characters.
        body: The document without what only a cluster sets.
        data: The bytes of the file, from which places are found when something is reported.
        unread: The broken file in whose place this counts, as it was in an earlier revision; empty
            for a document of the tree itself.
        twice: The file of a later description of the same object; empty when there is none.
        copied: Of a kind that adopts: `status` and `creationTimestamp` of a manifest that was copied
            from a cluster, in whatever shape. They are not in the body.
    """

    path: str
    index: int
    line: int
    kind: Kind
    namespace: str
    name: str
    body: Mapping[str, Any]
    data: bytes = field(repr=False, compare=False)
    unread: str = ""
    twice: str = ""
    copied: Mapping[str, Any] = field(default_factory=dict)
    span: tuple[int, int] = field(default=(0, 0), repr=False, compare=False)

    @property
    def doubt(self) -> str:
        """The file because of which nothing new follows from this; empty when something may."""
        return self.unread or self.twice

    def at(self, *steps: str | int, key: bool = False) -> Location:
        """The place of a value (or of its key); of what is around it when it is not there."""
        if self.unread:
            return Location(self.unread, 1, 1)
        line, column = _places(self.data, self.line, self.span).of(steps, key=key)
        return Location(self.path, line, column, pointer(steps))

    @property
    def file(self) -> str:
        """The file of the tree that it stands in, or in whose place it counts."""
        return self.unread or self.path

    @property
    def start(self) -> Location:
        """The place where the document begins."""
        return Location(self.file, 1 if self.unread else self.line, 1)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The spec; empty when the document has none."""
        spec = self.body.get("spec")
        return spec if isinstance(spec, dict) else {}

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata."""
        metadata: Mapping[str, Any] = self.body["metadata"]
        return metadata

    def annotations(self) -> Mapping[str, str]:
        """The annotations."""
        return self.metadata.get("annotations") or {}

    def labels(self) -> Mapping[str, str]:
        """The labels."""
        return self.metadata.get("labels") or {}

    @property
    def identity(self) -> Identity:
        """API group, kind, namespace and name: versions of one group are one object."""
        return *self.kind.id, self.namespace, self.name

    @property
    def title(self) -> str:
        """`kind namespace/name` for messages."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind.name} {name}"


class Selection(Struct, frozen=True):
    """What labels select.

    Attributes:
        documents: In the order of their names.
        unread: Files that describe a document of the kind which never could be read: it may be one
            that is meant.
    """

    documents: tuple[Document, ...]
    unread: tuple[str, ...]


class Documents:
    """Documents of a tree by kind, in the order of their identities (not of their files)."""

    def __init__(
        self, documents: Iterable[Document], broken: Mapping[Identity, str] = MappingProxyType({})
    ) -> None:
        """Take documents, each identity once.

        Args:
            documents: The documents.
            broken: Documents that are described, though nothing of them can be read now or
                before, with the path of their file.
        """
        self._broken: dict[GroupKind, dict[tuple[str, str], str]] = {}
        for (group, kind, namespace, name), path in broken.items():
            named = self._broken.setdefault(GroupKind(group, kind), {})
            named[namespace, name] = path
        self._by_kind: dict[GroupKind, dict[tuple[str, str], Document]] = {}
        for document in sorted(documents, key=lambda item: item.identity):
            there = self._by_kind.setdefault(document.kind.id, {})
            there[document.namespace, document.name] = document

    def of(self, kind: GroupKind) -> Iterator[Document]:
        """All documents of a kind, in whatever version, each to be read by itself."""
        return iter(self._by_kind.get(kind, {}).values())

    def has_any(self, kinds: Iterable[Kind]) -> bool:
        """There is a document of one of the kinds, in whatever version."""
        return any(kind.id in self._by_kind for kind in kinds)

    def find(self, kind: GroupKind, namespace: str, name: str) -> Document | None:
        """Return the document of a kind, namespace, and name, or None."""
        return self._by_kind.get(kind, {}).get((namespace, name))

    def unread(self, kind: GroupKind, namespace: str, name: str) -> str:
        """The path of the file that describes a document which never could be read; else empty."""
        return self._broken.get(kind, {}).get((namespace, name), "")

    def every(self, kind: GroupKind, namespace: str) -> list[str]:
        """The names of all documents of a kind in a namespace, described rightly or wrongly."""
        named = (*self._by_kind.get(kind, ()), *self._broken.get(kind, ()))
        return sorted(name for space, name in named if space == namespace)

    def namesakes(self, kind: GroupKind, name: str) -> list[str]:
        """The namespaces of all documents of a kind that have a name, described rightly or wrongly."""
        named = (*self._by_kind.get(kind, ()), *self._broken.get(kind, ()))
        return sorted(space for space, other in named if other == name)

    def matching(self, kind: GroupKind, namespace: str, labels: Mapping[str, str]) -> Selection:
        """Return the documents of a kind in a namespace that have all of some labels.

        Args:
            kind: The kind.
            namespace: The namespace; empty for a cluster-scoped kind.
            labels: The labels with their values; none match all documents.
        """
        there = self._by_kind.get(kind, {}).items()
        broken = self._broken.get(kind, {}).items()
        return Selection(
            tuple(
                document
                for (space, _), document in there
                if space == namespace and labels.items() <= document.labels().items()
            ),
            tuple(sorted({path for (space, _), path in broken if space == namespace})),
        )


def pointer(steps: yaml.Steps) -> str:
    """RFC 6901 JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


@lru_cache(maxsize=64)
def _places(data: bytes, line: int, span: tuple[int, int]) -> yaml.Places:
    return yaml.places(data, line, span)
