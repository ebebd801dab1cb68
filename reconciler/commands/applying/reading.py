"""Read of a cluster what its plan asks for, until nothing is asked any more."""

from collections.abc import Callable

from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.resources import WHO_AM_I
from reconciler.clusters.snapshot import (
    Answer,
    Live,
    Objects,
    Query,
    Snapshot,
    Tolerates,
    Unanswered,
    live_of,
    objects_of,
)
from reconciler.model.resource import Ref, Resource
from reconciler.ports import (
    Cluster,
    ClusterError,
    NoSuchKindError,
    UnauthorizedError,
    UnreachableError,
)

Lists = Callable[[Resource], Objects]
"""All objects of a kind in a cluster."""


def read_and_plan(
    cluster: Cluster, plan: Callable[[Snapshot], ClusterPlan], lists: Lists | None = None
) -> ClusterPlan:
    """A plan, with all that it had to know.

    Args:
        cluster: What is read.
        plan: Makes the plan of what was read, or raises `Unanswered`.
        lists: All objects of a kind, where some were read before.

    Raises:
        ClusterError: Something that the plan needs cannot be read.
    """
    snapshot = Snapshot(now=cluster.now())
    while True:
        try:
            return plan(snapshot)
        except Unanswered as asked:
            answers = {query: answer(cluster, query, lists) for query in asked.queries}
        snapshot = snapshot.with_answers(answers, cluster.now())


def answer(cluster: Cluster, query: Query, lists: Lists | None = None) -> Answer:
    """What a cluster says to a question.

    Raises:
        ClusterError: It cannot be asked, or refuses what the query does not tolerate.
    """
    try:
        return Answer(_found(cluster, query, lists))
    except NoSuchKindError:
        return Answer(is_unknown=True)
    except UnreachableError:
        raise
    except ClusterError as failed:
        is_denied = isinstance(failed, UnauthorizedError)
        if query.tolerates is Tolerates.REFUSAL or (
            is_denied and query.tolerates is Tolerates.DENIAL
        ):
            return Answer(problem=str(failed))
        raise


def _found(cluster: Cluster, query: Query, lists: Lists | None) -> Objects:
    resource = query.resource
    if resource == WHO_AM_I:
        told = cluster.create({"apiVersion": resource.api_version, "kind": resource.kind})
        return {Ref(resource, "", ""): Live(Ref(resource, "", ""), told)}
    if query.name:
        found = cluster.get(Ref(resource, query.namespace, query.name))
        return {} if found is None else {(live := live_of(found)).ref: live}
    if lists is not None and not query.namespace and not query.fields:
        return lists(resource)
    found_here = cluster.list(resource, query.namespace, fields=query.fields).items
    return objects_of(found_here, resource)
