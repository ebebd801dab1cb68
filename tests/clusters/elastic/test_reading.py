"""What is known of a cluster's use by what the plan of an apply read of it."""

from typing import Any

from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import MANAGER, owned_labels
from reconciler.clusters.elastic.model import Reading
from reconciler.clusters.elastic.usage import reading_for
from reconciler.clusters.metallb import NAMESPACE, ranges_of
from reconciler.clusters.plan_tenant import SERVICES
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.clusters.snapshot import Answer, Query, Snapshot, live_of


def snapshot(*addresses: str) -> Snapshot:
    metadata: dict[str, Any] = {"name": "default-pool", "namespace": NAMESPACE, "uid": "1"}
    fields = [{"manager": MANAGER}]
    pool = live_of(
        {
            "apiVersion": ADDRESS_POOL.api_version,
            "kind": ADDRESS_POOL.kind,
            "metadata": {**metadata, "labels": owned_labels(), "managedFields": fields},
            "spec": {"addresses": list(addresses)},
        }
    )
    assert is_ours(pool, None)
    pools = Answer({pool.ref: pool})
    return Snapshot({Query(ADDRESS_POOL, NAMESPACE): pools, SERVICES: Answer()})


def test_a_plan_that_read_services_knows_what_is_announced_and_used() -> None:
    announced = ranges_of(["10.0.0.0/30"])
    assert reading_for(snapshot("10.0.0.0/30"), {}) == Reading(announced, ranges_of([]))


def test_a_pool_that_cannot_be_read_leaves_all_of_it_unknown() -> None:
    assert reading_for(snapshot("10.0.0.0/30", "somewhere"), {}) is None
