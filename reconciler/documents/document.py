"""One document of a tree: what it is, what it says and where each part of it stands."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from reconciler.documents import yaml
from reconciler.findings import Location

Identity = tuple[str, str, str, str]
"""API group, kind, namespace, name."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document that is read.

    Attributes:
        schema: File of its JSON Schema below `schemas/`.
        default_namespace: Namespace of a document that names none; None for cluster-scoped kinds.
        is_shared: Its few documents may bear on all others, as those of teams do.
    """

    api_version: str
    name: str
    schema: str
    default_namespace: str | None
    is_shared: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose kind is known and whose shape its schema accepts.

    Attributes:
        index: Position in its file, from 0.
        body: The document without what only a cluster sets.
        data: The bytes of the file, from which places are found when something is reported.
        unread: The broken file in whose place this counts, as it was in an earlier revision; empty
            for a document of the tree itself.
        twice: The file of a later description of the same object; empty when there is none.
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

    @property
    def doubt(self) -> str:
        """The file because of which nothing new follows from this; empty when something may."""
        return self.unread or self.twice

    def at(self, *steps: str | int, key: bool = False) -> Location:
        """The place of a value (or of its key); of what is around it when it is not there."""
        if self.unread:
            return Location(self.unread, 1, 1)
        line, column = _places(self.data, self.index).of(steps, key=key)
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
        group = self.kind.api_version.partition("/")[0]
        return group, self.kind.name, self.namespace, self.name

    @property
    def title(self) -> str:
        """`kind namespace/name` for messages."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind.name} {name}"


Asked = dict[str, dict[str, None]]
"""Which nodes each file asked for, by path; in the order in which it asked."""

EVERY = "*"
"""In the place of a name: all documents of a kind in a namespace."""


def node(kind: str, namespace: str, name: str) -> str:
    """What a document is asked for by."""
    return f"{kind} {namespace}/{name}"


class Documents:
    """Documents of a tree by kind, in the order of their identities (not of their files).

    Who reads a document may look at others only through `find` and `every`. They note who asked
    for what, found or not: what a file depends on follows from the reading itself (ADR 0007).
    """

    def __init__(
        self, documents: Iterable[Document], broken: Mapping[Identity, str] = MappingProxyType({})
    ) -> None:
        """Take documents, each identity once.

        Args:
            documents: The documents.
            broken: Documents that are described, though nothing of them can be read now or
                before, with the path of their file.
        """
        self.asked: Asked = {}
        self._broken = {
            (kind, namespace, name): path for (_, kind, namespace, name), path in broken.items()
        }
        self._by_kind: dict[str, dict[tuple[str, str], Document]] = {}
        for document in sorted(documents, key=lambda item: item.identity):
            named = self._by_kind.setdefault(document.kind.name, {})
            named[document.namespace, document.name] = document

    def of(self, kind: str) -> Iterator[Document]:
        """All documents of a kind, each to be read by itself."""
        return iter(self._by_kind.get(kind, {}).values())

    def find(self, kind: str, namespace: str, name: str, asker: str) -> Document | None:
        """The document that something in the file `asker` names, or None."""
        self._note(asker, node(kind, namespace, name))
        return self._by_kind.get(kind, {}).get((namespace, name))

    def unread(self, kind: str, namespace: str, name: str, asker: str) -> str:
        """The path of the file that describes a document which never could be read; else empty."""
        self._note(asker, node(kind, namespace, name))
        return self._broken.get((kind, namespace, name), "")

    def every(self, kind: str, namespace: str, asker: str) -> list[str]:
        """The names of all documents of a kind in a namespace, described rightly or wrongly."""
        self._note(asker, node(kind, namespace, EVERY))
        readable = [name for space, name in self._by_kind.get(kind, {}) if space == namespace]
        broken = [name for of, space, name in self._broken if of == kind and space == namespace]
        return sorted([*readable, *broken])

    def _note(self, asker: str, wanted: str) -> None:
        self.asked.setdefault(asker, {})[wanted] = None


def pointer(steps: yaml.Steps) -> str:
    """RFC 6901 JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


@lru_cache(maxsize=64)
def _places(data: bytes, index: int) -> yaml.Places:
    return yaml.places(data, index)
