"""Cluster API with kubectl only: pool, class, and Cluster are in no file, and get addresses.

The objects are in `tests/families/capi/seed`, like in the seed.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import urllib3
import yaml

from reconciler.families.capi.projection import METERING
from tests.cli.running import ipam
from tests.e2e.daemon import daemon
from tests.e2e.site import _kubeconfig
from tests.envtest.fixtures import CRDS
from tests.envtest.processes import free_port, until
from tests.envtest.servers import ApiServer, Fleet
from tests.meters import series
from tests.world import git, repository, settings

SEED = Path(__file__).parents[1] / "families" / "capi" / "seed"
SETTINGS = settings(
    "{intake: [{kind: GlobalInClusterIPPool}, {kind: ClusterClass}, {kind: Cluster}]}"
)
MADE = (
    "pools/control-plane.yaml", "pools/ingress.yaml",
    "clusters/my-cluster-class.yaml", "clusters/my-cluster.yaml",
)  # fmt: skip
VERSION = "v1beta1"
NAME = "capi-by-kubectl"
VIP = "vip.capi.gorizond.io/ingress-vip"
COPY = "observed/Cluster.cluster.x-k8s.io/default/my-cluster.yaml"
HOSTS = {"my-cluster": "10.0.0.10", "other": "10.0.0.11", "lonely": ""}
LONELY = "class-without-pools"
PREFIX = "capi_vip_allocator_"
USED = {f"{PREFIX}claims_total": 3, f"{PREFIX}claims_ready": 2, f"{PREFIX}claims_pending": 1}
FINALIZER = "cluster.cluster.x-k8s.io"  # as Cluster API sets it


@pytest.fixture
def hub(fleet: Fleet, request: pytest.FixtureRequest) -> Iterator[ApiServer]:
    """A management cluster with Cluster API's CRDs of the version that the seed has, and ours."""
    name = f"{NAME}-{len(request.node.name)}"  # another one for each test
    fleet.start([name])
    server = fleet.servers.pop(name)
    server.install_cluster_api(VERSION)
    server.install_crds(CRDS)
    yield server
    server.stop()


def whole(name: str) -> str:
    """Return a file of the seed, with fields of a class that Cluster API requires."""
    body = yaml.safe_load((SEED / name).read_text(encoding="utf-8"))
    for variable in body["spec"].get("variables", ()):
        variable.setdefault("required", False)
    if body["kind"] == "Cluster":
        body["metadata"] |= {"namespace": "default", "finalizers": [FINALIZER]}
    text: str = yaml.safe_dump(body)
    return text


def test_a_cluster_made_with_kubectl_is_served_while_a_daemon_runs_and_released_when_deleted(
    tmp_path: Path, hub: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {"ipam.yaml": SETTINGS})
    listen = f"127.0.0.1:{free_port()}"
    words = ("--kubeconfig", str(_kubeconfig(hub)), "--listen", listen)
    with daemon(folder, tmp_path / "cache", *words) as running:
        running.round()
        *pools, class_, seed = map(whole, MADE)
        make(hub, *pools, class_)
        make(hub, seed, cluster("other"), cluster("lonely", LONELY))
        until(lambda: hosts(hub) == HOSTS, "both Clusters that a pool serves have their hosts")
        until(lambda: is_told(hub), "variable, annotation and label are there")
        assert "10.0.0.10" not in shown(folder, COPY)
        until(lambda: shows(listen, USED), "the metrics count used addresses")
        let_go(hub)
        until(lambda: phases(folder) == ["Released", "Released"], "both records are released")
        assert running.end() == 0
        assert "Traceback" not in running.errors()
    assert phases(folder, "other") == ["Allocated", "Allocated"]
    copies = git(folder, "ls-tree", "-r", "--name-only", "main", "observed/").splitlines()
    assert COPY not in copies
    assert len(copies) == len(MADE) + 1  # one went, and there are two others
    replayed = ipam(capsys, "verify", "--repo", folder)
    assert replayed.code == 0, replayed.out


def shows(listen: str, figures: Mapping[str, float]) -> bool:
    """Whether the daemon serves the twelve metrics of Cluster API, with some figures."""
    answer = urllib3.request("GET", f"http://{listen}/metrics")
    found = {name: value for (name, _), value in series(answer.data.decode()).items()}
    names = {it.name for it in METERING.metrics}
    served = {name.removesuffix("_count") for name in found}
    return names <= served and figures.items() <= found.items()


def make(server: ApiServer, *texts: str) -> None:
    done = server.kubectl("apply", "-f", "-", stdin="---\n".join(texts))
    assert done.returncode == 0, done.stderr


def cluster(name: str, class_: str = "my-cluster-class") -> str:
    body = yaml.safe_load(whole(MADE[-1]))
    body["metadata"]["name"], body["spec"]["topology"]["class"] = name, class_
    text: str = yaml.safe_dump(body)
    return text


def let_go(server: ApiServer) -> None:
    """Delete the Cluster of the seed. Cluster API removes its finalizer at the end."""
    done = server.kubectl("delete", "cluster", "my-cluster", "--wait=false")
    assert done.returncode == 0, done.stderr
    patch = '{"metadata": {"finalizers": null}}'
    done = server.kubectl("patch", "cluster", "my-cluster", "--type=merge", "-p", patch)
    assert done.returncode == 0, done.stderr


def hosts(server: ApiServer) -> dict[str, str]:
    listed = json.loads(server.kubectl("get", "clusters", "-o", "json").stdout)["items"]
    return {
        item["metadata"]["name"]: (item["spec"].get("controlPlaneEndpoint") or {}).get("host", "")
        for item in listed
    }


def is_told(server: ApiServer) -> bool:
    """The Cluster of the seed has all that docs/reference/cluster-api.md says it gets."""
    live = json.loads(server.kubectl("get", "cluster", "my-cluster", "-o", "json").stdout)
    variables = {it["name"]: it["value"] for it in live["spec"]["topology"]["variables"]}
    named = [(live["metadata"].get(it) or {}).get(VIP) for it in ("annotations", "labels")]
    return variables.get("clusterVip") == "10.0.0.10" and named == ["10.0.0.100"] * 2


def shown(folder: Path, path: str) -> str:
    return git(folder, "show", f"main:{path}")


def phases(folder: Path, name: str = "my-cluster") -> list[str]:
    listed = git(folder, "ls-tree", "-r", "--name-only", "main", "allocations/").splitlines()
    texts = [shown(folder, path) for path in listed if f"/{name}." in path]
    return [yaml.safe_load(text)["status"]["phase"] for text in texts]
