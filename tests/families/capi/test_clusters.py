"""Clusters of Cluster API: selection of pools, manual addresses, and paused Clusters."""

from typing import Any

import pytest

from reconciler.model.plan import Release
from tests.families.capi.trees import (
    CLASS,
    ROLE,
    VIP,
    claim,
    cluster,
    document,
    gets,
    got,
    of,
    pool,
    said,
)
from tests.world import CLOCK, evaluation_of, reconciled

CP, IN = "shop.control-plane", "shop.ingress"
NO_INGRESS = {f"{VIP}ingress-enabled": "false"}
INGRESS = pool("doors", "10.0.0.100-10.0.0.110", role="ingress")


def test_a_cluster_gets_an_address_for_its_control_plane_and_one_for_ingress() -> None:
    for version in ("v1beta1", "v1beta2"):
        assert gets(pool(), INGRESS, cluster(version=version)) == {CP: "vips:10", IN: "doors:100"}


def test_ingress_can_be_turned_off_by_the_word_false_alone() -> None:
    assert gets(pool(), INGRESS, cluster(annotations=NO_INGRESS)) == {CP: "vips:10"}
    off = {f"{VIP}ingress-enabled": "no"}
    assert gets(pool(), INGRESS, cluster(annotations=off)) == {CP: "vips:10", IN: "doors:100"}


def test_turning_ingress_off_later_releases_its_address_and_leaves_the_other() -> None:
    files = reconciled(of(pool(), INGRESS, cluster()))
    files["clusters/02.yaml"] = cluster(annotations=NO_INGRESS)
    evaluation = evaluation_of(files)
    assert got(evaluation) == {CP: "vips:10", IN: "Release"}
    assert any(isinstance(item, Release) for item in evaluation.plan.decisions)


def test_a_missing_ingress_pool_does_not_keep_the_control_plane_waiting() -> None:
    evaluation = evaluation_of(of(pool(), cluster()))
    assert got(evaluation) == {CP: "vips:10", IN: "no-matching-pool"}
    (gate,) = evaluation.gates
    assert gate.message.endswith('no matching ip pool for class "web" role "ingress"')
    assert f"label a pool {CLASS}=web, {ROLE}=ingress, or " in gate.hint


def test_a_cluster_without_topology_or_class_claims_nothing() -> None:
    assert gets(pool(), cluster(class_="")) == {}
    assert gets(pool(), cluster(class_="", topology={"class": ""})) == {}
    assert gets(pool(), document("Cluster", "cluster.x-k8s.io/v1beta1", {"name": "shop"}, {})) == {}


@pytest.mark.parametrize(
    ("class_", "annotations"),
    [
        ("web", {}),
        ("api,web", {}),
        ("true", {CLASS: "web"}),
        ("true", {CLASS: "api, web"}),
        ("x.y,web", {CLASS: "not-read"}),
    ],
)
def test_a_pool_is_found_by_its_class(class_: str, annotations: dict[str, str]) -> None:
    own = pool(class_=class_, annotations=annotations)
    assert gets(own, cluster(annotations=NO_INGRESS)) == {CP: "vips:10"}


@pytest.mark.parametrize(
    ("class_", "annotations"), [("webs", {}), ("true", {CLASS: "web2,xweb"}), ("", {})]
)
def test_a_pool_of_another_class_is_not(class_: str, annotations: dict[str, str]) -> None:
    own = pool(class_=class_, annotations=annotations)
    assert gets(own, cluster(annotations=NO_INGRESS)) == {CP: "no-matching-pool"}


def test_pools_are_tried_in_the_order_of_names_and_the_next_when_one_is_full() -> None:
    pools = (pool("b", "10.0.0.20"), pool("a", "10.0.0.30"), pool("c", "10.0.0.40"))
    clusters = [cluster(name, annotations=NO_INGRESS) for name in ("one", "two", "zoo", "zum")]
    assert gets(*pools, *clusters) == {
        "one.control-plane": "a:30",
        "two.control-plane": "b:20",
        "zoo.control-plane": "c:40",
        "zum.control-plane": "pool-exhausted",
    }


def test_a_pool_of_the_namespace_serves_too_and_goes_before_one_of_its_name() -> None:
    pools = (pool("vips", "10.0.0.20"), pool("vips", "10.0.0.30", namespace="default"))
    assert gets(*pools, cluster(annotations=NO_INGRESS)) == {CP: "vips:30"}
    pools = (pool("vips", "10.0.0.20"), pool("vips", "10.0.0.30", namespace="elsewhere"))
    assert gets(*pools, cluster(annotations=NO_INGRESS)) == {CP: "vips:20"}


def test_two_pools_that_serve_one_class_for_one_role_are_told_with_their_order() -> None:
    pools = (pool("b", "10.0.0.20"), pool("a", "10.0.0.30", class_="api,web"))
    told = [item for item in evaluation_of(of(*pools)).findings if item.code == "pool-ambiguous"]
    assert [(item.severity, item.message) for item in told] == [
        ("info", "b serves class web for control-plane, like a, which is tried first")
    ]
    assert "pool-ambiguous" not in dict(said(pool("a"), pool("b", "10.0.0.30", role="ingress")))


def test_a_pool_that_is_paused_is_passed_over() -> None:
    paused = pool("a", "10.0.0.30", annotations={"cluster.x-k8s.io/paused": ""})
    shop = cluster(annotations=NO_INGRESS)
    assert gets(paused, pool("b", "10.0.0.20"), shop) == {CP: "b:20"}
    assert gets(paused, shop) == {CP: "pool-frozen"}


def test_who_holds_an_address_keeps_it_when_labels_change() -> None:
    files = reconciled(of(pool(), cluster(annotations=NO_INGRESS)))
    files["pools/00.yaml"] = pool(class_="other")
    assert got(evaluation_of(files)) == {CP: "vips:10"}


def by_hand(host: str, **more: Any) -> str:
    return cluster(controlPlaneEndpoint={"host": host, "port": 6443}, **more)


def test_an_endpoint_by_hand_gets_no_other_address_and_nobody_gets_that_one() -> None:
    other = cluster("zoo", annotations=NO_INGRESS)
    assert gets(pool(), by_hand("10.0.0.10", annotations=NO_INGRESS), other) == {
        "zoo.control-plane": "vips:11"
    }


def test_an_empty_endpoint_is_none_and_a_name_is_no_address() -> None:
    assert gets(pool(), by_hand("", annotations=NO_INGRESS)) == {CP: "vips:10"}
    assert gets(pool(), by_hand("shop.example.org", annotations=NO_INGRESS)) == {}


def test_an_endpoint_that_is_no_address_is_an_error_at_its_place() -> None:
    (found,) = evaluation_of(of(by_hand("10.0.0.999"))).findings
    assert (found.code, found.location.line) == ("address-invalid", 10)
    (found,) = evaluation_of(of(cluster(annotations={f"{VIP}ingress-vip": "fe80:::"}))).findings
    assert found.code == "address-invalid"


def test_an_endpoint_that_is_what_the_record_says_keeps_its_record() -> None:
    files = reconciled(of(pool(), cluster(annotations=NO_INGRESS)))
    files["clusters/01.yaml"] = by_hand("10.0.0.10", annotations=NO_INGRESS)
    assert got(evaluation_of(files)) == {CP: "vips:10"}
    files["clusters/01.yaml"] = by_hand("10.0.0.11", annotations=NO_INGRESS)
    assert got(evaluation_of(files)) == {CP: "Release"}


def test_an_endpoint_by_hand_is_recorded_when_the_cluster_says_so() -> None:
    adopted = {**NO_INGRESS, "gitops-ipam.dev/adopt": "true"}
    assert gets(pool(), by_hand("10.0.0.15", annotations=adopted)) == {CP: "vips:15"}
    assert gets(pool(), by_hand("10.0.0.99", annotations=adopted)) == {CP: "pin-outside-pool"}


def test_an_ingress_address_by_hand_counts_alike() -> None:
    own = {f"{VIP}ingress-vip": "10.0.0.100"}
    other = cluster("zoo")
    assert gets(pool(), INGRESS, cluster(annotations=own), other) == {
        CP: "vips:10",
        "zoo.control-plane": "vips:11",
        "zoo.ingress": "doors:101",
    }


def test_one_address_by_hand_for_both_is_no_conflict_and_two_clusters_with_one_are() -> None:
    own = {f"{VIP}ingress-vip": "10.0.0.10"}
    assert said(pool(), by_hand("10.0.0.10", annotations=own)) == []
    found = said(pool(), by_hand("10.0.0.10", annotations=NO_INGRESS),
                 cluster("zoo", controlPlaneEndpoint={"host": "10.0.0.10"}))  # fmt: skip
    assert [code for code, _ in found] == ["manual-range", "manual-range"]
    assert "overlaps" in found[0][1]


def test_an_endpoint_by_hand_that_a_record_holds_is_told_with_the_field() -> None:
    files = reconciled(of(pool(), cluster("zoo", annotations=NO_INGRESS)))
    files["clusters/02.yaml"] = by_hand("10.0.0.10", annotations=NO_INGRESS)
    (found,) = evaluation_of(files).findings
    assert found.code == "manual-range"
    assert "allocations/GlobalInClusterIPPool/vips/default/zoo.control-plane.yaml" in found.message
    assert found.hint == "remove controlPlaneEndpoint, or release the record"


@pytest.mark.parametrize(
    ("resting", "why"),
    [
        ({"paused": True}, "paused"),
        ({"annotations": {**NO_INGRESS, "cluster.x-k8s.io/paused": "true"}}, "paused"),
    ],
)
def test_a_paused_cluster_gets_nothing_new_and_keeps_what_it_holds(
    resting: dict[str, Any], why: str
) -> None:
    spec = {"annotations": NO_INGRESS, **resting}
    assert gets(pool(), cluster(**spec)) == {}
    assert said(pool(), cluster(**spec)) == [
        ("claim-paused", f"Cluster default/shop is {why}, so it gets no control-plane address")
    ]
    files = reconciled(of(pool(), cluster(annotations=NO_INGRESS)))
    files["clusters/01.yaml"] = cluster(**spec)
    assert got(evaluation_of(files)) == {CP: "vips:10"}


def test_a_cluster_that_is_being_deleted_gets_nothing_new() -> None:
    text = cluster(annotations=NO_INGRESS).replace(
        "name: shop", "name: shop\n  deletionTimestamp: '2026-02-15T10:00:00Z'"
    )
    assert gets(pool(), text) == {}
    (found,) = evaluation_of(of(pool(), text)).findings
    assert found.message.startswith("Cluster default/shop is being deleted, so it gets no ")
    assert found.hint == ""  # nothing is paused


def test_a_class_without_the_variable_is_told_once_with_the_mend() -> None:
    for version in ("v1beta1", "v1beta2"):
        text = document(
            "ClusterClass", f"cluster.x-k8s.io/{version}", {"name": "web"},
            {"variables": [{"name": "cni"}]},
        )  # fmt: skip
        (found,) = evaluation_of(of(text)).findings
        assert found.code == "variable-missing"
        assert found.message == (
            "ClusterClass variable 'clusterVip' not found in ClusterClass default/web"
        )
        assert found.hint.startswith("add the variable clusterVip to the ClusterClass")


def test_while_a_pool_cannot_be_read_its_clusters_wait_and_are_told_apart() -> None:
    files = {**of(pool(), cluster(annotations=NO_INGRESS)), "pools/z.yaml": pool("a", "10.0.0.999")}
    assert got(evaluation_of(files)) == {CP: "pool-frozen"}
    kept = {
        **reconciled(of(pool(), cluster(annotations=NO_INGRESS))),
        "pools/z.yaml": files["pools/z.yaml"],
    }
    assert got(evaluation_of(kept, CLOCK)) == {CP: "vips:10"}


def test_a_claim_that_bears_the_name_of_a_clusters_names_its_pool_and_is_no_second_one() -> None:
    pools = (pool("a", "10.0.0.30"), pool("b", "10.0.0.20", class_="other"))
    own = claim("vip-cp-shop", "b")
    assert gets(*pools, own, cluster(annotations=NO_INGRESS)) == {CP: "b:20"}
    assert gets(*pools, own) == {"vip-cp-shop.address": "b:20"}
    assert gets(*pools, own, by_hand("10.0.0.9", annotations=NO_INGRESS)) == {
        "vip-cp-shop.address": "b:20"
    }
    foreign = claim("vip-cp-shop", "b", kind="Metal3IPPool", group="ipam.metal3.io")
    assert gets(*pools, foreign, cluster(annotations=NO_INGRESS)) == {CP: "a:30"}
