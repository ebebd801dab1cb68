"""The chart's Pods, with their own arguments, variables, accounts and rights, on real API servers."""

import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chart.rendering import PLAIN, Manifest, manifests, pods, rendered
from tests.e2e.pod import Pod, install, kubeconfig, settings
from tests.e2e.site import POOL
from tests.envtest.processes import free_port, until
from tests.envtest.servers import ApiServer
from tests.git_server import serving
from tests.world import SMALL, git, repository

SECRETS = {"ipam-git-write": {"token": "may-push"}, "ipam-git-read": {"token": "may-push"}}
RECORDS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/butler-system/ipallocations"
ADDRESSES = ["10.40.0.0-10.40.0.7"]


@dataclass
class Installed:
    """A management cluster and a tenant as the chart left them, and the remote."""

    folder: Path
    management: ApiServer
    tenant: ApiServer
    bare: Path
    url: str

    def pods(self, objects: list[Manifest]) -> dict[str, Pod]:
        found = {}
        for name, template in pods(objects).items():
            folder = self.folder / name
            folder.mkdir(exist_ok=True)
            given = settings(objects, self.url)
            found[name] = Pod(template, given, SECRETS, self.management, folder)
        return found

    def recorded(self) -> list[str]:
        return git(self.bare, "ls-tree", "-r", "--name-only", "main", "allocations/").splitlines()

    def announced(self) -> list[str]:
        status, body = self.tenant.request("GET", POOL)
        return [] if status == 404 else list(body["spec"]["addresses"])


@pytest.fixture
def installed(
    tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]
) -> Iterator[Installed]:
    """A site with the plain manifests of rights, and the tenant's kubeconfig in a Secret."""
    tenant = tenants[0]
    install(management, manifests(rendered(PLAIN["rbac.yaml"])))
    install(tenant, manifests(rendered(PLAIN["rbac-tenant.yaml"])))
    management.namespace("team-a")
    secret = {
        "metadata": {"name": "one-kubeconfig"},
        "stringData": {"value": kubeconfig(tenant, "ipam-apply")},
    }
    management.put(secret, path="/api/v1/namespaces/team-a/secrets")
    clone = repository(tmp_path / "clone", SMALL)
    root = tmp_path / "served"
    root.mkdir()
    git(root, "clone", "-q", "--bare", str(clone), "addresses.git")
    git(root / "addresses.git", "config", "http.receivepack", "true")
    with serving(root) as server:
        server.password = "may-push"
        url = f"{server.url}/addresses.git"
        yield Installed(tmp_path, management, tenant, root / "addresses.git", url)


def may(server: ApiServer, *words: str) -> bool:
    """Return whether the service account has a right, which servers load after a moment."""
    account = "system:serviceaccount:gitops-ipam:ipam-apply"
    return server.kubectl("auth", "can-i", *words, "--as", account).stdout.strip() == "yes"


def has_rights(pod: Pod) -> bool:
    home = ("list", "configmaps", "-n", "butler-system")
    return may(pod.server, *home) and may(pod.server, "list", "namespaces")


def require_served(installed: Installed) -> None:
    """One record on the remote, the same object in the cluster, its range with the tenant."""
    assert len(installed.recorded()) == 1
    assert phases(installed) == ["Allocated"]
    assert installed.announced() == ADDRESSES


def phases(installed: Installed) -> list[str]:
    live = installed.management.get(RECORDS)["items"]
    return [item.get("status", {}).get("phase", "") for item in live]


def test_one_job_commits_and_applies_with_the_rights_of_its_account(installed: Installed) -> None:
    objects = manifests(rendered(PLAIN["daemon.yaml"], "--set", "mode=cronjobs"))
    (pod,) = installed.pods(objects).values()
    until(lambda: has_rights(pod), "the account has its rights")
    first = pod.run()
    assert first.returncode == 0, first.stdout + first.stderr
    require_served(installed)
    head = git(installed.bare, "rev-parse", "main")
    again = pod.run()
    assert again.returncode == 0, again.stdout + again.stderr
    assert "Nothing to commit" in again.stdout
    assert git(installed.bare, "rev-parse", "main") == head


def test_one_pod_commits_without_an_account_and_others_apply_their_shares(
    installed: Installed,
) -> None:
    words = ("--set", "cronjobs.shards=2")
    found = installed.pods(manifests(rendered(PLAIN["apply-job.yaml"], *words)))
    commits, applies = found["ipam-reconcile"], found["ipam-apply"]
    until(lambda: has_rights(applies), "the account has its rights")
    done = commits.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Not applied: --no-apply." in done.stderr
    assert not (commits.folder / "account").exists()
    assert installed.announced() == []
    for index in range(2):
        ran = applies.run(JOB_COMPLETION_INDEX=str(index))
        assert ran.returncode == 0, ran.stdout + ran.stderr
    require_served(installed)


@pytest.mark.parametrize("replicas", [1, 2])
def test_the_daemon_serves_its_tenant_and_ends_when_it_is_told(
    installed: Installed, replicas: int
) -> None:
    running = []
    for number in range(replicas):
        words = ("--set", f"http.port={free_port()}")
        objects = manifests(rendered(PLAIN["daemon.yaml"], *words))
        (pod,) = installed.pods(objects).values()
        pod.folder = installed.folder / f"replica-{number}"
        pod.folder.mkdir()
        until(lambda: has_rights(pod), "the account has its rights")  # noqa: B023 - asked at once
        with (pod.folder / "log").open("wb") as log:
            running.append(
                subprocess.Popen(
                    pod.command(), env=pod.environment(), cwd=pod.folder, stdout=log, stderr=log
                )
            )
    try:
        # A tenant and the management cluster are written side by side.
        until(lambda: installed.announced() == ADDRESSES, "the tenant announces its addresses")
        until(lambda: phases(installed) == ["Allocated"], "the record has its status")
        require_served(installed)
        assert git(installed.bare, "rev-list", "--count", "main").strip() == "2"
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
        codes = [process.wait(timeout=60) for process in running]
    assert codes == [0] * replicas
