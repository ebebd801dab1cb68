"""Objects for clusters: NetworkPools with status, records, and MetalLB objects."""

from typing import Any

import pytest

from reconciler.planning.projection import project
from tests.planning.outcome import Files, without
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, settings_text, tenant


def objects(files: Files, cluster: str = "management") -> dict[str, Any]:
    return {
        f"{item.manifest['kind']}/{item.manifest['metadata']['name']}": item.manifest
        for item in project(evaluation_of(files))
        if item.cluster == cluster and not item.is_status_only
    }


def status(files: Files, name: str = "edge") -> dict[str, Any]:
    found: dict[str, Any] = objects(files)[f"NetworkPool/{name}"]["status"]
    return found


def test_nothing_is_projected_that_is_not_recorded() -> None:
    assert list(objects(SMALL)) == ["NetworkPool/edge"]
    assert objects(SMALL, "team-a/one") == {}


def test_a_tenant_gets_its_ranges_and_their_announcement() -> None:
    found = objects(reconciled(SMALL), "team-a/one")
    assert found == {
        "IPAddressPool/default-pool": {
            "apiVersion": "metallb.io/v1beta1",
            "kind": "IPAddressPool",
            "metadata": {"name": "default-pool", "namespace": "metallb-system"},
            "spec": {"addresses": ["10.40.0.0-10.40.0.7"]},
        },
        "L2Advertisement/default": {
            "apiVersion": "metallb.io/v1beta1",
            "kind": "L2Advertisement",
            "metadata": {"name": "default", "namespace": "metallb-system"},
            "spec": {"ipAddressPools": ["default-pool"]},
        },
    }


def test_settings_can_leave_the_announcement_out() -> None:
    none = settings_text("{metallb: {advertisement: none}}")
    assert list(objects(reconciled({**SMALL, "ipam.yaml": none}), "team-a/one")) == [
        "IPAddressPool/default-pool"
    ]


def test_released_and_failed_records_are_not_announced() -> None:
    released = reconciled(without(reconciled(SMALL), "tenants/one.yaml"))
    assert objects({**released, "tenants/one.yaml": tenant("one")}, "team-a/one") == {}
    failed = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    assert objects(failed, "team-a/one") == {}


def test_a_document_that_is_wrong_or_gone_withdraws_nothing() -> None:
    files = reconciled(SMALL)
    announced = objects(files, "team-a/one")
    assert announced
    misspelt = tenant("one", networking="{lbPoolSize: many}")
    assert objects({**files, "tenants/one.yaml": misspelt}, "team-a/one") == announced
    assert objects({**files, "tenants/one.yaml": "kind: [\n"}, "team-a/one") == announced
    assert objects(without(files, "tenants/one.yaml"), "team-a/one") == announced


def test_the_status_of_a_pool_counts_what_butler_counts() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(
            reserved="[{cidr: 10.40.0.0/28}]",
            tenantAllocation="{start: 10.40.0.16, end: 10.40.0.31}",
        ),
    }
    found = status(reconciled(files))
    conditions = found.pop("conditions")
    assert found == {
        "allocatedIPs": 8,
        "allocationCount": 1,
        "availableIPs": 8,
        "fragmentationPercent": 0,
        "largestFreeBlock": 8,
        "poolSizeIPs": 256,
        "reservedIPs": 16,
        "totalIPs": 16,
        "unmanagedRanges": [{"start": "10.40.0.32", "end": "10.40.0.254"}],
        "unmanagedScopeIPs": 223,
    }
    ready = conditions[0]
    assert ready == {
        "lastTransitionTime": "2026-02-15T10:00:30Z",
        "message": "8/16 IPs available (1 allocations)",
        "reason": "Ready",
        "status": "True",
        "type": "Ready",
    }


# K1 of docs/reference/butler.md: which conditions are true at which utilization.
# Go divides before it multiplies: 23/40 is 57.49999999999999 %.
@pytest.mark.parametrize(
    ("used", "total", "percent"), [(28, 32, 88), (1, 8, 12), (3, 8, 38), (23, 40, 57)]
)
def test_a_message_rounds_as_butler_does(used: int, total: int, percent: int) -> None:
    end = f"10.40.0.{total - 1}"
    files = {
        "pools/edge.yaml": pool(tenantAllocation=f"{{start: 10.40.0.0, end: {end}}}"),
        "providers/default.yaml": provider(),
        "tenants/one.yaml": tenant("one", networking=f"{{lbPoolSize: {used}}}"),
    }
    assert status(reconciled(files))["conditions"][1]["message"] == (
        f"Pool utilization is {percent}% ({used}/{total} IPs)"
    )


def test_a_pool_that_gives_nothing_out_is_wholly_used() -> None:
    files = {"pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.0/24}]")}
    ready, *capacity = status(files)["conditions"]
    assert ready["message"] == "0/0 IPs available (0 allocations)"
    assert [item["status"] for item in capacity] == ["True"] * 3
    assert {item["message"] for item in capacity} == {"Pool utilization is 100% (0/0 IPs)"}
