"""Cluster API by kubectl only: pool, class and Cluster are in no file, and get their addresses.

The files are those of `tests/families/capi/seed`, as the seed shows them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.intake_run import (
    IntakeLook,
    last_named,
    look_for_intake,
    look_of,
    remember_intake,
)
from reconciler.apply.target import ApplyOptions
from reconciler.families.capi.metering import METERING
from reconciler.gitio.opening import open_repository
from reconciler.kube.clusters import KubeClusters
from reconciler.model.change import Observation
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from tests.cli.running import ipam
from tests.e2e.capi_meter import LONELY, NAMES, Meter
from tests.e2e.daemon import daemon
from tests.e2e.site import _kubeconfig
from tests.envtest.fixtures import CRDS
from tests.envtest.processes import free_port, until
from tests.envtest.servers import ApiServer, Fleet
from tests.world import ENVIRONMENT, git, repository

SEED = Path(__file__).parents[1] / "families" / "capi" / "seed"
SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  intake: [{kind: GlobalInClusterIPPool}, {kind: ClusterClass}, {kind: Cluster}]
"""
MADE = (
    "pools/control-plane.yaml", "pools/ingress.yaml",
    "clusters/my-cluster-class.yaml", "clusters/my-cluster.yaml",
)  # fmt: skip
OPTIONS = ApplyOptions()
VERSION = "v1beta1"
NAME = "capi-by-kubectl"
VIP = "vip.capi.gorizond.io/ingress-vip"
COPY = "observed/Cluster.cluster.x-k8s.io/default/my-cluster.yaml"
HOSTS = {"my-cluster": "10.0.0.10", "other": "10.0.0.11", "lonely": ""}
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
    """A file of the seed, with what Cluster API requires of a class and the seed leaves out."""
    body = yaml.safe_load((SEED / name).read_text(encoding="utf-8"))
    for variable in body["spec"].get("variables", ()):
        variable.setdefault("required", False)
    if body["kind"] == "Cluster":
        body["metadata"] |= {"namespace": "default", "finalizers": [FINALIZER]}
    text: str = yaml.safe_dump(body)
    return text


def run(folder: Path, server: ApiServer, now: float) -> IntakeLook:
    """Reconcile with a look, apply, and remember."""
    branch, looks = open_repository(folder, ENVIRONMENT), [IntakeLook()]
    clusters = KubeClusters(server.kubeconfig)

    def look(found: Evaluation) -> Observation:
        head = found.tree.revision or ""
        whole = evaluate_source(branch.source(head))
        looks.append(
            look_for_intake(whole, clusters, OPTIONS, last_named(branch, head, "observed"))
        )
        return look_of(replace(looks[-1], at=int(now)))

    options = ReconcileOptions(now=lambda: now, look=look)
    done = reconcile(branch, options, sleep=lambda _: None)
    evaluation = evaluate_source(branch.source(done.head.id))
    applied = apply_fleet(evaluation, clusters, OPTIONS, branch.is_in)
    assert [item.error for item in applied] == [""]
    assert [it.error for item in applied for it in item.outcomes if it.error] == []
    remember_intake(looks[-1], clusters, OPTIONS)
    return looks[-1]


def test_what_was_made_with_kubectl_alone_gets_its_addresses(
    tmp_path: Path, hub: ApiServer
) -> None:
    for name in MADE:
        done = hub.kubectl("apply", "-f", "-", stdin=whole(name))
        assert done.returncode == 0, done.stderr
    folder = repository(tmp_path / "repo", {"ipam.yaml": SETTINGS})
    now = int(git(folder, "show", "-s", "--format=%ct")) + 60
    first = run(folder, hub, now)
    assert (first.taken.rejected, first.taken.notes) == ((), ())
    live = json.loads(hub.kubectl("get", "cluster", "my-cluster", "-o", "json").stdout)
    assert live["spec"]["controlPlaneEndpoint"] == {"host": "10.0.0.10", "port": 6443}
    variables = {it["name"]: it["value"] for it in live["spec"]["topology"]["variables"]}
    assert variables == {"cni": "calico", "clusterVip": "10.0.0.10"}
    vip = live["metadata"]["annotations"]["vip.capi.gorizond.io/ingress-vip"]
    assert live["metadata"]["labels"]["vip.capi.gorizond.io/ingress-vip"] == vip
    copies = sorted(path.stem for path in (folder / "observed").rglob("*.yaml"))
    assert len(copies) == len(MADE)
    assert "10.0.0.10" not in (folder / "observed").joinpath(
        "Cluster.cluster.x-k8s.io", "default", "my-cluster.yaml"
    ).read_text(encoding="utf-8")
    assert run(folder, hub, now + 60).taken.changes == ()


def test_a_cluster_made_with_kubectl_is_served_while_a_daemon_runs_and_released_when_deleted(
    tmp_path: Path, hub: ApiServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", {"ipam.yaml": SETTINGS})
    meter = Meter(free_port())
    words = ("--kubeconfig", str(_kubeconfig(hub)), "--listen", f"127.0.0.1:{meter.port}")
    with daemon(folder, tmp_path / "cache", *words) as running:
        running.round()
        meter.shows(0)
        *pools, class_, seed = map(whole, MADE)
        make(hub, *pools, class_)
        meter.shows(1)
        make(hub, seed, cluster("other"), cluster("lonely", LONELY))
        until(lambda: hosts(hub) == HOSTS, "both Clusters that a pool serves have their hosts")
        until(lambda: is_told(hub), "variable, annotation and label are there")
        assert "10.0.0.10" not in shown(folder, COPY)
        meter.shows(2)
        let_go(hub)
        until(lambda: phases(folder) == ["Released", "Released"], "both records are released")
        meter.shows(3)
        assert running.end() == 0
        assert "Traceback" not in running.errors()
    assert phases(folder, "other") == ["Allocated", "Allocated"]
    copies = git(folder, "ls-tree", "-r", "--name-only", "main", "observed/").splitlines()
    assert COPY not in copies
    assert len(copies) == len(MADE) + 1  # one went, and there are two others
    replayed = ipam(capsys, "verify", "--repo", folder)
    assert replayed.code == 0, replayed.out


def test_each_of_the_twelve_metrics_is_asked_for() -> None:
    assert {metric.name for metric in METERING.metrics} == NAMES
    assert len(NAMES) == 12


def make(server: ApiServer, *texts: str) -> None:
    """A person makes objects."""
    done = server.kubectl("apply", "-f", "-", stdin="---\n".join(texts))
    assert done.returncode == 0, done.stderr


def cluster(name: str, class_: str = "my-cluster-class") -> str:
    """Another Cluster like that of the seed."""
    body = yaml.safe_load(whole(MADE[-1]))
    body["metadata"]["name"], body["spec"]["topology"]["class"] = name, class_
    text: str = yaml.safe_dump(body)
    return text


def let_go(server: ApiServer) -> None:
    """A person deletes the Cluster of the seed, and Cluster API lets it go when all is torn down."""
    done = server.kubectl("delete", "cluster", "my-cluster", "--wait=false")
    assert done.returncode == 0, done.stderr
    patch = '{"metadata": {"finalizers": null}}'
    done = server.kubectl("patch", "cluster", "my-cluster", "--type=merge", "-p", patch)
    assert done.returncode == 0, done.stderr


def hosts(server: ApiServer) -> dict[str, str]:
    """The host of each Cluster."""
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
    """The phases of the records of a Cluster."""
    listed = git(folder, "ls-tree", "-r", "--name-only", "main", "allocations/").splitlines()
    texts = [shown(folder, path) for path in listed if f"/{name}." in path]
    return [yaml.safe_load(text)["status"]["phase"] for text in texts]
