"""One document of a tree: what it is, what it says and where each part of it stands."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from reconciler.documents import yaml
from reconciler.findings import Location


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of document that is read.

    Attributes:
        schema: File of its JSON Schema below `schemas/`.
        default_namespace: Namespace of a document that names none; None for cluster-scoped kinds.
    """

    api_version: str
    name: str
    schema: str
    default_namespace: str | None


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose kind is known and whose shape its schema accepts.

    Attributes:
        index: Position in its file, from 0.
        body: The document without what only a cluster sets.
        data: The bytes of the file, from which places are found when something is reported.
    """

    path: str
    index: int
    line: int
    kind: Kind
    namespace: str
    name: str
    body: Mapping[str, Any]
    data: bytes = field(repr=False, compare=False)

    def at(self, *steps: str | int, key: bool = False) -> Location:
        """The place of a value (or of its key); of what is around it when it is not there."""
        line, column = _places(self.data, self.index).of(steps, key=key)
        return Location(self.path, line, column, pointer(steps))

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
    def identity(self) -> tuple[str, str, str, str]:
        """API group, kind, namespace and name: versions of one group are one object."""
        group = self.kind.api_version.partition("/")[0]
        return group, self.kind.name, self.namespace, self.name

    @property
    def title(self) -> str:
        """`kind namespace/name` for messages."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.kind.name} {name}"


class Documents:
    """Documents of a tree by kind, in the order of their identities (not of their files).

    `broken` holds the identities of documents that are there but wrong, for membership tests; what
    of them was read is in `remains`.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        broken: frozenset[tuple[str, str, str, str]] = frozenset(),
        remains: Iterable[Document] = (),
    ) -> None:
        self.broken = broken
        self._remains = sorted(remains, key=lambda item: (item.identity, item.path, item.index))
        self._by_kind: dict[str, list[Document]] = {}
        for document in sorted(documents, key=lambda item: item.identity):
            self._by_kind.setdefault(document.kind.name, []).append(document)

    def of(self, kind: str) -> Iterator[Document]:
        """All documents of a kind."""
        return iter(self._by_kind.get(kind, ()))

    def remains(self, kind: str) -> Iterator[Document]:
        """What was read of the broken documents of a kind. Nothing about its shape is proven."""
        return (document for document in self._remains if document.kind.name == kind)


def pointer(steps: yaml.Steps) -> str:
    """RFC 6901 JSON pointer."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


@lru_cache(maxsize=64)
def _places(data: bytes, index: int) -> yaml.Places:
    return yaml.places(data, index)
