"""Clusters to files: MetalLB with Services, and the kinds of all families, on servers in memory."""

from collections.abc import Mapping
from typing import Any

from reconciler.importing.assembling import Imported
from reconciler.importing.run import ImportSource, looked
from reconciler.importing.sources import resources
from reconciler.kube.resources import resource_of
from tests.fake_cluster import FakeCluster
from tests.importing.sources import conflicts, imported, lines, texts
from tests.world import pool, provider, reconciled, tenant

BUTLER = "butler.butlerlabs.dev/v1alpha1"


def made(
    api: str, kind: str, name: str, spec: Any = None, namespace: str = "", **more: Any
) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": spec or {}, **more}


def metallb(name: str, *addresses: str) -> dict[str, Any]:
    spec = {"addresses": list(addresses)}
    return made("metallb.io/v1beta1", "IPAddressPool", name, spec, "metallb-system")


def service(name: str, *addresses: str) -> dict[str, Any]:
    status = {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]}}
    return made("v1", "Service", name, {"type": "LoadBalancer"}, "default", status=status)


def cluster(*objects: Mapping[str, Any]) -> FakeCluster:
    """Return a server with objects. It serves only their kinds, and MetalLB's."""
    server = FakeCluster()
    known = {resource_of(item) for item in objects}
    server.unknown |= {it for it in resources() if it not in known}
    for name in ("butler-system", "team-a"):
        server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for item in objects:
        server.put(item)
    server.log.clear()
    return server


def look(owner: str, *objects: Mapping[str, Any]) -> ImportSource:
    namespace, _, name = owner.partition("/")
    return ImportSource((namespace, name), cluster(*objects))


def brought(*looks: ImportSource, files: Mapping[str, str | bytes] | None = None) -> Imported:
    found = looked(looks, "default-pool")
    return imported(found, files or {"README.md": "x"})


def test_a_cluster_with_metallb_becomes_a_tenant_that_keeps_its_ranges() -> None:
    one = look(
        "team-a/web",
        metallb("default-pool", "10.60.1.0/29", "10.60.1.32-10.60.1.35"),
        service("front", "10.60.1.2"),
    )
    two = look("team-b/shop", metallb("default-pool", "10.60.1.64-10.60.1.71"))
    result = brought(one, two)
    assert conflicts(result) == []
    assert lines(result) == [
        "team-a/web loadbalancer net-10-60-1-0-24 10.60.1.0-10.60.1.7 10.60.1.0-10.60.1.7",
        "team-a/web loadbalancer net-10-60-1-0-24 10.60.1.32-10.60.1.35 10.60.1.32-10.60.1.35",
        "team-b/shop loadbalancer net-10-60-1-0-24 10.60.1.64-10.60.1.71 10.60.1.64-10.60.1.71",
    ]
    assert result.lines[0].users == ("default/front (10.60.1.2)",)
    assert list(result.files) == [
        "pools/net-10-60-1-0-24.yaml",
        "providers/imported.yaml",
        "tenants/team-a/web.yaml",
        "tenants/team-b/shop.yaml",
    ]
    assert "lbPoolSize: 8" in texts(result)["tenants/team-a/web.yaml"]
    # A request replaces the claim of each tenant, so none gets an additional range.
    assert len(result.after.plan.decisions) == 3


def test_pools_of_others_stay_and_their_addresses_are_held() -> None:
    result = brought(
        look("a/web", metallb("default-pool", "10.0.0.0/29"), metallb("lab", "10.0.0.16/30"))
    )
    assert lines(result) == [
        "a/web loadbalancer net-10-0-0-0-24 10.0.0.0-10.0.0.7 10.0.0.0-10.0.0.7",
        "a/web-lab nodes net-10-0-0-0-24 10.0.0.16-10.0.0.19 10.0.0.16-10.0.0.19",
    ]
    assert "stays with this pool, because ipam manages one pool per cluster" in result.notes[-1]


def test_a_tenant_that_is_described_has_to_say_the_name_of_its_pool() -> None:
    files = {
        "pools/edge.yaml": pool("edge", "10.0.0.0/24"),
        "providers/default.yaml": provider(),
        "tenants/web.yaml": tenant("web", "a"),
    }
    one = look("a/web", metallb("main", "10.0.0.0/29"))
    (found,) = brought(one, files=files).conflicts
    assert "TenantCluster a/web" in found.message
    assert (
        found.hint == "add the annotation gitops-ipam.dev/metallb-pool: main to TenantCluster a/web"
    )
    said = "{annotations: {gitops-ipam.dev/metallb-pool: main}, name: web,"
    files["tenants/web.yaml"] = files["tenants/web.yaml"].replace("{name: web,", said)
    assert conflicts(brought(one, files=files)) == []


def test_what_cannot_be_told_of_a_cluster_is_a_conflict() -> None:
    odd = brought(look("a/web", metallb("default-pool", "10.0.0.0")))
    assert conflicts(odd) == [
        "cluster a/web IPAddressPool default-pool: '10.0.0.0' is not a CIDR or a range (START-END)"
    ]
    strange = brought(
        look("a/web", metallb("default-pool", "10.0.0.0/29"), service("x", "10.9.9.9"))
    )
    assert conflicts(strange) == [
        "cluster a/web Service default/x: 10.9.9.9 is in use, but no pool of the cluster contains it"
    ]
    both = [look(f"a/{name}", metallb("default-pool", "10.0.0.0/29")) for name in ("web", "shop")]
    (found,) = brought(*both).conflicts
    assert found.message == (
        "10.0.0.0-10.0.0.7 has two holders: a/shop has it as loadbalancer,"
        " a/web of cluster a/web IPAddressPool default-pool as loadbalancer"
    )


def test_what_the_repository_has_by_now_is_left_out_and_another_holder_is_a_conflict() -> None:
    one = look("a/web", metallb("default-pool", "10.0.0.0/29"))
    first = brought(one)
    after = reconciled(first.files)
    again = imported(looked([one], "default-pool"), after)
    assert (again.files, again.conflicts) == ({}, ())
    assert again.notes[-1].endswith("10.0.0.0-10.0.0.7 of a/web is already known")
    other = imported(looked([one._replace(owner=("a", "other"))], "default-pool"), after)
    (found,) = other.conflicts
    assert found.message.startswith(
        "10.0.0.0-10.0.0.7 has two holders: a/other, and a/web by tenants/a/web.yaml:15"
    )
    wider = look("a/web", metallb("default-pool", "10.0.0.0/28"))
    (found,) = imported(looked([wider], "default-pool"), after).conflicts
    assert found.message.startswith("a/web: 10.0.0.8-10.0.0.15 cannot be allocated")
    assert found.hint.endswith("of pool net-10-0-0-0-24 to 10.0.0.0-10.0.0.15")
