"""Real API servers accept the manifests of the chart, and the real helm installs it."""

import json
from pathlib import Path

import pytest

from tests.chart.rendering import CHART, MATRIX, NAME, PLAIN, helm, kinds_of, rendered
from tests.envtest.assets import PROMETHEUS_OPERATOR, lacking
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer, Fleet

ALL = {**MATRIX, **PLAIN}
MONITORING = ("servicemonitors", "prometheusrules")


@pytest.fixture
def server(management: ApiServer) -> ApiServer:
    """A dry run makes no namespaces, so those that are needed are made before."""
    management.namespace(NAME, "butler-system", "metallb-system", "team-a", "team-b")
    return management


def install_prometheus_operator(server: ApiServer, fleet: Fleet) -> None:
    folder = fleet.assets.crds[PROMETHEUS_OPERATOR]
    if not folder.is_dir():
        lacking("no CRDs of the Prometheus operator: make envtest")
    for kind in MONITORING:
        path = str(folder / f"monitoring.coreos.com_{kind}.yaml")
        done = server.kubectl("apply", "--server-side", "-f", path)
        assert done.returncode == 0, done.stderr
    words = ("wait", "--for=condition=Established", "--timeout=30s")
    names = [f"crd/{kind}.monitoring.coreos.com" for kind in MONITORING]
    # kubectl ends at once where a definition has no condition at all yet.
    until(lambda: server.kubectl(*words, *names).returncode == 0, "the kinds are established")


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_real_server_takes_every_object(
    name: str, server: ApiServer, fleet: Fleet, tmp_path: Path
) -> None:
    text = rendered(ALL[name])
    if {"ServiceMonitor", "PrometheusRule"} & kinds_of(text):
        install_prometheus_operator(server, fleet)
    path = tmp_path / "objects.yaml"
    path.write_text(text, encoding="utf-8")
    words = ("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", str(path))
    done = server.kubectl(*words)
    assert done.returncode == 0, done.stderr
    # Warnings about Pods that their namespace would not admit, and about deprecated versions.
    assert "Warning" not in done.stderr
    assert len(done.stdout.splitlines()) >= len(kinds_of(text))


def test_pods_are_admitted_where_only_restricted_ones_are(server: ApiServer) -> None:
    label = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    path = f"/api/v1/namespaces/{NAME}"
    assert server.request("PATCH", path, label, "application/merge-patch+json")[0] == 200
    text = rendered(PLAIN["daemon.yaml"])
    done = server.kubectl("apply", "--dry-run=server", "-f", "-", stdin=text)
    assert (done.returncode, "would violate" in done.stderr) == (0, False), done.stderr


@pytest.mark.parametrize("is_there", [False, True])
def test_a_release_comes_grows_and_goes_and_leaves_the_inventory_where_it_is(
    management: ApiServer, *, is_there: bool
) -> None:
    if is_there:  # as where Butler runs
        management.namespace("butler-system")
    reach = ("--kubeconfig", str(management.kubeconfig), "--namespace", NAME)
    values = ("--values", str(MATRIX["default"]))
    done = helm("install", NAME, str(CHART), *reach, *values, "--create-namespace")
    assert done.returncode == 0, done.stderr
    assert "reconcile --watch" in done.stdout
    done = helm("upgrade", NAME, str(CHART), *reach, *values, "--set", "mode=cronjobs")
    assert done.returncode == 0, done.stderr
    deployments = f"/apis/apps/v1/namespaces/{NAME}/deployments"
    assert management.get(deployments)["items"] == []
    assert management.request("GET", "/api/v1/namespaces/butler-system")[0] == 200
    done = helm("uninstall", NAME, *reach)
    assert done.returncode == 0, done.stderr
    home = management.get("/api/v1/namespaces/butler-system")
    assert "deletionTimestamp" not in home["metadata"]
    roles = management.get("/apis/rbac.authorization.k8s.io/v1/clusterroles")["items"]
    assert not any(NAME in json.dumps(role["metadata"]) for role in roles)
