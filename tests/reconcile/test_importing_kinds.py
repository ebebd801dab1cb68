"""Objects of each family in a management cluster to documents, each with the addresses that it has."""

from typing import Any

import yaml

from tests.caches import ROOT
from tests.importing.sources import conflicts, lines, texts
from tests.reconcile.test_importing import brought, look, made, metallb
from tests.world import pool, provider, tenant

BUTLER = "butler.butlerlabs.dev/v1alpha1"
IPAM = "ipam.cluster.x-k8s.io"
SEEDS = [path.read_text() for path in sorted((ROOT / "tests/families/capi/seed").rglob("*.yaml"))]


def of(*texts_: str) -> list[dict[str, Any]]:
    """Objects of YAML, in the default namespace where a kind has one and none is written."""
    found = [item for text in texts_ for item in yaml.safe_load_all(text)]
    for item in found:
        if item["kind"] not in ("GlobalInClusterIPPool", "ProxyIPPool", "ProxyVIP", "Team"):
            home = "butler-system" if item["kind"] == "ProviderConfig" else "default"
            item["metadata"].setdefault("namespace", home)
    return [item for at, item in enumerate(found) if item not in found[:at]]


def allocation(name: str, first: str, last: str, kind: str = "loadbalancer", **more: Any) -> Any:
    spec = {
        "poolRef": {"name": "edge"},
        "tenantClusterRef": {"name": "web", "namespace": "team-a"},
        "type": kind,
        "count": 8,
    }
    status = {"phase": "Allocated", "startAddress": first, "endAddress": last, **more}
    return made(BUTLER, "IPAllocation", name, spec, "butler-system", status=status)


BUTLERS = of(pool("edge", "10.0.0.0/24"), provider(), tenant("web"))


def test_butlers_objects_become_documents_and_its_allocations_pins() -> None:
    objects = [
        *BUTLERS,
        allocation("team-a-web-lb", "10.0.0.16", "10.0.0.23"),
        allocation("team-a-web-lb-more", "10.0.0.40", "10.0.0.41"),
        allocation("team-a-web-old", "10.0.0.50", "10.0.0.51", phase="Released"),
        allocation("team-a-web-nodes", "", "", "nodes", phase="Pending"),
    ]
    result = brought(look("x/management", *objects))
    assert conflicts(result) == []
    assert lines(result) == [
        "team-a/web loadbalancer edge 10.0.0.16-10.0.0.23 10.0.0.16-10.0.0.23",
        "team-a/web loadbalancer edge 10.0.0.40-10.0.0.41 10.0.0.40-10.0.0.41",
    ]
    assert list(result.files) == [
        "pools/edge.yaml",
        "providers/default.yaml",
        "tenants/team-a/web.yaml",
        "tenants/butler-system/team-a-web-lb.yaml",
        "tenants/butler-system/team-a-web-lb-more.yaml",
    ]
    assert "uid" not in texts(result)["pools/edge.yaml"]
    left = [note for note in result.notes if "omitted" in note]
    assert [note.partition(", because ")[2] for note in left] == [
        "no addresses yet, and its tenant requests them itself",
        "released",
    ]


def test_a_tenant_and_its_cluster_are_one() -> None:
    management = look("x/hub", *BUTLERS, allocation("team-a-web-lb", "10.0.0.16", "10.0.0.23"))
    cluster = look("team-a/web", metallb("main", "10.0.0.16/29"))
    result = brought(management, cluster)
    assert conflicts(result) == []
    assert len(result.lines) == 1
    assert "gitops-ipam.dev/metallb-pool: main" in texts(result)["tenants/team-a/web.yaml"]
    alone = brought(look("x/hub", *BUTLERS), cluster)
    assert lines(alone) == ["team-a/web loadbalancer edge 10.0.0.16-10.0.0.23 10.0.0.16-10.0.0.23"]


def test_what_the_repository_describes_is_left_out_and_two_clusters_must_agree() -> None:
    files = {"pools/edge.yaml": pool("edge", "10.0.0.0/24"), "providers/p.yaml": provider()}
    result = brought(look("x/hub", *BUTLERS), files=files)
    assert list(result.files) == ["tenants/team-a/web.yaml"]
    assert sum(note.endswith("already in the repository") for note in result.notes) == 2
    other = look("x/other", *of(pool("edge", "10.0.0.0/25"), provider()))
    other = other._replace(cluster=_another(other.cluster))
    assert conflicts(brought(look("x/hub", *BUTLERS), other))[0] == (
        "cluster x/other NetworkPool butler-system/edge: the object differs from the"
        " one in cluster x/hub NetworkPool butler-system/edge"
    )


def _another(cluster: Any) -> Any:
    for item in cluster.objects.values():
        if item["metadata"]["name"] == "kube-system":
            item["metadata"]["uid"] = "another"
    return cluster


def test_clusters_of_cluster_api_keep_their_addresses() -> None:
    objects = of(*SEEDS)
    for item in objects:
        if item["kind"] == "Cluster":
            host = "10.0.0.15" if item["metadata"]["name"] == "my-cluster" else ""
            item["spec"]["controlPlaneEndpoint"] = {"host": host, "port": 6443} if host else {}
    ours = {"apiGroup": IPAM, "kind": "GlobalInClusterIPPool", "name": "shared-vip-pool"}
    claims = [
        made(f"{IPAM}/v1beta1", "IPAddressClaim", name, {"poolRef": reference}, "default")
        for name, reference in (
            ("vip-cp-my-cluster", ours),
            ("mine", ours),
            ("theirs", {**ours, "apiGroup": "ipam.example.org"}),
        )
    ]
    given = {"address": "10.0.0.45", "claimRef": {"name": "mine"}, "poolRef": ours, "prefix": 24}
    address = made(f"{IPAM}/v1beta1", "IPAddress", "mine", given, "default")
    result = brought(look("x/hub", *objects, *claims, address))
    text = "".join(texts(result).values())
    assert text.count('gitops-ipam.dev/adopt: "true"') == 2
    assert conflicts(result) == []
    assert lines(result) == [
        "default/my-cluster control-plane control-plane-vip-pool 10.0.0.15 10.0.0.15",
        "default/my-cluster ingress ingress-vip-pool - 10.0.0.100",
        "default/mine address shared-vip-pool 10.0.0.45 10.0.0.45",
    ]
    assert [line.is_new for line in result.lines] == [False, True, False]
    assert "gitops-ipam.dev/address: 10.0.0.45" in text
    left = [note.partition(": omitted, because ")[2] for note in result.notes]
    assert [it for it in left if it] == [
        "its pool belongs to another provider",
        "it belongs to Cluster my-cluster, which is copied",
        "it belongs to IPAddressClaim mine, which is copied",
    ]


def test_vips_of_novaedge_name_the_addresses_that_they_have() -> None:
    api = "novaedge.io/v1alpha1"
    spec = {"cidrs": ["10.200.0.0/24"], "autoAssign": True}
    given = [{"address": "10.200.0.9/32", "vipRef": "service/x"}, "odd"]
    objects = [
        made(api, "ProxyIPPool", "main", spec, status={"allocations": given}),
        made(
            api,
            "ProxyVIP",
            "web",
            {"mode": "L2ARP", "ports": [443], "poolRef": {"name": "main"}},
            status={"allocatedAddress": "10.200.0.5/32"},
        ),
    ]
    result = brought(look("x/hub", *objects))
    assert conflicts(result) == []
    assert lines(result) == ["web vip main 10.200.0.5 10.200.0.5"]
    assert "vipRef: service/x" in texts(result)["pools/main.yaml"]
