"""The flow of capi-vip-allocator's README on a real API server, with Cluster API's own CRDs."""

import json
from typing import Any

import pytest
import yaml

from tests.apply.execution.site import Files, Site, failures, results
from tests.envtest.assets import CLUSTER_API
from tests.envtest.servers import ApiServer
from tests.families.capi.trees import SEED_FILES
from tests.world import reconciled

RESULT = "vip\\.capi\\.gorizond\\.io/ingress-vip"
# The class of the seed has no variable for ingress.
INGRESS_VARIABLE = """\
    - name: ingressVip
      required: false
      schema: {openAPIV3Schema: {default: "", type: string}}
"""
CLASS = f"{SEED_FILES['clusters/my-cluster-class.yaml']!s}{INGRESS_VARIABLE}"
FILES: Files = {**SEED_FILES, "clusters/my-cluster-class.yaml": CLASS}
CLUSTER = str(FILES["clusters/my-cluster.yaml"])
README_POOLS = f"{FILES['pools/control-plane.yaml']!s}---\n{FILES['pools/ingress.yaml']!s}"


def spoken(text: str, version: str) -> str:
    """Return a document of Cluster API in one of its versions, because there is no conversion here."""
    if version == "v1beta1":
        return text
    newer = text.replace("cluster.x-k8s.io/v1beta1", f"cluster.x-k8s.io/{version}")
    return newer.replace("    class: my-cluster-class", "    classRef: {name: my-cluster-class}")


@pytest.fixture(params=CLUSTER_API)
def version(request: pytest.FixtureRequest) -> str:
    given: str = request.param
    return given


@pytest.fixture
def site(version: str, bare: ApiServer) -> Site:
    """A management cluster with Cluster API's CRDs, and a Cluster that a person made there."""
    bare.install_cluster_api(version)
    made(bare, spoken(CLUSTER, version))
    return Site(bare)


def made(server: ApiServer, text: str) -> None:
    done = server.kubectl("apply", "-f", "-", stdin=text)
    assert done.returncode == 0, done.stderr


def describe(server: ApiServer, *words: str) -> str:
    done = server.kubectl("get", *words)
    assert done.returncode == 0, done.stderr
    text: str = done.stdout
    return text


def there(server: ApiServer, kind: str, name: str) -> dict[str, Any]:
    words = (f"{kind}.ipam.cluster.x-k8s.io", name, "-o", "json", "--show-managed-fields")
    found: dict[str, Any] = json.loads(describe(server, *words))
    return found


def cluster(server: ApiServer) -> dict[str, Any]:
    words = ("clusters.cluster.x-k8s.io", "my-cluster", "-o", "json", "--show-managed-fields")
    found: dict[str, Any] = json.loads(describe(server, *words))
    return found


def path(server: ApiServer, jsonpath: str) -> str:
    return describe(server, "cluster", "my-cluster", "-o", f"jsonpath={{{jsonpath}}}")


def test_what_the_readme_shows_is_what_kubectl_shows(site: Site, version: str) -> None:
    files = reconciled({path: spoken(str(text), version) for path, text in FILES.items()})
    hub = site.apply(files, crds=True)["management"]
    assert (failures(hub), hub.error) == ({}, "")
    server = site.management
    assert path(server, ".spec.controlPlaneEndpoint") == '{"host":"10.0.0.10","port":6443}'
    assert path(server, f".metadata.annotations.{RESULT}") == "10.0.0.100"
    assert path(server, f".metadata.labels.{RESULT}") == "10.0.0.100"
    variables = yaml.safe_load(path(server, ".spec.topology.variables"))
    assert {it["name"]: it["value"] for it in variables} == {
        "cni": "calico",
        "clusterVip": "10.0.0.10",
        "ingressVip": "10.0.0.100",
    }
    claims = describe(server, "ipaddressclaim", "--no-headers").splitlines()
    assert [line.split()[:3] for line in claims] == [
        ["vip-cp-my-cluster", "control-plane-vip-pool", "GlobalInClusterIPPool"],
        ["vip-ingress-my-cluster", "ingress-vip-pool", "GlobalInClusterIPPool"],
    ]
    addresses = describe(server, "ipaddresses.ipam.cluster.x-k8s.io", "--no-headers").splitlines()
    assert [line.split()[:2] for line in addresses] == [
        ["vip-cp-my-cluster", "10.0.0.10"],
        ["vip-ingress-my-cluster", "10.0.0.100"],
    ]
    status = describe(
        server,
        "globalinclusterippool",
        "control-plane-vip-pool",
        "-o",
        "jsonpath={.status.ipAddresses}",
    )
    assert yaml.safe_load(status) == {"free": 10, "outOfRange": 0, "total": 11, "used": 1}
    (owner, _) = there(server, "ipaddresses", "vip-cp-my-cluster")["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["controller"]) == ("IPAddressClaim", True)
    assert results(site.apply(files)["management"]) == {}


def test_all_is_written_in_the_newest_version_that_the_server_serves(
    site: Site, version: str
) -> None:
    site.apply(reconciled(FILES), crds=True)
    server = site.management
    claim = there(server, "ipaddressclaims", "vip-cp-my-cluster")
    for found in (claim, there(server, "ipaddresses", "vip-cp-my-cluster"), cluster(server)):
        written = [
            entry["apiVersion"].rpartition("/")[2]
            for entry in found["metadata"]["managedFields"]
            if entry["manager"].startswith("gitops-ipam")
        ]
        assert set(written) == {version}
    owners = [
        *claim["metadata"]["ownerReferences"],
        there(server, "ipaddresses", "vip-cp-my-cluster")["metadata"]["ownerReferences"][0],
    ]
    assert [it["apiVersion"] for it in owners] == [
        f"cluster.x-k8s.io/{version}",
        f"ipam.cluster.x-k8s.io/{version}",
    ]
    (ready,) = claim["status"]["conditions"]
    assert ready["reason"] == "AddressAllocated"


def test_objects_of_an_older_version_stay_ours_when_a_newer_one_is_served(bare: ApiServer) -> None:
    bare.install_cluster_api("v1beta1")
    made(bare, CLUSTER)
    site, files = Site(bare), reconciled(FILES)
    site.apply(files, crds=True)
    address = there(bare, "ipaddresses", "vip-cp-my-cluster")
    bare.install_cluster_api("v1beta2")
    # As Cluster API's webhook would convert it.
    reference = {"topology": {"class": None, "classRef": {"name": "my-cluster-class"}}}
    words = ("--type=merge", "-p", json.dumps({"spec": reference}))
    done = bare.kubectl("patch", "clusters.v1beta2.cluster.x-k8s.io", "my-cluster", *words)
    assert done.returncode == 0, done.stderr
    for revision in "ab":
        hub = site.apply(files, revision)["management"]
        assert (failures(hub), hub.error) == ({}, "")
    assert results(site.apply(files, "b")["management"]) == {}
    assert (
        there(bare, "ipaddresses", "vip-cp-my-cluster")["metadata"]["uid"]
        == address["metadata"]["uid"]
    )
    assert path(bare, ".spec.controlPlaneEndpoint.host") == "10.0.0.10"


def test_people_keep_their_fields_and_a_host_that_is_set(site: Site, version: str) -> None:
    server = site.management
    other = CLUSTER.replace("name: my-cluster\n", "name: other\n").replace(
        "spec:\n", 'spec:\n  controlPlaneEndpoint: {host: "10.9.9.9", port: 8443}\n', 1
    )
    made(server, spoken(other, version))
    files = reconciled(
        {**FILES, "clusters/other.yaml": CLUSTER.replace("my-cluster\nspec", "other\nspec")}
    )
    hub = site.apply(files, crds=True)["management"]
    assert failures(hub) == {
        "cluster.x-k8s.io/Cluster/default/other": "its endpoint is 10.9.9.9, but its record is 10.0.0.11;"
        " ipam never changes a host"
    }
    made(server, spoken(CLUSTER, version))  # applied again by the person who made it
    assert path(server, ".spec.controlPlaneEndpoint.host") == "10.0.0.10"
    # kubectl applies the whole list, so it removes our item.
    assert "clusterVip" not in path(server, ".spec.topology.variables")
    site.apply(files)
    assert "clusterVip" in path(server, ".spec.topology.variables")
    managers = {entry["manager"] for entry in cluster(server)["metadata"]["managedFields"]}
    assert managers == {"kubectl-client-side-apply", "gitops-ipam-fields"}


def test_when_all_is_gone_nothing_is_left(site: Site) -> None:
    files = reconciled(FILES)
    site.apply(files, crds=True)
    site.apply(files)
    done = site.management.kubectl("delete", "cluster", "my-cluster")
    assert done.returncode == 0, done.stderr
    hub = site.apply({}, "b", allow_delete=99)["management"]
    assert failures(hub) == {}
    for kind in ("ipaddressclaims", "ipaddresses"):
        found = site.management.get(f"/apis/ipam.cluster.x-k8s.io/v1beta1/{kind}")
        assert found["items"] == []
