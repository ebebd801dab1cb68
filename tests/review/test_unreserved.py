"""Findings about reserved addresses that a change lets a pool allocate."""

import pytest

from reconciler.documents.findings import Finding, Severity
from reconciler.review.pools import unreserved
from tests.planning.outcome import Files, without
from tests.review.sides import change_of
from tests.review.test_pools import spaced
from tests.world import SMALL, pool, provider, reconciled, tenant

ROUTERS = "[{cidr: 10.40.0.8/29, description: routers}, {cidr: 10.40.0.16/29}]"
LATER = "[{cidr: 10.40.0.16/29}]"
DONE = reconciled({**SMALL, "pools/edge.yaml": pool(reserved=ROUTERS)})


def as_findings(before: Files, now: Files) -> list[Finding]:
    return list(unreserved(change_of(before, now)))


def test_a_block_that_is_not_reserved_any_more_is_a_warning_with_what_it_was_for() -> None:
    (found,) = as_findings(DONE, {**DONE, "pools/edge.yaml": pool(reserved=LATER)})
    assert (found.severity, str(found.location)) == (Severity.WARNING, "pools/edge.yaml:5")
    assert found.message == (
        "NetworkPool edge can allocate 10.40.0.8-10.40.0.15 ('routers'), reserved in main"
    )
    assert "reserve them again" in found.hint


def test_who_gets_the_same_in_another_address_space_or_others_of_the_pool_is_not_named() -> None:
    theirs = {
        "pools/lab.yaml": spaced("lab", "lab", "10.40.0.8/29"),
        "providers/lab.yaml": provider("lab", "[{name: lab}]"),
        "tenants/two.yaml": tenant("two", "team-b", providerConfigRef="{name: lab}"),
        "tenants/three.yaml": tenant("three"),
    }
    kept = "[{cidr: 10.40.0.16/28}]"
    text = pool(reserved=kept, tenantAllocation="{start: 10.40.0.8, end: 10.40.0.63}")
    (found,) = as_findings(DONE, {**DONE, **theirs, "pools/edge.yaml": text})
    given = "; this change allocates 10.40.0.8-10.40.0.15 to team-a/three (loadbalancer)"
    assert found.message.endswith(f"('routers'), reserved in main{given}")
    small = pool(reserved=kept, tenantAllocation="{start: 10.40.0.9, end: 10.40.0.63}")
    (found,) = as_findings(DONE, {**DONE, **theirs, "pools/edge.yaml": small})
    assert found.message.endswith("10.40.0.9-10.40.0.15 ('routers'), reserved in main")


@pytest.mark.parametrize(
    "text",
    [
        pool(reserved="[{cidr: 10.40.0.8/29}, {cidr: 10.40.0.16/29}]"),  # for something else
        pool(reserved="[{cidr: 10.40.0.8/30}, {cidr: 10.40.0.12/30}, {cidr: 10.40.0.16/28}]"),
        pool(tenantAllocation="{start: 10.40.0.0, end: 10.40.0.7}"),  # not allocated anyway
        pool(reserved=ROUTERS, cidr="10.40.0.0/23"),
    ],
)
def test_what_stays_reserved_or_is_not_given_out_is_no_loss(text: str) -> None:
    assert as_findings(DONE, {**DONE, "pools/edge.yaml": text}) == []


def test_a_pool_that_comes_in_the_place_of_another_is_judged_by_what_that_reserved() -> None:
    gone = without(DONE, "pools/edge.yaml")
    (found,) = as_findings(DONE, {**gone, "pools/next.yaml": pool("next", "10.40.0.0/28")})
    assert found.message == (
        "NetworkPool next can allocate 10.40.0.8-10.40.0.15 ('routers'), reserved in main"
    )
    assert as_findings(DONE, {**gone, "pools/next.yaml": spaced("lab", "next")}) == []


def test_what_is_excluded_from_a_pool_of_cluster_api_counts_as_well() -> None:
    vips = (
        "apiVersion: ipam.cluster.x-k8s.io/v1alpha2\nkind: InClusterIPPool\n"
        "metadata: {name: vips, namespace: capi}\nspec:\n  prefix: 24\n  gateway: 10.50.0.1\n"
        "  addresses: [10.50.0.1-10.50.0.99]\n  excludedAddresses: [10.50.0.9]\n"
    )
    now = vips.replace("excludedAddresses: [10.50.0.9]", "excludedAddresses: []")
    (found,) = as_findings({"pools/vips.yaml": vips}, {"pools/vips.yaml": now})
    assert found.message.endswith("vips can allocate 10.50.0.9, reserved in main")
    now = vips.replace("gateway: 10.50.0.1", "gateway: 10.50.0.254")
    (found,) = as_findings({"pools/vips.yaml": vips}, {"pools/vips.yaml": now})
    assert found.message.endswith("vips can allocate 10.50.0.1, reserved in main")
