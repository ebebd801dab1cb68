"""A tenant's cluster with false data: its identity, its inventory, and its ranges."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.applied import ClusterState
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, Ref
from tests.apply.execution.site import FIRST, SECOND, world
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.world import reconciled, tenant

BOTH = world("web", "shop")
INVENTORY = "gitops-ipam-inventory"
HOME = Ref(CONFIG_MAP, "butler-system", INVENTORY)
LINE = "cluster.team-a.web"


@pytest.fixture
def site() -> FakeClusters:
    """A management cluster and two applied tenants. Tests make the first tenant send false data."""
    clusters = FakeClusters()
    clusters.apply(BOTH)
    return clusters


def memory(site: FakeClusters) -> Mapping[str, str]:
    data: Mapping[str, str] = site.objects[HUB][HOME]["data"]
    return data


def system(site: FakeClusters, name: str) -> dict[str, Any]:
    """The metadata of the namespace by whose uid a cluster goes."""
    metadata: dict[str, Any] = site.objects[name][Ref(NAMESPACE, "", "kube-system")]["metadata"]
    return metadata


@pytest.mark.parametrize("uid", ["a uid with blanks", "", "u\ncluster.x: y", "u" * 200_000, "ü"])
@pytest.mark.parametrize("is_known", [False, True], ids=["unknown", "known"])
def test_an_identity_that_is_none_gets_into_no_memory(
    site: FakeClusters, uid: str, *, is_known: bool
) -> None:
    if not is_known:
        del site.objects[HUB][HOME]
    system(site, FIRST)["uid"] = uid
    for revision in "bc":  # and the next run reads the memory that this one wrote
        applied = site.apply(BOTH, revision, enroll=frozenset([FIRST]))
        assert applied[FIRST].state is ClusterState.REFUSED
        assert "is not the uid of a cluster" in applied[FIRST].error
        assert len(applied[FIRST].error) < 400
        assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    if uid:
        assert uid not in json.dumps(memory(site))


@pytest.mark.parametrize(("other", "files"), [(HUB, BOTH), (SECOND, BOTH), (SECOND, world("web"))])
def test_nobody_is_believed_to_be_another_cluster_nor_one_that_is_leaving(
    site: FakeClusters, other: str, files: dict[str, str | bytes]
) -> None:
    system(site, FIRST)["uid"] = system(site, other)["uid"]
    is_leaving = files is not BOTH  # it is gone after one run
    for options in ({}, {"enroll": frozenset([FIRST])})[is_leaving:]:
        applied = site.apply(files, "b", **options)
        assert applied[FIRST].state is ClusterState.REFUSED
        assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    if not is_leaving:
        assert f"the kubeconfig reaches the cluster of {other}" in applied[FIRST].error
    else:
        assert not [ref for ref in site.objects[SECOND] if ref.resource == ADDRESS_POOL]


@pytest.mark.parametrize("revision", ["f" * 200_000, "--help", "HEAD", "a" * 41, "a b"])
def test_a_revision_that_is_none_stops_that_cluster_alone(
    site: FakeClusters, revision: str
) -> None:
    home = Ref(CONFIG_MAP, "metallb-system", INVENTORY)
    site.objects[FIRST][home]["data"]["revision"] = revision
    applied = site.apply(BOTH, "b")
    assert (applied[FIRST].state, applied[FIRST].is_bug) == (ClusterState.FAILED, False)
    assert "is not the id of a commit" in applied[FIRST].error
    assert len(applied[FIRST].error) < 400
    assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    assert revision not in json.dumps(memory(site))


@pytest.mark.parametrize("value", ["a uid with blanks", "u b default 10.0.0.0-10.0.0.x", "\x00"])
def test_a_damaged_line_of_the_memory_stops_that_cluster_alone(
    site: FakeClusters, value: str
) -> None:
    site.objects[HUB][HOME]["data"][LINE] = value
    applied = site.apply(BOTH, "b")
    assert applied[FIRST].state is ClusterState.REFUSED
    assert f"{LINE} of ConfigMap {INVENTORY}" in applied[FIRST].error
    assert [applied[name].state for name in (HUB, SECOND)] == [ClusterState.APPLIED] * 2
    assert memory(site)[LINE] == value
    mended = site.apply(BOTH, "b", enroll=frozenset([FIRST]))
    assert mended[FIRST].state is ClusterState.APPLIED
    assert memory(site)[LINE].split()[0] == system(site, FIRST)["uid"]


def test_a_cluster_that_announces_everything_keeps_nothing_from_others() -> None:
    site = FakeClusters()
    site.apply(world("web"))
    labels = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
    pool = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "greedy", "namespace": "metallb-system", "labels": labels},
        "spec": {"addresses": ["10.0.0.0/8"]},
    }
    site.hand(FIRST).put(pool, "gitops-ipam")
    before = len(json.dumps(memory(site)))
    applied = site.apply(world("web"), "b")
    (note,) = [note for note in applied[FIRST].notes if note.startswith("announces ")]
    assert note.startswith("announces 10.0.0.4-10.255.255.255, which no record assigns")
    assert len(json.dumps(memory(site))) == before
    applied = site.apply(reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")}), "c")
    assert applied[SECOND].state is ClusterState.APPLIED
    assert not [item for item in applied[SECOND].outcomes if item.error]
    assert site.announced(SECOND) == ["10.0.0.4-10.0.0.7"]
