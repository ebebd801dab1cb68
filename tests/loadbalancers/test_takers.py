"""Which pools a controller gives a Service an address of, in its order."""

from typing import Any

import pytest

from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import LoadBalancerPool, ServiceRequest, ServiceSelection
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.review.announcements import narrows

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
ONE_OF, ONE, NOT_ONE = (
    {"matchExpressions": [{"key": "tier", "operator": how, "values": values}]}
    for how, values in (("In", ["a", "b"]), ("In", ["a"]), ("NotIn", ["a"]))
)
HAS = {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}
ALL, NONE = ServiceSelection(True), ServiceSelection()


def some(*namespaces: str, **selector: Any) -> ServiceSelection:
    return ServiceSelection(False, namespaces, selector)


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (ALL, ALL, ""),
        (ALL, NONE, "Cilium"),  # autoAssign: false of MetalLB takes no address
        (NONE, ALL, ""),
        (ALL, some("edge"), "Cilium MetalLB"),
        (NONE, some("edge"), "MetalLB"),  # a Service that names the pool or an address has one
        (some("edge"), ALL, ""),
        (some("edge"), some("web"), "Cilium MetalLB"),
        (some("edge"), some("edge", "web"), ""),
        (some("edge"), some("edge", **WEB), "Cilium MetalLB"),
        (some("edge", **WEB), some("edge"), ""),
        (some(**OLD), some(**WEB), ""),
        (some(**WEB), some(**OLD), "Cilium MetalLB"),
        (some(**WEB), some(**EDGE), "Cilium MetalLB"),
        (some(**ONE), some(**ONE_OF), ""),
        (some(**ONE_OF), some(**ONE), "Cilium MetalLB"),
        (ALL, some(**NOT_ONE), "Cilium MetalLB"),
        (some(**NOT_ONE), some(**HAS), "Cilium MetalLB"),
        (some(**ONE), some(**HAS), ""),
    ],
)
def test_a_controller_takes_addresses_of_services_that_a_pool_no_longer_selects(
    before: ServiceSelection, after: ServiceSelection, lost: str
) -> None:
    pools = [LoadBalancerPool("p", ranges_of(["10.0.0.1/32"]).ranges, it) for it in (before, after)]
    found = [it.name for it in (CILIUM, METALLB) if narrows(it, pools[0], pools[1])]
    assert " ".join(found) == lost
