"""Objects of clusters, and the queries that a plan is based on."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from reconciler.kube.interface import Cluster
from reconciler.kube.resources import ref_of
from reconciler.model import errors
from reconciler.model.objects import SERVICE, WHO_AM_I, Manifest, Ref, Resource

T = TypeVar("T")


class Live(Struct, frozen=True):
    """A complete object of a cluster."""

    ref: Ref
    manifest: Manifest

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return the metadata."""
        metadata: Mapping[str, Any] = self.manifest["metadata"]
        return metadata

    @property
    def uid(self) -> str:
        """Return the uid."""
        return str(self.metadata["uid"])

    @property
    def version(self) -> str:
        """Return the resourceVersion."""
        return str(self.metadata["resourceVersion"])

    @property
    def generation(self) -> int:
        """Return the generation, or 1 if the server does not set it."""
        return int(self.metadata.get("generation", 1))

    @property
    def labels(self) -> Mapping[str, str]:
        """Return the labels."""
        return self.metadata.get("labels") or {}

    @property
    def finalizers(self) -> tuple[str, ...]:
        """Return the finalizers."""
        return tuple(self.metadata.get("finalizers") or ())

    @property
    def dying_since(self) -> str:
        """Return the deletion time; empty if the object is not being deleted."""
        return self.metadata.get("deletionTimestamp") or ""

    @property
    def status(self) -> Mapping[str, Any]:
        """Return the status, or an empty mapping."""
        return self.manifest.get("status") or {}


LiveObjects = Mapping[Ref, Live]


def live_of(manifest: Manifest) -> Live:
    """Return an object that has apiVersion and kind."""
    return Live(ref_of(manifest), manifest)


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
    """A query: all objects of a kind, all in a namespace, one by name, or by a field selector."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    fields: str = ""
    tolerates: Tolerates = Tolerates.NOTHING


SERVICES = Query(SERVICE)


class ClusterAnswer(Struct, frozen=True):
    """The answer to a query: objects, a tolerated problem, or that the kind is unknown."""

    objects: LiveObjects = field(default_factory=dict)
    problem: str = ""
    is_unknown: bool = False


class Unanswered(Exception):  # noqa: N818 - nothing failed: something is asked
    """The snapshot lacks answers that the plan needs."""

    def __init__(self, queries: tuple[Query, ...]) -> None:
        super().__init__(*queries)
        self.queries = queries


class Snapshot(Struct, frozen=True):
    """The answers of a cluster so far, and the server's clock in seconds since 1970."""

    answers: Mapping[Query, ClusterAnswer] = field(default_factory=dict)
    now: int = 0

    def need(self, *queries: Query) -> tuple[ClusterAnswer, ...]:
        """Return the answers to queries, or raise `Unanswered` if one is missing."""
        missing = tuple(query for query in queries if query not in self.answers)
        if missing:
            raise Unanswered(missing)
        return tuple(self.answers[query] for query in queries)

    def of(self, query: Query) -> ClusterAnswer:
        """Return the answer to one query, or raise `Unanswered`."""
        return self.need(query)[0]


ObjectLists = Callable[[Resource], LiveObjects]
"""Return all objects of a kind in a cluster."""


def read_and_plan(
    cluster: Cluster, plan: Callable[[Snapshot], T], lists: ObjectLists | None = None
) -> T:
    """Return a plan of a cluster after all queries that it needs (`Unanswered`)."""
    snapshot = Snapshot(now=cluster.now())
    while True:
        try:
            return plan(snapshot)
        except Unanswered as asked:
            answers = {query: _answer(cluster, query, lists) for query in asked.queries}
        snapshot = Snapshot({**snapshot.answers, **answers}, cluster.now())


def _answer(cluster: Cluster, query: Query, lists: ObjectLists | None) -> ClusterAnswer:
    try:
        return ClusterAnswer(_found(cluster, query, lists))
    except errors.NoSuchKindError:
        return ClusterAnswer(is_unknown=True)
    except errors.UnreachableError:
        raise
    except errors.ClusterError as failed:
        tolerated = (
            isinstance(failed, errors.UnauthorizedError) and query.tolerates is Tolerates.DENIAL
        )
        if tolerated or query.tolerates is Tolerates.REFUSAL:
            return ClusterAnswer(problem=str(failed))
        raise


def _found(cluster: Cluster, query: Query, lists: ObjectLists | None) -> LiveObjects:
    resource = query.resource
    if resource == WHO_AM_I:
        review = cluster.create({"apiVersion": resource.api_version, "kind": resource.kind})
        return {Ref(resource, "", ""): Live(Ref(resource, "", ""), review)}
    if query.name:
        found = cluster.get(Ref(resource, query.namespace, query.name))
        return {} if found is None else {(live := live_of(found)).ref: live}
    if lists is not None and not query.namespace and not query.fields:
        return lists(resource)
    listed = cluster.list(resource, query.namespace, fields=query.fields).items
    return objects_of(listed, resource)
