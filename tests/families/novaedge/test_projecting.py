"""Status, conditions and messages of pools and VIPs in clusters (docs/reference/kinds/ProxyVIP.md)."""

from typing import Any

import pytest

from reconciler.planning.projection import project
from tests.families.novaedge import MAIN, pool, tree, vip
from tests.world import evaluation_of, reconciled, settings_text

SINCE = "2026-02-15T10:00:30Z"
DOCUMENTS = {"ipam.yaml": settings_text("{apply: {documents: all}}")}


def describe(files: dict[str, str | bytes]) -> dict[str, Any]:
    """Return manifests for the management cluster by kind and name, without records."""
    return {
        f"{item.manifest['kind']} {item.manifest['metadata']['name']}": item
        for item in project(evaluation_of(reconciled(files)))
        if item.manifest["kind"] != "IPAllocation"
    }


def status(files: dict[str, str | bytes], name: str = "ProxyVIP web") -> Any:
    return describe(files)[name].manifest.get("status")


def bound(files: dict[str, str | bytes]) -> tuple[str, str, str]:
    (condition,) = status(files)["conditions"]
    assert condition["type"] == "Bound"
    return condition["status"], condition["reason"], condition["message"]


def test_a_pool_goes_on_listing_what_others_have_of_it() -> None:
    listed = "{allocations: [{address: 10.200.0.4, vipRef: service/ns/x}, {address: 10.200.0.5, vipRef: web}]}"
    files = tree(vip("web"), vip("api"), pools=f"{MAIN}status: {listed}\n")
    assert status(files, "ProxyIPPool main")["allocations"] == [
        {"address": "10.200.0.1/32", "allocatedAt": SINCE, "vipRef": "api"},
        {"address": "10.200.0.4/32", "vipRef": "service/ns/x"},
        {"address": "10.200.0.5/32", "allocatedAt": SINCE, "vipRef": "web"},
    ]


ONE = pool(cidrs="[10.200.0.0/24]")


@pytest.mark.parametrize(
    ("vips", "pools", "reason", "message"),
    [
        ([vip(), vip("a")], pool(addresses="[10.200.0.1]"), "PoolExhausted",
         "pool exhausted: needs 1 address; pool main has 0 of 1 free"),
        ([vip(address="10.200.0.1"), vip("a", address="10.200.0.1")], ONE, "AddressConflict",
         "pinned range 10.200.0.1 is already held by a (vip)"),
        ([vip(address="10.201.0.1")], ONE, "AddressOutsidePool",
         "pinned range 10.201.0.1 is outside the ranges of pool main (10.200.0.0-10.200.0.255)"),
        ([vip(address="10.200.0.255")], ONE, "AddressOutsidePool",
         "pinned range 10.200.0.255 contains reserved addresses of pool main: 10.200.0.255"),
        ([vip(of="none")], ONE, "PoolNotFound", "pool none does not exist in this repository"),
        ([vip()], pool(auto="false", cidrs="[10.200.0.0/24]"), "AutoAssignDisabled",
         "pool main has autoAssign: false, so the claim must name an address"),
        ([vip(addressFamily="ipv6")], ONE, "AddressFamilyMismatch",
         "the claim needs an IPv6 address, and pool main has none"),
    ],
)  # fmt: skip
def test_a_vip_without_an_address_tells_why(
    vips: list[str], pools: str, reason: str, message: str
) -> None:
    said = bound(tree(*vips, pools=pools))
    assert said[:2] == ("False", reason)
    assert said[2] == message
    assert "allocatedAddress" not in status(tree(*vips, pools=pools))


def test_of_a_vip_that_was_observed_nothing_is_applied_but_a_status() -> None:
    there = "observed/ProxyVIP.novaedge.io/_/web.yaml"
    hand = vip(of="", address="10.9.0.1")
    assert describe({**DOCUMENTS, there: hand, **pools()}).keys() == {"ProxyIPPool main"}
    served = describe({**DOCUMENTS, there: vip(), **pools()})["ProxyVIP web"]
    assert (served.is_status_only, served.manifest.keys()) == (
        True, {"apiVersion", "kind", "metadata", "status"},
    )  # fmt: skip


def pools() -> dict[str, str | bytes]:
    return {path: text for path, text in tree().items() if path.startswith("pools/")}
