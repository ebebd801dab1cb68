"""The inventory of clusters in the management cluster, before and after an apply to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from reconciler.apply.executor import Run
from reconciler.apply.inventory import NAME, ClusterIdentity, Enrolled, Inventory, config_maps
from reconciler.apply.management import ClusterRegistry, ManagementCluster, registered
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube.interface import Cluster, ObjectList
from reconciler.kube.resources import desired_object
from reconciler.model.errors import ClusterError
from reconciler.model.objects import Ref, Resource

HERE = "butler-system"
OLD, NOW, NEW = "a" * 40, "b" * 40, "c" * 40
ONE = Enrolled("u1", OLD, ("default",), ("10.0.0.0-10.0.0.3",))


@dataclass
class Server:
    """A management cluster: its inventory, allocations, and writes."""

    data: dict[str, str] = field(default_factory=dict)
    allocations: Sequence[Mapping[str, Any]] = ()
    sent: list[Mapping[str, Any]] = field(default_factory=list)

    def list(self, resource: Resource, namespace: str = "", *, labels: str = "") -> ObjectList:
        if resource.kind == "IPAllocation":
            return ObjectList(self.allocations)
        assert (namespace, labels) == (HERE, "gitops-ipam.dev/inventory")
        return ObjectList([{"metadata": {"name": NAME}, "data": self.data}])

    def merge(self, ref: Ref, patch: Mapping[str, Any], manager: str) -> None:
        assert (ref.name, manager) == (NAME, "gitops-ipam")
        self.sent.append(patch["data"])


def memory(server: Server, known: Mapping[str, Enrolled]) -> ClusterRegistry:
    inventory = Inventory("uid", OLD, clusters=known)
    identity = ClusterIdentity("uid", inventory, config_maps(inventory, HERE), HERE)
    run = Run(NOW, ApplyOptions())
    return ClusterRegistry(cast(Cluster, server), identity, run, lambda one, two: one <= two)


def rebuilt(*allocations: Mapping[str, Any]) -> Mapping[str, Enrolled]:
    """The registry of a management cluster without inventory."""
    server = cast(Cluster, Server(allocations=list(allocations)))
    return registered(ManagementCluster(server, ClusterIdentity("uid", Inventory(), [], HERE)))


def target(name: str, *addresses: str) -> Target:
    pool = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "default-pool", "namespace": "metallb-system"},
        "spec": {"addresses": list(addresses)},
    }
    return Target(name, (desired_object(pool),), spaces=("default",))


def test_what_a_cluster_is_about_to_announce_is_noted_with_what_it_announces() -> None:
    server = Server()
    memory(server, {"a/one": ONE}).foretell(target("a/one", "10.0.0.8-10.0.0.9"), "u1", ONE)
    noted = f"u1 {OLD} default 10.0.0.0-10.0.0.3 10.0.0.8-10.0.0.9"
    assert server.sent == [{"cluster.a.one": noted}]


def test_what_a_newer_run_wrote_meanwhile_stays() -> None:
    newer = {"revision": NEW, "cluster.a.one": f"u1 {NEW} default 10.0.0.4-10.0.0.7"}
    server = Server(newer)
    memory(server, {"a/one": ONE}).remember({"a/one": None, "a/two": ONE})
    assert server.sent == [{"cluster.a.two": f"u1 {OLD} default 10.0.0.0-10.0.0.3"}]


def allocation(**status: object) -> Mapping[str, Any]:
    return {
        "metadata": {
            "name": "one-lb",
            "namespace": HERE,
            "uid": "x",
            "labels": {"gitops-ipam.dev/managed-by": "gitops-ipam"},
            "managedFields": [{"manager": "gitops-ipam"}],
        },
        "spec": {"type": "loadbalancer", "tenantClusterRef": {"namespace": "a", "name": "one"}},
        "status": {
            "phase": "Allocated",
            "startAddress": "10.0.0.0",
            "endAddress": "10.0.0.3",
            **status,
        },
    }


def test_allocations_that_hold_nothing_or_are_not_ours_tell_nothing() -> None:
    foreign = {**allocation(), "metadata": {"name": "x", "namespace": HERE, "uid": "x"}}
    allocations = [foreign, allocation(phase="Released"), allocation(startAddress=None)]
    for item in allocations:
        assert rebuilt(item) == {}


def test_allocations_that_cannot_be_read_are_not_taken_for_none() -> None:
    """Clusters might announce their addresses, so no range is safe."""
    with pytest.raises(ClusterError, match=r"IPAllocation one-lb: 'x-10\.0\.0\.3' is not a CIDR"):
        rebuilt(allocation(startAddress="x"))
