"""Services of clusters: fields that affect growth, and unreadable ones."""

from typing import Any

import pytest

from reconciler.addresses import IPSet
from reconciler.apply.elastic import read_services
from reconciler.kube.resources import pared
from reconciler.model.objects import SERVICE
from tests.apply.elastic.building import METALLB, addresses, read, service


def test_a_service_that_was_a_load_balancer_still_has_its_address() -> None:
    found = read(service(address="10.0.0.9", type="ClusterIP"))
    assert found.addresses == addresses("10.0.0.9-10.0.0.9")
    assert not found.is_ours


@pytest.mark.parametrize("prefix", ["metallb.io/", "metallb.universe.tf/"])
def test_an_annotation_asks_for_a_pool_by_either_prefix(prefix: str) -> None:
    for pool, is_ours in [("default-pool", True), ("other", False), ("", True)]:
        assert read(service(annotations={f"{prefix}address-pool": pool})).is_ours is is_ours


def test_a_pool_of_another_name_is_asked_for_by_that_name() -> None:
    for pool, is_ours in [("edge", True), ("default-pool", False), ("", True)]:
        asking = service(annotations={"metallb.io/address-pool": pool})
        ((found,), _) = read_services([asking], METALLB, pools=["edge"])
        assert found.is_ours is is_ours


def test_only_the_class_that_is_served_counts() -> None:
    assert not read(service(loadBalancerClass="cloud/nlb")).is_ours
    assert read(service(loadBalancerClass="edge/lb"), "edge/lb").is_ours
    assert not read(service(), "edge/lb").is_ours


@pytest.mark.parametrize(
    "more",
    [
        {"loadBalancerIP": "10.0.0.7"},
        {"annotations": {"metallb.io/loadBalancerIPs": "10.0.0.7"}},
        {"annotations": {"metallb.universe.tf/loadBalancerIPs": " 10.0.0.7 "}},
    ],
)
def test_an_address_is_asked_for_by_field_or_annotation(more: Any) -> None:
    found = read(service(**more))
    assert (found.pinned, found.problem) == (addresses("10.0.0.7-10.0.0.7"), "")


def test_two_addresses_may_be_asked_for_and_no_more() -> None:
    both = read(service(annotations={"metallb.io/loadBalancerIPs": "10.0.0.7,fd00::7"}))
    assert both.pinned.size == 2
    many = read(service(annotations={"metallb.io/loadBalancerIPs": ",".join("123456789")}))
    assert many.problem == "it asks for more than 2 addresses"


def test_both_ways_to_ask_for_an_address_are_one_too_many() -> None:
    pinned = {"metallb.io/loadBalancerIPs": "10.0.0.7"}
    found = read(service(loadBalancerIP="10.0.0.7", annotations=pinned))
    assert found.pinned == IPSet()
    assert "in an annotation" in found.problem


@pytest.mark.parametrize(
    ("spec", "needs"),
    [
        ({}, False),
        ({"ipFamilies": ["IPv4"]}, False),
        ({"ipFamilies": ["IPv6"]}, True),
        ({"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}, True),
        ({"ipFamilyPolicy": "RequireDualStack"}, True),
        ({"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "PreferDualStack"}, False),
        ({"ipFamilies": ["IPv6"], "ipFamilyPolicy": "SingleStack"}, True),
        ({"ipFamilies": ["IPv4", "IPv6"]}, True),
    ],
)
def test_who_needs_an_ipv6_address(spec: dict[str, Any], needs: bool) -> None:
    assert (6 in read(service(**spec)).versions) is needs


def test_those_who_share_have_ports_and_where_traffic_stays_the_same_pods() -> None:
    key = {"metallb.io/allow-shared-ip": "k"}
    found = read(service(annotations=key, ports=[{"port": 53, "protocol": "UDP"}, {"port": 80}]))
    assert (found.sharing, found.backend) == ("k", "")
    assert found.ports == {"UDP/53", "TCP/80"}
    local: dict[str, Any] = {"externalTrafficPolicy": "Local", "selector": {"app": "a"}}
    assert read(service(annotations=key, **local)).backend == "[('app', 'a')]"
    assert read(service(**local)).backend == ""


ODD: list[tuple[Any, str]] = [
    (service(metadata={"creationTimestamp": "yesterday"}), "creationTimestamp is not a valid time"),
    (service(address="all of them"), "'all of them-all of them' is not a CIDR"),
]


@pytest.mark.parametrize(("item", "why"), ODD)
def test_a_service_with_absurd_fields_is_told_and_the_others_are_read(item: Any, why: str) -> None:
    found, (odd,) = read_services([service("good"), item, service("other")], METALLB)
    assert [it.name for it in found] == ["default/good", "default/other"]
    assert why in odd


def test_of_a_service_in_a_list_all_is_kept_that_is_read_and_no_more() -> None:
    key = {"metallb.io/allow-shared-ip": "k"}
    more: dict[str, Any] = {"externalTrafficPolicy": "Local", "selector": {"app": "a"}}
    more["clusterIP"] = "10.96.0.9"
    for item in (
        service(annotations={**key, "kubectl.kubernetes.io/last": "x" * 99}, **more),
        service(address="10.0.0.9", loadBalancerIP="10.0.0.9", ipFamilies=["IPv4"]),
        service(metadata={"deletionTimestamp": "2026-02-15T10:00:30Z"}),
        service(type="ClusterIP"),
    ):
        item["metadata"]["managedFields"] = [{"manager": "kubectl"}]
        assert read_services([pared(item, SERVICE)], METALLB) == read_services([item], METALLB)
        assert set(pared(item, SERVICE)["metadata"]) <= {
            *("name", "namespace", "uid", "annotations"),
            *("creationTimestamp", "deletionTimestamp"),
        }
