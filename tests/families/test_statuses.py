"""`ipam` writes only the status of ProviderConfigs and TenantClusters."""

from typing import Any

import pytest

from reconciler.planning.projection import project
from tests.planning.outcome import Files, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, request, tenant

SINCE = "2026-02-15T10:00:30Z"
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2}"
CLOUD = provider().replace("mode: ipam", "mode: cloud")


def statuses(files: Files, clock: int = CLOCK) -> dict[str, Any]:
    return {
        f"{item.manifest['kind']}/{item.manifest['metadata']['name']}": item.manifest["status"]
        for item in project(evaluation_of(files, clock))
        if item.is_status_only
    }


def of_provider(files: Files) -> Any:
    return statuses(files)["ProviderConfig/default"]


def of_tenant(files: Files, name: str = "one") -> Any:
    return statuses(files)[f"TenantCluster/{name}"]


def describe(status: Any) -> tuple[str, str, str]:
    (found,) = status["conditions"]
    assert found["lastTransitionTime"] == SINCE
    return found["status"], found["reason"], found["message"]


def test_only_identity_and_status_are_said_of_what_belongs_to_others() -> None:
    labelled = tenant("one").replace("{name: one,", "{name: one, labels: {a: b},")
    files = {**SMALL, "tenants/one.yaml": labelled}
    found = [item for item in project(evaluation_of(files)) if item.is_status_only]
    assert {item.cluster for item in found} == {"management"}
    assert (
        {*found[0].manifest} == {*found[1].manifest} == {"apiVersion", "kind", "metadata", "status"}
    )
    assert [item.manifest["metadata"] for item in found] == [
        {"name": "default", "namespace": "butler-system"},
        {"name": "one", "namespace": "team-a"},
    ]


def test_a_provider_counts_what_its_pools_have_left() -> None:
    files = {
        **SMALL,
        "pools/spare.yaml": pool("spare", "10.50.0.0/28"),
        "providers/default.yaml": provider(
            pools="[{name: edge}, {name: spare}, {name: edge}, {name: nowhere}]"
        ),
    }
    found = of_provider(reconciled(files))
    assert found["capacity"] == {"availableIPs": 256 + 16 - 8, "estimatedTenants": 264 // 13}
    assert describe(found) == ("True", "PoolAvailable", "264 IPs available (~20 tenants)")
    assert found["conditions"][0]["type"] == "PoolAvailable"


def test_a_provider_whose_pools_are_full_or_missing_says_so() -> None:
    full = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/29")}
    nowhere = without(SMALL, "pools/edge.yaml")
    for files in (reconciled(full), nowhere):
        found = of_provider(files)
        assert found["capacity"] == {"availableIPs": 0, "estimatedTenants": 0}
        assert describe(found) == ("False", "PoolExhausted", "all configured pools are exhausted")


def test_a_provider_without_a_pool_is_wrong_and_counts_nothing() -> None:
    files = {**SMALL, "providers/default.yaml": provider(pools="[]")}
    found = of_provider(files)
    message = "network.mode is 'ipam' but no poolRefs configured"
    assert describe(found) == ("False", "ValidationFailed", message)
    assert "capacity" not in found
    not_ready = ("False", "NetworkNotReady", "IPAM mode but no poolRefs configured on provider")
    assert describe(of_tenant(files)) == not_ready


def test_nothing_is_said_of_a_provider_in_cloud_mode_or_one_that_cannot_be_read() -> None:
    azure = provider().replace("harvester", "azure")
    for text in (CLOUD, azure, provider(gateway="10.40.0.300"), "kind: ["):
        assert "ProviderConfig/default" not in statuses({**SMALL, "providers/default.yaml": text})


def test_a_tenant_names_its_allocations_and_the_range_that_it_got() -> None:
    nodes = pool(tenantAllocation="{defaults: {nodesPerTenant: 5}}")
    found = of_tenant(reconciled({**SMALL, "pools/edge.yaml": nodes}))
    assert found["lbAllocationRef"] == {"name": "team-a-one-lb"}
    assert found["ipAllocationRef"] == {"name": "team-a-one-nodes"}
    assert describe(found) == ("True", "Ready", "LB IPs allocated: 10.40.0.0/29")
    assert found["conditions"][0]["type"] == "NetworkReady"


def test_all_ranges_by_which_a_tenant_grew_are_told_in_the_order_of_its_slots() -> None:
    files: Files = SMALL
    for size in range(8, 20):
        grown = tenant("one", networking=f"{{lbPoolSize: {size}}}")
        files = reconciled({**files, "tenants/one.yaml": grown})
    found = of_tenant(files)
    assert found["lbAllocationRef"] == {"name": "team-a-one-lb"}
    ranges = ["10.40.0.0/29", *(f"10.40.0.{at}/32" for at in range(8, 19))]
    assert describe(found) == ("True", "Ready", f"LB IPs allocated: {', '.join(ranges)}")


WAITING = ("False", "Reconciling", "waiting for LB IP allocation")
SKIPPED = ("True", "Ready", "LB IP allocation skipped (initial pool size 0)")
BARE = {
    "providers/default.yaml": provider(loadBalancer=ELASTIC),
    "tenants/one.yaml": tenant("one", addons="{ingress: {enabled: false}}"),
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, WAITING),
        ({"providers/default.yaml": CLOUD}, ("True", "Ready", "cloud networking mode")),
        (BARE, SKIPPED),
        ({"tenants/one.yaml": tenant("one", providerConfigRef="{name: nobody}")}, WAITING),
        ({"pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.5/28}]")}, WAITING),
    ],
)
def test_a_tenant_without_a_record_says_why(
    changed: dict[str, str], expected: tuple[str, str, str]
) -> None:
    found = of_tenant({**SMALL, **changed})
    assert describe(found) == expected
    assert sorted(found) == ["conditions"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"pools/edge.yaml": pool(cidr="10.40.0.0/29"), "tenants/a.yaml": tenant("a")},
            "all configured pools are exhausted",
        ),
        (
            {"pools/edge.yaml": pool(cidr="10.40.0.0/30")},
            "needs 8 addresses, more than pool edge (4) can hold when empty",
        ),
        (
            {"providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 4}")},
            "would bring team-a/one to 8 loadbalancer addresses, more than its quota of 4",
        ),
    ],
)
def test_a_tenant_that_was_refused_names_its_record_and_is_not_ready(
    changed: dict[str, str], message: str
) -> None:
    found = of_tenant(reconciled({**SMALL, **changed}))
    assert found["lbAllocationRef"] == {"name": "team-a-one-lb"}
    assert describe(found) == ("False", "PoolExhausted", message)


def test_a_record_in_retention_speaks_for_nobody() -> None:
    released = reconciled(without(reconciled(SMALL), "tenants/one.yaml"))
    found = of_tenant({**released, "tenants/one.yaml": SMALL["tenants/one.yaml"]})
    assert describe(found)[1] == "Reconciling"
    assert "lbAllocationRef" not in found


def by_hand(name: str, kind: str = "loadbalancer", **spec: object) -> str:
    text = request(name, "edge", **spec).replace("type: nodes", f"type: {kind}")
    return text.replace(f"Ref: {{name: {name}, n", "Ref: {name: one, n")


def test_records_of_another_namespace_speak_for_no_tenant() -> None:
    near = pool("near", "10.41.0.0/24").replace("butler-system", "evil")
    text = by_hand("team-a-one-nodes", "nodes", count=2).replace("butler-system", "evil")
    files = {**SMALL, "pools/near.yaml": near, "tenants/n.yaml": text.replace("edge", "near")}
    assert "ipAllocationRef" not in of_tenant(reconciled(files))
    text = by_hand("team-a-one-nodes", "nodes", count=300).replace("butler-system", "evil")
    refused = {**files, "tenants/n.yaml": text.replace("edge", "near")}
    assert "ipAllocationRef" not in of_tenant(reconciled(refused))


def test_the_tenants_own_record_goes_before_one_made_by_hand() -> None:
    pinned = by_hand("a-pin", pinnedRange="{startAddress: 10.40.0.80, endAddress: 10.40.0.80}")
    files = {"tenants/pin.yaml": pinned, "tenants/n.yaml": by_hand("n", "nodes", count=2)}
    found = of_tenant(reconciled({**reconciled(SMALL), **files}))
    assert found["lbAllocationRef"] == {"name": "team-a-one-lb"}
    assert found["ipAllocationRef"] == {"name": "n"}


def test_a_pin_that_stands_for_the_tenants_claim_speaks_for_it_also_when_it_is_refused() -> None:
    for start, is_ready in (("10.40.0.80", True), ("10.41.0.80", False)):
        pin = by_hand("a-pin", pinnedRange=f"{{startAddress: {start}, endAddress: {start}}}")
        found = of_tenant(reconciled({**SMALL, "tenants/pin.yaml": pin}))
        assert found["lbAllocationRef"] == {"name": "a-pin"}
        assert describe(found)[0] == str(is_ready)
