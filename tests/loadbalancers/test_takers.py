"""Which pools a controller gives a Service an address of, in its order."""

from typing import Any

import pytest

from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import LoadBalancerPool, ServiceRequest, ServiceSelection
from reconciler.loadbalancers.ranges import ranges_of

METALLB, CILIUM = controller("MetalLB"), controller("Cilium")
WEB = {"matchLabels": {"tier": "web"}}


def allocated(name: str, *addresses: str, **spec: Any) -> dict[str, Any]:
    more = {"addresses": [*addresses] or ["10.0.0.1-10.0.0.4"], **spec}
    return {"metadata": {"name": name}, "spec": more}


POOLS = [
    allocated("all"),
    allocated("named", "10.0.1.1-10.0.1.4", autoAssign=False),
    allocated("edge", serviceAllocation={"namespaces": ["edge"]}),
    allocated("web", serviceAllocation={"serviceSelectors": [WEB], "priority": 20}),
    allocated(
        *("both", "10.0.2.1-10.0.2.4"),
        serviceAllocation={"namespaces": ["edge"], "serviceSelectors": [WEB], "priority": 10},
    ),
    allocated(
        "team",
        serviceAllocation={
            "namespaceSelectors": [{"matchLabels": {"kubernetes.io/metadata.name": "team"}}]
        },
    ),
]
PINNED = ranges_of(["10.0.1.2-10.0.1.2"])


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (ServiceRequest("default", "a", {}), ("all",)),
        (ServiceRequest("edge", "a", {}), ("edge", "all")),
        (ServiceRequest("edge", "a", {"tier": "web"}), ("both", "web", "edge", "all")),
        (ServiceRequest("default", "a", {"tier": "web"}), ("web", "all")),
        (ServiceRequest("team", "a", {}), ("team", "all")),
        (ServiceRequest("default", "a", {}, "named"), ("named",)),
        (ServiceRequest("default", "a", {}, "edge"), ()),  # it does not select the Service
        (ServiceRequest("edge", "a", {}, "edge"), ("edge",)),
        (ServiceRequest("default", "a", {}, "other"), ()),
        (ServiceRequest("default", "a", {}, "", PINNED), ("named",)),
        (ServiceRequest("default", "a", {}, "all", PINNED), ()),
        (ServiceRequest("default", "a", {}, "", ranges_of(["10.0.2.1-10.0.2.1"])), ()),
    ],
)
def test_metallb_takes_the_pool_that_selects_a_service_first(
    asked: ServiceRequest, found: tuple[str, ...]
) -> None:
    assert METALLB.takers(asked, POOLS) == found


def test_cilium_takes_by_selector_and_not_from_a_disabled_pool() -> None:
    pools = [
        LoadBalancerPool("all", ranges_of(["10.0.0.1/32"]).ranges),
        LoadBalancerPool(
            "edge", ranges_of(["10.0.1.1/32"]).ranges, ServiceSelection(False, ("edge",))
        ),
        LoadBalancerPool("none", ranges_of(["10.0.2.1/32"]).ranges, ServiceSelection()),
        LoadBalancerPool(
            "web", ranges_of(["10.0.3.1/32"]).ranges, ServiceSelection(False, (), WEB)
        ),
    ]
    there = [*CILIUM.objects(pools, "")]

    def takers(*asked: Any) -> tuple[str, ...]:
        return CILIUM.takers(ServiceRequest(*asked), there)

    assert takers("default", "a", {}) == ("all",)
    assert takers("edge", "a", {"tier": "web"}) == ("all", "edge", "web")
    assert takers("edge", "a", {}, "", ranges_of(["10.0.1.1-10.0.1.1"])) == ("edge",)
    assert takers("default", "a", {}, "", ranges_of(["10.0.1.1-10.0.1.1"])) == ()
    there[0] = {**there[0], "spec": {**there[0]["spec"], "disabled": True}}
    assert takers("default", "a", {}) == ()


@pytest.mark.parametrize("balancer", [METALLB, CILIUM], ids=lambda it: it.name)
def test_an_entry_takes_the_services_that_it_selects(balancer: Any) -> None:
    pools = [
        LoadBalancerPool(name, ranges_of([f"10.0.{at}.1-10.0.{at}.1"]).ranges, chosen)
        for at, (name, chosen) in enumerate(
            {
                "all": ServiceSelection(is_default=True),
                "both": ServiceSelection(False, ("edge",), WEB),
                "none": ServiceSelection(),
            }.items()
        )
    ]
    kinds = (balancer.pool.kind,)
    there = [it for it in balancer.objects(pools, "") if it["kind"] in kinds]
    for namespace, labels, is_both in (
        ("edge", {"tier": "web"}, True),
        ("edge", {}, False),
        ("default", {"tier": "web"}, False),
    ):
        found = balancer.takers(ServiceRequest(namespace, "a", labels), there)
        assert ("all" in found, "both" in found, "none" in found) == (True, is_both, False)


EDGE, OLD = {"matchLabels": {"tier": "edge"}}, {"matchLabels": {"tier": "web", "site": "a"}}
ONE_OF, ONE = (
    {"matchExpressions": [{"key": "tier", "operator": "In", "values": values}]}
    for values in (["a", "b"], ["a"])
)


@pytest.mark.parametrize(
    ("before", "after", "narrows"),
    [
        ({}, {"namespaces": ["edge"]}, True),
        ({"namespaces": ["edge"]}, {}, False),
        ({"namespaces": ["edge"]}, {"namespaces": ["web"], "namespaceSelectors": [WEB]}, True),
        ({"namespaces": ["edge"], "priority": 1}, {"namespaces": ["edge", "web"]}, False),
        ({}, {"priority": 10}, False),
        ({}, {"serviceSelectors": [WEB]}, True),
        ({"serviceSelectors": [WEB]}, {"serviceSelectors": [EDGE, WEB]}, False),
        ({"serviceSelectors": [EDGE, WEB]}, {"serviceSelectors": [WEB]}, True),
        ({"serviceSelectors": [OLD]}, {"serviceSelectors": [WEB]}, False),
        ({"serviceSelectors": [WEB]}, {"serviceSelectors": [OLD]}, True),
        ({"serviceSelectors": [ONE]}, {"serviceSelectors": [ONE_OF]}, False),
        ({"serviceSelectors": [ONE_OF]}, {"serviceSelectors": [ONE]}, True),
        ({"namespaces": ["edge"]}, {"namespaces": ["edge"], "serviceSelectors": [WEB]}, True),
    ],
)
def test_metallb_clears_addresses_of_services_that_the_pool_no_longer_selects(
    before: dict[str, Any], after: dict[str, Any], narrows: bool
) -> None:
    pools = (allocated("p", serviceAllocation=it) for it in (before, after))
    assert METALLB.narrows(*pools) is narrows
    assert not METALLB.narrows(allocated("p"), allocated("p", autoAssign=False))


@pytest.mark.parametrize(
    ("before", "after", "narrows"),
    [
        ({}, WEB, True), (WEB, {}, False), (ONE, ONE_OF, False), (ONE_OF, ONE, True),
        (OLD, WEB, False), (WEB, EDGE, True),
    ],
)  # fmt: skip
def test_cilium_releases_addresses_of_services_that_the_selector_no_longer_matches(
    before: dict[str, Any], after: dict[str, Any], narrows: bool
) -> None:
    pools = ({"spec": {"serviceSelector": it}} for it in (before, after))
    assert CILIUM.narrows(*pools) is narrows
