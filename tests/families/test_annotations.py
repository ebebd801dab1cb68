"""Annotations and labels of `gitops-ipam.dev` that no kind has."""

import pytest

from reconciler.documents.findings import Finding
from tests.world import SMALL, evaluation_of, pool, provider, request, tenant

IPAM = "ipam.cluster.x-k8s.io"
REFERENCE = f"{{apiGroup: {IPAM}, kind: InClusterIPPool, name: p}}"


def plain(kind: str, version: str, spec: str = "{}") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n"


DOCUMENTS = {
    "NetworkPool": pool("x"),
    "ProviderConfig": provider("x"),
    "TenantCluster": tenant("x"),
    "IPAllocation": request("x"),
    "Team": plain("Team", "butler.butlerlabs.dev/v1alpha1"),
    "InClusterIPPool": plain(
        "InClusterIPPool", f"{IPAM}/v1alpha2", "{prefix: 24, addresses: [10.2.0.10]}"
    ),
    "IPAddressClaim": plain("IPAddressClaim", f"{IPAM}/v1beta2", f"{{poolRef: {REFERENCE}}}"),
    "IPAddress": plain(
        "IPAddress",
        f"{IPAM}/v1beta2",
        f"{{poolRef: {REFERENCE}, claimRef: {{name: x}}, address: 10.2.0.10, prefix: 24}}",
    ),
    "Cluster": plain("Cluster", "cluster.x-k8s.io/v1beta2"),
    "ClusterClass": plain("ClusterClass", "cluster.x-k8s.io/v1beta2"),
    "ProxyIPPool": plain(
        "ProxyIPPool", "novaedge.io/v1alpha1", "{autoAssign: true, cidrs: [10.3.0.0/24]}"
    ),
    "ProxyVIP": plain(
        "ProxyVIP", "novaedge.io/v1alpha1", "{address: 10.4.0.1/32, mode: L2ARP, ports: [443]}"
    ),
    "ClusterTarget": plain("ClusterTarget", "gitops-ipam.dev/v1alpha1"),
    "Settings": plain("Settings", "gitops-ipam.dev/v1alpha1"),
}


def named(kind: str, name: str, field: str = "annotations", value: str = "x") -> list[Finding]:
    text = DOCUMENTS[kind].replace("metadata: {", f'metadata: {{{field}: {{{name}: "{value}"}}, ')
    path = "ipam.yaml" if kind == "Settings" else "clusters/x.yaml"
    found = evaluation_of({**SMALL, path: text}).findings
    return [it for it in found if it.code == "annotation-invalid"]


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("field", ["annotations", "labels"])
def test_a_name_that_no_kind_has_is_an_error_of_every_kind(kind: str, field: str) -> None:
    (found,) = named(kind, "gitops-ipam.dev/colour", field)
    assert found.severity == "error"
    assert found.location.pointer == f"/metadata/{field}/gitops-ipam.dev~1colour"
    assert found.message == f"unknown {field[:-1]} 'gitops-ipam.dev/colour'"
    assert found.hint.startswith("use one of: gitops-ipam.dev/")
    assert named(kind, "example.org/colour", field) == []


@pytest.mark.parametrize(
    ("kind", "name", "known"),
    [
        ("TenantCluster", "loadbalancerpool", "loadbalancer-pool"),
        ("TenantCluster", "node-pool", "nodes-pool"),
        ("IPAddressClaim", "adress", "address"),
        ("ProxyIPPool", "adress-space", "address-space"),
        ("Team", "owner", "owners"),
    ],
)
def test_a_misspelt_name_is_corrected(kind: str, name: str, known: str) -> None:
    (found,) = named(kind, f"gitops-ipam.dev/{name}")
    assert found.hint == f"did you mean gitops-ipam.dev/{known}?"


def test_an_annotation_of_another_kind_and_one_that_is_a_label_are_errors() -> None:
    assert named("ProviderConfig", "gitops-ipam.dev/metallb-pool")
    (found,) = named("NetworkPool", "gitops-ipam.dev/gate", "labels")
    assert found.hint == "write it as the annotation gitops-ipam.dev/gate"


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_the_program_writes_itself_may_be_copied(kind: str) -> None:
    assert named(kind, "gitops-ipam.dev/managed-by", "labels") == []
    for name in ("adopt", "revision", "uid"):
        assert named(kind, f"gitops-ipam.dev/{name}") == []
