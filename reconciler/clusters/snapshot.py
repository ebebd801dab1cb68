"""Snapshots: the objects of a cluster that were read, and the queries that a plan needs.

A plan depends on a snapshot only. If it needs an answer that is missing, it raises `Unanswered`.
The caller sends these queries and plans again.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.resources import ref_of
from reconciler.model.resource import Manifest, Ref, Resource

_NO_ITEMS: tuple[Any, ...] = ()


class Live(Struct, frozen=True):
    """A validated object of a cluster.

    Attributes:
        manifest: The complete object.
    """

    ref: Ref
    manifest: Manifest

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata."""
        metadata: Mapping[str, Any] = self.manifest["metadata"]
        return metadata

    @property
    def uid(self) -> str:
        """The uid."""
        uid: str = self.metadata["uid"]
        return uid

    @property
    def version(self) -> str:
        """The resourceVersion."""
        version: str = self.metadata["resourceVersion"]
        return version

    @property
    def generation(self) -> int:
        """The generation, or 1 if the server does not set it."""
        generation: int = self.metadata.get("generation", 1)
        return generation

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""
        return self.metadata.get("labels") or {}

    @property
    def annotations(self) -> Mapping[str, str]:
        """The annotations."""
        return self.metadata.get("annotations") or {}

    @property
    def finalizers(self) -> tuple[str, ...]:
        """The finalizers."""
        return tuple(self.metadata.get("finalizers") or _NO_ITEMS)

    @property
    def dying_since(self) -> str:
        """The deletion time; empty if the object is not being deleted."""
        since: str = self.metadata.get("deletionTimestamp") or ""
        return since

    @property
    def managers(self) -> tuple[str, ...]:
        """The managedFields."""
        entries = self.metadata.get("managedFields") or _NO_ITEMS
        return tuple(entry.get("manager", "") for entry in entries)

    @property
    def spec(self) -> Mapping[str, Any]:
        """The spec, or an empty mapping."""
        return self.manifest.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        """The status, or an empty mapping."""
        return self.manifest.get("status") or {}

    @property
    def phase(self) -> str | None:
        """The phase of the status, if there is one."""
        return self.status.get("phase")


def live_of(manifest: Manifest) -> Live:
    """Return an object that has apiVersion and kind."""
    return Live(ref_of(manifest), manifest)


Objects = Mapping[Ref, Live]


def objects_of(manifests: Iterable[Manifest], resource: Resource) -> dict[Ref, Live]:
    """Return the objects of a list by reference. Items can lack their kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    found = [live_of({**manifest, **kind}) for manifest in manifests]
    return {live.ref: live for live in found}


class Tolerates(Enum):
    """The failures of a query that do not stop the work on the cluster."""

    NOTHING = "nothing"
    DENIAL = "denial"  # no permission
    REFUSAL = "refusal"  # any failure except an unreachable cluster


class Query(NamedTuple):
    """A query: all objects of a kind, those of a namespace, or one object.

    Attributes:
        name: The name of the object; empty for a list.
        fields: A field selector.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    fields: str = ""
    tolerates: Tolerates = Tolerates.NOTHING


class Answer(Struct, frozen=True):
    """The answer to a query.

    Attributes:
        problem: A tolerated failure; empty if the query succeeded.
        is_unknown: The cluster does not know the kind.
    """

    objects: Objects = field(default_factory=dict)
    problem: str = ""
    is_unknown: bool = False


class Unanswered(Exception):  # noqa: N818 - nothing failed: something is asked
    """The snapshot lacks answers that the plan needs."""

    def __init__(self, queries: tuple[Query, ...]) -> None:
        super().__init__(*queries)
        self.queries = queries


class Snapshot(Struct, frozen=True):
    """The answers of a cluster so far.

    Attributes:
        now: The server's clock in seconds since 1970.
    """

    answers: Mapping[Query, Answer] = field(default_factory=dict)
    now: int = 0

    def need(self, *queries: Query) -> tuple[Answer, ...]:
        """Return the answers to queries.

        Raises:
            Unanswered: An answer is missing.
        """
        missing = tuple(query for query in queries if query not in self.answers)
        if missing:
            raise Unanswered(missing)
        return tuple(self.answers[query] for query in queries)

    def of(self, query: Query) -> Answer:
        """Return the answer to one query.

        Raises:
            Unanswered: The answer is missing.
        """
        return self.need(query)[0]

    def with_answers(self, answers: Mapping[Query, Answer], now: int) -> "Snapshot":
        """Return the snapshot with more answers."""
        return replace(self, answers={**self.answers, **answers}, now=now)
