"""What was read of a cluster: its objects, parsed once, and the answers to what was asked.

A plan is made of a snapshot alone. Where it needs an answer that is not there yet, it says which:
`Unanswered`. Who reads the cluster asks that, and the plan is made anew.
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
    """An object as it is in a cluster. Its shape was checked where it came in.

    Attributes:
        manifest: All of it, for what has no attribute here.
    """

    ref: Ref
    manifest: Manifest

    @property
    def metadata(self) -> Mapping[str, Any]:
        """All of its metadata."""
        metadata: Mapping[str, Any] = self.manifest["metadata"]
        return metadata

    @property
    def uid(self) -> str:
        """What tells it from another object that has its name."""
        uid: str = self.metadata["uid"]
        return uid

    @property
    def version(self) -> str:
        """Its resourceVersion: another one with every change."""
        version: str = self.metadata["resourceVersion"]
        return version

    @property
    def generation(self) -> int:
        """How often its spec was changed, where the server counts that; else 1."""
        generation: int = self.metadata.get("generation", 1)
        return generation

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels."""
        return self.metadata.get("labels") or {}

    @property
    def annotations(self) -> Mapping[str, str]:
        """Its annotations."""
        return self.metadata.get("annotations") or {}

    @property
    def finalizers(self) -> tuple[str, ...]:
        """What keeps it from going when it is deleted."""
        return tuple(self.metadata.get("finalizers") or _NO_ITEMS)

    @property
    def dying_since(self) -> str:
        """When it was deleted, while something holds it; empty when it was not."""
        since: str = self.metadata.get("deletionTimestamp") or ""
        return since

    @property
    def managers(self) -> tuple[str, ...]:
        """Who wrote some of its fields."""
        entries = self.metadata.get("managedFields") or _NO_ITEMS
        return tuple(entry.get("manager", "") for entry in entries)

    @property
    def spec(self) -> Mapping[str, Any]:
        """What it shall be; empty where it says nothing."""
        return self.manifest.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        """What it is; empty where nobody said so yet."""
        return self.manifest.get("status") or {}

    @property
    def phase(self) -> str | None:
        """The phase that its status names, where it does."""
        return self.status.get("phase")


def live_of(manifest: Manifest) -> Live:
    """An object that says its kind."""
    return Live(ref_of(manifest), manifest)


Objects = Mapping[Ref, Live]


def objects_of(manifests: Iterable[Manifest], resource: Resource) -> dict[Ref, Live]:
    """Objects of a list by reference. Items of a list may leave out their kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    found = [live_of({**manifest, **kind}) for manifest in manifests]
    return {live.ref: live for live in found}


class Tolerates(Enum):
    """What may go wrong with a question without ending the work on the cluster."""

    NOTHING = "nothing"
    DENIAL = "denial"  # we may not read it
    REFUSAL = "refusal"  # all but a cluster that does not answer


class Query(NamedTuple):
    """Something to read of a cluster: all objects of a kind, those of a namespace, or one.

    Attributes:
        name: Of the one object; empty for a list.
        fields: A field selector.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    fields: str = ""
    tolerates: Tolerates = Tolerates.NOTHING


class Answer(Struct, frozen=True):
    """What a cluster said.

    Attributes:
        problem: Why there is none, where the query tolerates that; empty when there is one.
        is_unknown: The cluster does not know the kind.
    """

    objects: Objects = field(default_factory=dict)
    problem: str = ""
    is_unknown: bool = False


class Unanswered(Exception):  # noqa: N818 - nothing failed: something is asked
    """A plan needs answers that the snapshot does not have."""

    def __init__(self, queries: tuple[Query, ...]) -> None:
        super().__init__(*queries)
        self.queries = queries


class Snapshot(Struct, frozen=True):
    """What was read so far.

    Attributes:
        now: Seconds since 1970 by the server's clock.
    """

    answers: Mapping[Query, Answer] = field(default_factory=dict)
    now: int = 0

    def need(self, *queries: Query) -> tuple[Answer, ...]:
        """The answers to some queries.

        Raises:
            Unanswered: Some were not asked yet.
        """
        missing = tuple(query for query in queries if query not in self.answers)
        if missing:
            raise Unanswered(missing)
        return tuple(self.answers[query] for query in queries)

    def of(self, query: Query) -> Answer:
        """The answer to one query.

        Raises:
            Unanswered: It was not asked yet.
        """
        return self.need(query)[0]

    def with_answers(self, answers: Mapping[Query, Answer], now: int) -> "Snapshot":
        """The snapshot with more answers."""
        return replace(self, answers={**self.answers, **answers}, now=now)
