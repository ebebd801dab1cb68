"""Pools of entries on a real API server, with the real controllers."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from reconciler.kube import interface as kube
from reconciler.kube.clusters import KubeClusters
from reconciler.loadbalancers.interface import LoadBalancerPool, ServiceSelection
from tests.envtest.assets import lb_ipam
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.loadbalancers.clusters import Cluster, errors, ranges, service

METALLB = "/apis/metallb.io/v1beta1/namespaces/metallb-system"
SERVICES = "/api/v1/namespaces/{}/services"


class RealCluster(Cluster):
    """A cluster on a real API server."""

    def __init__(self, name: str, api: ApiServer) -> None:
        super().__init__(name)
        self.api = api

    def opened(self) -> kube.Cluster:
        kubeconfig = self.api.kubeconfig.read_bytes()
        return KubeClusters(None).connect("prod-1", kubeconfig, is_named=True)

    def listed(self) -> dict[Any, list[Mapping[str, Any]]]:
        """All objects of the controller."""
        connection = self.opened()
        kinds = (self.balancer.pool, *self.balancer.others)
        return {kind: list(connection.list(kind).items) for kind in kinds}

    def specs(self) -> dict[str, Any]:
        return {
            f"{kind.kind} {item['metadata']['name']}": item["spec"]
            for kind, items in self.listed().items()
            for item in items
        }

    def serve(self, name: str, namespace: str = "default", **metadata: Any) -> str:
        """Create a Service, and return the address from the controller."""
        made = service(name, "", ports=[{"port": 80}])
        made["metadata"] |= {"namespace": namespace, **metadata}
        self.api.put(made, path=SERVICES.format(namespace))
        found: str = until(lambda: self.address(name, namespace), f"{name} has an address")
        return found

    def address(self, name: str, namespace: str = "default") -> str:
        status = self.api.get(f"{SERVICES.format(namespace)}/{name}")["status"]["loadBalancer"]
        return " ".join(it["ip"] for it in status.get("ingress") or ())

    def versions(self) -> dict[str, str]:
        """The versions of all Services: equal ones show that nothing of them changed."""
        items = self.api.get("/api/v1/services")["items"]
        return {it["metadata"]["name"]: it["metadata"]["resourceVersion"] for it in items}


@pytest.fixture
def metallb(tenants: tuple[ApiServer, ...]) -> Iterator[RealCluster]:
    server = tenants[0]
    server.namespace("edge")
    controller = server.start_metallb()
    yield RealCluster("MetalLB", server)
    controller.stop()


def theirs(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "metallb-system"}
    return {"apiVersion": "metallb.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def test_pools_of_a_live_cluster_are_adopted_and_change_without_moving_a_service(
    metallb: RealCluster,
) -> None:
    api = metallb.api
    pools = (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.0/30", "10.22.0.4/30"]),
        theirs("IPAddressPool", "dmz", addresses=["10.99.0.0/30"], autoAssign=False),
    )
    api.put(*pools, path=f"{METALLB}/ipaddresspools")
    api.put(theirs("BGPAdvertisement", "all"), path=f"{METALLB}/bgpadvertisements")
    named: dict[str, Any] = {"annotations": {"metallb.io/address-pool": "dmz"}}
    assert metallb.serve("shop").startswith("10.22.0.")
    assert metallb.serve("door", **named).startswith("10.99.0.")
    before, specs = metallb.versions(), metallb.specs()
    found = {it.pool.name: it for it in metallb.balancer.imported(metallb.listed())}
    assert [*found["dmz"].advertised_by] == ["BGPAdvertisement all"]
    internal, dmz = found["internal"].pool, found["dmz"].pool
    assert errors(metallb.apply(internal, dmz, adopt=True)) == []
    assert metallb.specs() == specs
    chosen = ServiceSelection(namespaces=("edge",), selector={"matchLabels": {"tier": "web"}})
    wide = LoadBalancerPool("internal", (*internal.ranges, *ranges("10.23.0.0-10.23.0.7")))
    edge = LoadBalancerPool("edge", ranges("10.44.0.0-10.44.0.3"), chosen)
    assert errors(metallb.apply(wide, dmz, edge)) == []
    assert metallb.serve("web", "edge", labels={"tier": "web"}).startswith("10.44.0.")
    assert metallb.serve("other", "edge").startswith(("10.22.0.", "10.23.0."))
    assert metallb.serve("plain", labels={"tier": "web"}).startswith(("10.22.0.", "10.23.0."))
    (error,) = errors(metallb.apply(wide, edge))
    assert "Service default/door uses 10.99.0." in error
    renamed = LoadBalancerPool("outer", dmz.ranges, dmz.services)
    (error,) = errors(metallb.apply(wide, renamed, edge))
    assert error.startswith("IPAddressPool dmz is not renamed")
    after = metallb.versions()
    assert {name: after[name] for name in before} == before
    assert api.request("DELETE", f"{SERVICES.format('default')}/door")[0] == 200
    assert errors(metallb.apply(wide, edge)) == []
    assert sorted(metallb.specs()) == [
        "BGPAdvertisement all", "IPAddressPool edge", "IPAddressPool internal",
    ]  # fmt: skip


def test_an_entry_of_both_families_is_announced_by_its_own_advertisement(
    metallb: RealCluster,
) -> None:
    bgp = {"communities": ["65000:100"], "aggregationLength": 30, "aggregationLengthV6": 124}
    two = ranges("10.44.0.0-10.44.0.3", "fd00:44::-fd00:44::f")
    dmz = LoadBalancerPool("dmz", two, advertisement={"type": "BGP", "bgp": bgp})
    nodes = [{"matchLabels": {"rack": "a"}}]
    l2 = {"interfaces": ["eth1"], "nodeSelectors": nodes}
    inner = LoadBalancerPool(
        "inner", ranges("10.45.0.0-10.45.0.3"), advertisement={"type": "L2", "l2": l2}
    )
    applied = metallb.apply(dmz, inner)
    assert (errors(applied), applied.error, applied.notes) == ([], "", ())
    specs = metallb.specs()
    assert specs["BGPAdvertisement dmz"] == {"ipAddressPools": ["dmz"], **bgp}
    assert specs["L2Advertisement inner"] == {"ipAddressPools": ["inner"], **l2}
    assert not metallb.apply(dmz, inner).is_changed
    pool = until(lambda: metallb.api.get(f"{METALLB}/ipaddresspools/dmz").get("status"), "a status")
    assert (pool["availableIPv4"], pool["availableIPv6"]) == (4, 16)


@pytest.fixture
def cilium(tenants: tuple[ApiServer, ...]) -> Iterator[RealCluster]:
    server = tenants[1]
    controller = server.start_cilium()
    yield RealCluster("Cilium", server)
    controller.stop()
    server.wipe(crds=True)


def test_cilium_gives_addresses_of_the_planned_range_and_another_record_moves_none(
    cilium: RealCluster,
) -> None:
    first = ranges("10.22.0.96-10.22.0.97")
    assert errors(cilium.apply(LoadBalancerPool("dmz", first))) == []
    given = {name: cilium.serve(name) for name in ("a", "b")}
    assert sorted(given.values()) == ["10.22.0.96", "10.22.0.97"]
    before = cilium.versions()
    more = LoadBalancerPool(
        "dmz", (*first, *ranges("10.22.0.98-10.22.0.99", "fd00:22::-fd00:22::f"))
    )
    assert errors(cilium.apply(more)) == []
    assert cilium.serve("c") in ("10.22.0.98", "10.22.0.99")
    assert cilium.specs() == {
        "CiliumLoadBalancerIPPool dmz": {
            "blocks": [
                {"start": "10.22.0.96", "stop": "10.22.0.97"},
                {"start": "10.22.0.98", "stop": "10.22.0.99"},
                {"start": "fd00:22::", "stop": "fd00:22::f"},
            ],
            "disabled": False,
        }
    }
    (error,) = errors(cilium.apply(LoadBalancerPool("dmz", first)))
    assert "Service default/c uses 10.22.0.9" in error
    (error,) = errors(cilium.apply())
    assert "is not withdrawn" in error
    after = cilium.versions()
    assert {name: after[name] for name in before} == before


def test_an_older_cilium_gets_pools_of_the_version_that_it_serves(bare: ApiServer) -> None:
    (path,) = (lb_ipam().parent / "crds").glob("*.yaml")
    crd = yaml.safe_load(path.read_text(encoding="utf-8"))
    crd["spec"]["versions"] = [
        {**it, "storage": True} for it in crd["spec"]["versions"] if it["name"] == "v2alpha1"
    ]
    bare.put(crd, path="/apis/apiextensions.k8s.io/v1/customresourcedefinitions")
    bare.namespace("metallb-system")
    old = "/apis/cilium.io/v2alpha1/ciliumloadbalancerippools"
    until(lambda: bare.request("GET", old)[0] == 200, "the kind is served")
    cluster = RealCluster("Cilium", bare)
    dmz = LoadBalancerPool("dmz", ranges("10.22.0.96-10.22.0.103"))
    assert errors(cluster.apply(dmz)) == []
    assert bare.get(f"{old}/dmz")["spec"]["blocks"] == [
        {"start": "10.22.0.96", "stop": "10.22.0.103"}
    ]
    assert not cluster.apply(dmz).is_changed
