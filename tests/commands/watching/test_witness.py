"""What watches saw and no round can read: since when Services wait, and what went on purpose."""

from typing import Any

import pytest

from reconciler.clusters.watched import (
    INTAKE,
    Topic,
    is_waiting,
    management_topics,
    tenant_topics,
)
from reconciler.commands.watching.witness import MOST, MOST_DELETED, Witness
from reconciler.families.capi.resources import CLUSTERS
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import Became, Change
from tests.clusters.elastic.building import service
from tests.commands.watching.times import Moved

WEB, SHOP = "a/web", "a/shop"
SERVICES, POOLS = tenant_topics()[:2]
(CLUSTER,) = (topic for topic in management_topics([CLUSTERS]) if topic.about == INTAKE)
TIME = "2026-02-15T10:00:30Z"


@pytest.fixture
def time() -> Moved:
    return Moved(now=1_000.25)


@pytest.fixture
def witness(time: Moved) -> Witness:
    return Witness(time.monotonic)


def told(
    witness: Witness, item: Any, became: Became = Became.MODIFIED, topic: Topic = SERVICES
) -> None:
    witness.told(WEB, topic, Change(became, item))


def waited(witness: Witness, cluster: str = WEB) -> dict[str, float]:
    return dict(witness.waited().get(cluster, {}))


def test_a_service_waits_since_it_was_first_seen_to_whatever_times_it_says(
    witness: Witness, time: Moved
) -> None:
    told(witness, service("a"), Became.ADDED)
    time.now += 0.75
    told(witness, service("a", annotations={"x": "y"}))
    told(witness, service("b"))
    assert waited(witness) == {"uid-a": 0.75, "uid-b": 0.0}
    assert waited(witness, SHOP) == {}


NO_MORE: dict[str, Any] = {
    "got an address": service("a", address="10.0.0.9"),
    "is of another type": service("a", type="ClusterIP"),
    "is of another class": service("a", loadBalancerClass="cloud/nlb"),
    "asks another pool": service("a", annotations={"metallb.io/address-pool": "other"}),
    "is being deleted": service("a", metadata={"deletionTimestamp": "2026-02-15T10:00:30Z"}),
    "cannot be read": {**service("a"), "spec": ["LoadBalancer"]},
}


@pytest.mark.parametrize("item", NO_MORE.values(), ids=NO_MORE)
def test_one_that_does_not_wait_any_more_is_forgotten_and_begins_anew(
    witness: Witness, time: Moved, item: Any
) -> None:
    told(witness, service("a"))
    assert not is_waiting(item)
    told(witness, item)
    assert witness.waited() == {}
    time.now += 5
    told(witness, service("a"))
    assert waited(witness) == {"uid-a": 0.0}


def test_one_that_was_deleted_is_forgotten(witness: Witness) -> None:
    told(witness, service("a"))
    told(witness, service("b"))
    told(witness, service("a"), Became.DELETED)
    assert list(waited(witness)) == ["uid-b"]


def test_a_list_forgets_what_it_lacks_and_keeps_since_when_others_wait(
    witness: Witness, time: Moved
) -> None:
    told(witness, service("a"))
    told(witness, service("b"))
    time.now += 3
    again = [service("b"), service("c"), service("d", address="10.0.0.9")]
    witness.listed(WEB, SERVICES, again)
    assert waited(witness) == {"uid-b": 3.0, "uid-c": 0.0}
    witness.listed(WEB, SERVICES, [])
    assert witness.waited() == {}


def test_of_a_cluster_that_lies_no_more_is_kept_than_of_a_busy_one(
    witness: Witness, time: Moved
) -> None:
    told(witness, service("first"))
    time.now += 1
    many = [service(f"{at:05d}") for at in range(10 * MOST)]
    witness.listed(WEB, SERVICES, [*many, service("first")])
    told(witness, service("one-more"))
    found = waited(witness)
    assert (len(found), found["uid-first"]) == (MOST, 1.0)
    assert "uid-one-more" not in found


@pytest.mark.parametrize("item", [{}, {"metadata": None}, {"metadata": {"uid": 7}}, service("a")])
def test_what_says_nothing_of_services_is_not_kept(witness: Witness, item: Any) -> None:
    told(witness, item, topic=POOLS)
    witness.listed(WEB, POOLS, [item])
    odd = {**item, "metadata": None}
    told(witness, odd)
    witness.listed(WEB, SERVICES, [odd])
    assert witness.waited() == {}


def test_of_a_cluster_that_is_gone_nothing_is_kept(witness: Witness) -> None:
    told(witness, service("a"))
    witness.forget(SHOP)
    assert list(witness.waited()) == [WEB]
    witness.forget(WEB)
    assert witness.waited() == {}


def cluster(uid: str = "u", **metadata: Any) -> dict[str, Any]:
    """A Cluster's metadata as a watch tells it: the kind is that of all metadata."""
    named = {"name": "shop", "namespace": "default", "uid": uid, **metadata}
    head = {"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata"}
    return {**head, "metadata": {**named, "annotations": {"big": "x" * 9}}}


def went(witness: Witness, *items: Any, became: Became = Became.DELETED) -> None:
    for item in items:
        witness.told(MANAGEMENT, CLUSTER, Change(became, item))


def test_what_went_after_somebody_deleted_it_is_kept_by_name_and_uid(witness: Witness) -> None:
    went(witness, cluster("u", deletionTimestamp=TIME), cluster("without"))
    metadata = {"name": "shop", "namespace": "default", "uid": "u", "deletionTimestamp": TIME}
    kind = {"apiVersion": CLUSTERS.api_version, "kind": "Cluster"}
    assert witness.deleted() == ({**kind, "metadata": metadata},)


@pytest.mark.parametrize(
    "item",
    [
        cluster("u", deletionTimestamp=7),
        cluster("", deletionTimestamp=TIME),
        cluster("u", deletionTimestamp=TIME, name=None),
        cluster("u", deletionTimestamp=TIME, namespace="n" * 254),
        {"metadata": [TIME]},
    ],
)
def test_one_that_cannot_be_read_is_left_to_the_lists(witness: Witness, item: Any) -> None:
    went(witness, item)
    assert witness.deleted() == ()


def test_one_that_is_being_deleted_is_not_gone(witness: Witness) -> None:
    went(witness, cluster(deletionTimestamp=TIME), became=Became.MODIFIED)
    assert witness.deleted() == ()


def test_a_deletion_of_what_is_no_intake_is_not_kept(witness: Witness) -> None:
    witness.told(WEB, POOLS, Change(Became.DELETED, cluster(deletionTimestamp=TIME)))
    assert witness.deleted() == ()


def test_it_is_kept_until_it_is_settled_or_there_again(witness: Witness) -> None:
    for uid in "abc":
        went(witness, cluster(uid, deletionTimestamp=TIME))
    witness.settled(["b", "x"])
    went(witness, cluster("c"), became=Became.ADDED)
    assert [item["metadata"]["uid"] for item in witness.deleted()] == ["a"]
    witness.listed(MANAGEMENT, CLUSTER, [cluster("x")])
    assert len(witness.deleted()) == 1
    witness.listed(MANAGEMENT, CLUSTER, [cluster("a")])
    assert witness.deleted() == ()


def test_of_many_that_went_the_newest_are_kept(witness: Witness) -> None:
    went(witness, *(cluster(str(at), deletionTimestamp=TIME) for at in range(MOST_DELETED + 2)))
    uids = [item["metadata"]["uid"] for item in witness.deleted()]
    assert (len(uids), uids[0]) == (MOST_DELETED, "2")
