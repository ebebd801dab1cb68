"""What clusters are told of pools and VIPs: seed 003's status, conditions and messages."""

from typing import Any

import pytest

from reconciler.addresses import IPRange
from reconciler.families.novaedge.adopting import Held
from reconciler.families.novaedge.projecting import MOST_LISTED, pool_status
from reconciler.model.plan import Usage
from reconciler.model.pool import Tier
from reconciler.projecting import project
from tests.families.novaedge import MAIN, pool, tree, vip
from tests.world import evaluation_of, reconciled

SINCE = "2026-02-15T10:00:30Z"
DOCUMENTS = {"ipam.yaml": (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {apply: {documents: all}}\n"
)}  # fmt: skip


def told(files: dict[str, str | bytes]) -> dict[str, Any]:
    """Manifests for the management cluster by kind and name; records left out."""
    return {
        f"{item.manifest['kind']} {item.manifest['metadata']['name']}": item
        for item in project(evaluation_of(reconciled(files)))
        if item.manifest["kind"] != "IPAllocation"
    }


def status(files: dict[str, str | bytes], name: str = "ProxyVIP web") -> Any:
    return told(files)[name].manifest.get("status")


def bound(files: dict[str, str | bytes]) -> tuple[str, str, str]:
    (condition,) = status(files)["conditions"]
    assert condition["type"] == "Bound"
    return condition["status"], condition["reason"], condition["message"]


def test_a_pool_tells_what_it_gave_out() -> None:
    manifest = told(tree(vip("web"), vip("api", address="10.200.0.9")))["ProxyIPPool main"].manifest
    assert manifest["metadata"] == {"name": "main"}
    assert manifest["spec"]["autoAssign"] is True
    message = "Pool has 508 available addresses"
    assert manifest["status"] == {
        "allocated": 2,
        "available": 508,
        "allocations": [
            {"address": "10.200.0.1/32", "allocatedAt": SINCE, "vipRef": "web"},
            {"address": "10.200.0.9/32", "allocatedAt": SINCE, "vipRef": "api"},
        ],
        "conditions": [
            {"type": "Ready", "status": "True", "reason": "PoolReady", "message": message,
             "lastTransitionTime": SINCE}
        ],
    }  # fmt: skip


def test_a_pool_goes_on_listing_what_others_have_of_it() -> None:
    listed = "{allocations: [{address: 10.200.0.4, vipRef: service/ns/x}, {address: 10.200.0.5, vipRef: web}]}"
    files = tree(vip("web"), vip("api"), pools=f"{MAIN}status: {listed}\n")
    assert status(files, "ProxyIPPool main")["allocations"] == [
        {"address": "10.200.0.1/32", "allocatedAt": SINCE, "vipRef": "api"},
        {"address": "10.200.0.4/32", "vipRef": "service/ns/x"},
        {"address": "10.200.0.5/32", "allocatedAt": SINCE, "vipRef": "web"},
    ]


def test_who_has_a_record_of_an_address_is_listed_once() -> None:
    files = reconciled(tree(vip("web")))
    files["pools/p.yaml"] = (
        f"{MAIN}status: {{allocations: [{{address: 10.200.0.1, vipRef: gone}}]}}\n"
    )
    assert status(files, "ProxyIPPool main")["allocations"] == [
        {"address": "10.200.0.1/32", "allocatedAt": SINCE, "vipRef": "web"}
    ]


def test_counters_keep_to_their_type_and_the_message_is_exact() -> None:
    found = status(tree(pools=pool(cidrs="[2001:db8::/64]")), "ProxyIPPool main")
    assert (found["allocated"], found["available"]) == (0, 2_147_483_647)
    assert found["conditions"][0]["message"] == "Pool has 18446744073709551616 available addresses"


def test_a_status_lists_as_much_as_an_object_takes() -> None:
    files = tree(vip("web"))
    (record,) = evaluation_of(reconciled(files)).state.records
    usage = Usage(9, 9, 0, 0, 9, 0, 0, 100.0, Tier.EXHAUSTED)
    others = [Held(IPRange(4, at, at), "service/ns/x", "", ()) for at in range(1, MOST_LISTED + 1)]
    found = pool_status(usage, [record], SINCE, others)
    assert len(found["allocations"]) == MOST_LISTED


def test_a_pool_that_cannot_be_read_is_not_told_anew() -> None:
    assert told(tree(pools=MAIN.replace("/24", "/99"))) == {}


def test_a_vip_tells_its_address_and_nothing_else_of_it_is_ours() -> None:
    item = told(tree(vip()))["ProxyVIP web"]
    assert item.is_status_only
    assert "spec" not in item.manifest
    assert item.manifest["status"]["allocatedAddress"] == "10.200.0.1/32"
    assert bound(tree(vip())) == (
        "True", "AddressAllocated", "Address 10.200.0.1/32 allocated from pool main",
    )  # fmt: skip


def test_two_addresses_are_told_as_two_and_one_of_ipv6_as_the_first() -> None:
    both = tree(vip(addressFamily="dual"))
    found = status(both)
    assert (found["allocatedAddress"], found["allocatedIPv6Address"]) == (
        "10.200.0.1/32", "2001:db8::/128",
    )  # fmt: skip
    assert bound(both)[2] == "Addresses 10.200.0.1/32 and 2001:db8::/128 allocated from pool main"
    six = status(tree(vip(addressFamily="ipv6")))
    assert six["allocatedAddress"] == "2001:db8::/128"
    assert "allocatedIPv6Address" not in six


ONE = pool(cidrs="[10.200.0.0/24]")


@pytest.mark.parametrize(
    ("vips", "pools", "reason", "message"),
    [
        ([vip(), vip("a")], pool(addresses="[10.200.0.1]"), "PoolExhausted",
         "pool exhausted: needs 1; main: 0 free of 1"),
        ([vip(address="10.200.0.1"), vip("a", address="10.200.0.1")], ONE, "AddressConflict",
         "10.200.0.1 is taken by a (vip)"),
        ([vip(address="10.201.0.1")], ONE, "AddressOutsidePool",
         "10.201.0.1 is not within the ranges of main: 10.200.0.0-10.200.0.255"),
        ([vip(address="10.200.0.255")], ONE, "AddressOutsidePool",
         "10.200.0.255 holds reserved addresses of main: 10.200.0.255"),
        ([vip(of="none")], ONE, "PoolNotFound", "none is not in the repository"),
        ([vip()], pool(auto="false", cidrs="[10.200.0.0/24]"), "AutoAssignDisabled",
         "main gives no address by itself"),
        ([vip(addressFamily="ipv6")], ONE, "AddressFamilyMismatch",
         "the claim needs IPv6, main has none"),
    ],
)  # fmt: skip
def test_a_vip_without_an_address_tells_why(
    vips: list[str], pools: str, reason: str, message: str
) -> None:
    said = bound(tree(*vips, pools=pools))
    assert said[:2] == ("False", reason)
    assert said[2] == message
    assert "allocatedAddress" not in status(tree(*vips, pools=pools))


def test_of_two_addresses_one_is_told_beside_why_the_other_is_not_there() -> None:
    files = reconciled(tree(vip(), pools=ONE))
    files["tenants/v.yaml"] = vip(addressFamily="dual")
    assert status(files)["allocatedAddress"] == "10.200.0.1/32"
    assert bound(files)[:2] == ("False", "AddressFamilyMismatch")


def test_a_vip_that_is_not_planned_yet_waits() -> None:
    found = [item.manifest for item in project(evaluation_of(tree(vip())))]
    (condition,) = next(it["status"] for it in found if it["kind"] == "ProxyVIP")["conditions"]
    assert (condition["reason"], condition["status"]) == ("AllocationPending", "False")


def test_a_vip_without_a_pool_is_left_alone() -> None:
    files = tree(vip(of="", address="10.9.0.1"))
    assert "ProxyVIP web" not in told(files)
    assert told({**files, **DOCUMENTS})["ProxyVIP web"].manifest["spec"]["address"] == "10.9.0.1"
    assert status({**files, **DOCUMENTS}) is None


def test_settings_may_have_documents_applied_with_their_status() -> None:
    item = told({**tree(vip()), **DOCUMENTS})["ProxyVIP web"]
    assert not item.is_status_only
    assert item.manifest["spec"]["poolRef"] == {"name": "main"}
    assert item.manifest["status"]["allocatedAddress"] == "10.200.0.1/32"


def test_a_vip_that_is_gone_is_told_of_by_nobody() -> None:
    files = reconciled(tree(vip("web"), vip("api")))
    files["tenants/v.yaml"] = vip("api")
    found = told(files)
    assert "ProxyVIP web" not in found
    assert [it["vipRef"] for it in status(files, "ProxyIPPool main")["allocations"]] == ["api"]


def test_of_a_vip_that_was_observed_nothing_is_applied_but_a_status() -> None:
    there = "observed/ProxyVIP.novaedge.io/_/web.yaml"
    hand = vip(of="", address="10.9.0.1")
    assert told({**DOCUMENTS, there: hand, **pools()}).keys() == {"ProxyIPPool main"}
    served = told({**DOCUMENTS, there: vip(), **pools()})["ProxyVIP web"]
    assert (served.is_status_only, served.manifest.keys()) == (
        True, {"apiVersion", "kind", "metadata", "status"},
    )  # fmt: skip


def pools() -> dict[str, str | bytes]:
    return {path: text for path, text in tree().items() if path.startswith("pools/")}
