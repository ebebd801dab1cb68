"""What the management cluster remembers of others, when a run fails in the middle of one."""

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    MERGE,
    SECOND,
    announced,
    failures,
    world,
)
from tests.faults.site import HUB, POOL, POOL_NAME, Faulty, good, refusal
from tests.kube.proxy import Fault

BUTLER = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces"
NO_RIGHT = 'ipaddresspools is forbidden: User "x" cannot list resource "ipaddresspools"'


def test_a_cluster_whose_pools_cannot_be_read_is_remembered_with_them(site: Faulty) -> None:
    """Shop gives its range to web, but its pools cannot be read: so web does not get it."""
    site.apply(world("web", "shop"))
    moved = world("web")
    unreadable = refusal(403, NO_RIGHT, "Forbidden")
    site.breaks(SECOND, Fault(f"GET {ADDRESS_POOLS}", status=403, body=unreadable))
    applied = site.apply(moved, "b")
    assert applied[SECOND].state is ClusterState.FAILED
    assert site.known()[SECOND].addresses == ("10.0.0.0-10.0.0.3",)
    assert site.known()[SECOND].revision == "a" * 40
    assert f"{SECOND} may still announce" in failures(applied[FIRST])[POOL_NAME]
    assert site.announced() == {SECOND: ("10.0.0.0-10.0.0.3",)}
    site.settle(moved, "b")


def test_a_cluster_with_odd_objects_fails_alone(site: Faulty) -> None:
    """A list whose items are none is that cluster's failure, and no end of the run."""
    metadata = {"name": "x", "uid": "u", "resourceVersion": "1", "labels": 5}
    odd = {"kind": "IPAddressPoolList", "items": [{"metadata": metadata}]}
    site.breaks(FIRST, Fault(f"GET {ADDRESS_POOLS}", status=200, body=odd))
    files = world("web", "shop")
    applied = site.apply(files)
    assert applied[FIRST].state is ClusterState.FAILED
    assert applied[FIRST].error == (
        "IPAddressPool 'x' cannot be read: Expected `object | null`, got `int` - at `$.metadata.labels`"
    )
    assert not applied[FIRST].is_bug
    good(applied, HUB, SECOND)
    site.settle(files)


def test_a_pool_of_ours_that_somebody_broke_is_not_taken_from_its_services(site: Faulty) -> None:
    site.apply(world("web", "shop"))
    one = site.tenants[SECOND]
    broken = {"spec": {"addresses": ["10.0.0.0-10.0.0.3", "nonsense"]}}
    assert one.request("PATCH", POOL, broken, MERGE)[0] == 200
    balancer = {"metadata": {"name": "s"}, "spec": {"type": "LoadBalancer", "ports": [{"port": 1}]}}
    path = "/api/v1/namespaces/default/services"
    one.put(balancer, path=path)
    status = {"status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}}
    assert one.request("PATCH", f"{path}/s/status", status, MERGE)[0] == 200
    applied = site.apply(world("web"), "b")
    assert "Service default/s uses 10.0.0.1" in failures(applied[SECOND])[POOL_NAME]
    assert announced(one) is not None
    assert site.known()[SECOND].addresses == ("10.0.0.0-10.0.0.3",)


def test_a_pool_whose_label_was_taken_off_is_still_announced(site: Faulty) -> None:
    site.apply(world("web", "shop"))
    label = {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}
    assert site.tenants[SECOND].request("PATCH", POOL, label, MERGE)[0] == 200
    applied = site.apply(world("web"), "b")
    assert site.known()[SECOND].addresses == ("10.0.0.0-10.0.0.3",)
    assert f"{SECOND} may still announce" in failures(applied[FIRST])[POOL_NAME]
    assert announced(site.tenants[FIRST]) is None
