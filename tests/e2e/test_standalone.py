"""`ipam` with target clusters and no management cluster, on real API servers, by the command line."""

import json
from pathlib import Path

import pytest

from tests.apply.execution.site import ADDRESS_POOLS
from tests.apply.execution.site import announced as announced_by
from tests.cli.running import Capture, ipam
from tests.envtest.servers import ApiServer
from tests.world import commit, git, repository, write

INVENTORY = "/api/v1/namespaces/kube-system/configmaps/gitops-ipam-inventory"
A, B = "prod-1", "prod-2"
HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: "
POOL = f"{HEAD}AddressPool\nmetadata: {{name: all}}\nspec: {{addresses: [10.0.0.0/27]}}\n"
SETTINGS = f"{HEAD}Settings\nmetadata: {{name: ipam}}\nspec: {{sources: [pools, clusters]}}\n"


def target(name: str, *numbers: int, uid: str = "") -> str:
    """A cluster with an entry for some addresses."""
    ranges = ", ".join(f"10.0.0.{number}-10.0.0.{number}" for number in numbers)
    entry = f"{{name: web, poolRefs: [{{name: all}}], addresses: [{ranges}]}}"
    spec = f"spec:\n  loadBalancers: [{entry if numbers else ''}]\n"
    return f"{HEAD}ClusterTarget\nmetadata: {{name: {name}}}\n{spec}" + f"  uid: {uid}\n" * bool(
        uid
    )


def announced(server: ApiServer) -> list[str] | None:
    return announced_by(server, "web")


def test_clusters_are_enrolled_applied_to_and_watched_over_by_the_command_line(
    tmp_path: Path, tenants: tuple[ApiServer, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "of-something-else"))  # not read
    repo = repository(
        tmp_path / "repo",
        {
            "ipam.yaml": SETTINGS,
            "pools/all.yaml": POOL,
            "clusters/prod-1.yaml": target(A, 1),
            "clusters/prod-2.yaml": target(B, 2),
        },
    )
    folder = tmp_path / "kubeconfigs"
    folder.mkdir()
    one, two, _ = tenants
    (folder / "prod-1.kubeconfig").write_text(one.kubeconfig_for("admin").read_text())
    (folder / "prod-2.kubeconfig").write_text(two.kubeconfig_for("admin").read_text())
    here = ("--repo", repo, "--clusters", folder)
    done = ipam(capsys, "reconcile", *here)
    assert done.code == 5
    assert f"kube-system has uid {one.uid()}" in done.out + done.err
    assert announced(one) is None
    git(repo, "reset", "-q", "--hard", "main")
    enroll = ("--enroll", A, "--enroll", B)
    done = ipam(capsys, "apply", *here, *enroll, "--dry-run")
    assert done.code == 0, done.err
    assert one.writes() == []
    done = ipam(capsys, "apply", *here, *enroll)
    assert done.code == 0, done.err
    assert f"uid: {one.uid()}" in (repo / "clusters/prod-1.yaml").read_text()
    assert announced(one) == ["10.0.0.1-10.0.0.1"]
    data = one.get(INVENTORY)["data"]
    first = git(repo, "rev-list", "--max-parents=0", "HEAD").strip()
    assert (data["repository"], data["uid"]) == (first, one.uid())
    commit(repo, "bind clusters")
    assert ipam(capsys, "apply", *here).code == 0
    assert ipam(capsys, "apply", *here, "--detailed-exitcode", "--dry-run").code == 0
    (folder / "prod-1.kubeconfig").write_text(two.kubeconfig_for("admin").read_text())
    more = {"prod-1": target(A, 1, 3, uid=one.uid()), "prod-2": target(B, uid=two.uid())}
    write(repo, {f"clusters/{name}.yaml": text for name, text in more.items()})
    commit(repo, "another address")
    two.writes()
    done = ipam(capsys, "reconcile", *here, "-o", "json")
    assert done.code == 5
    found = {it["cluster"]: it for it in json.loads(done.out)["apply"]["clusters"]}
    assert found[A]["state"] == "refused"
    assert f"has uid {two.uid()}, expected {one.uid()}" in found[A]["error"]
    assert announced(one) == ["10.0.0.1-10.0.0.1"]
    (folder / "prod-1.kubeconfig").write_text(one.kubeconfig_for("admin").read_text())
    assert ipam(capsys, "apply", *here).code == 0
    assert announced(one) == ["10.0.0.1-10.0.0.1", "10.0.0.3-10.0.0.3"]
    assert announced(two) is None
    objects = [one.get(INVENTORY), one.get(f"{ADDRESS_POOLS}/web")]
    assert not any(name in str(objects).lower() for name in ("butler", "novaedge"))
    done = ipam(capsys, "doctor", *here)
    assert "management" not in done.out
    assert "prod-1" in done.out
    done = ipam(capsys, "render", "--repo", repo, "--out", tmp_path / "out")
    assert "not checked: whether prod-2 uses it" in done.err
    assert sorted(it.name for it in (tmp_path / "out").iterdir()) == [".ipam-render", "prod-1"]


def test_a_second_repository_on_a_cluster_is_refused_until_it_takes_over(
    tmp_path: Path, tenants: tuple[ApiServer, ...], capsys: Capture
) -> None:
    one = tenants[0]
    reach = ("--cluster", f"{A}={one.kubeconfig_for('admin')}")
    for name, number in (("first", 1), ("second", 2)):
        files = {
            "ipam.yaml": SETTINGS,
            "pools/all.yaml": POOL,
            "clusters/prod-1.yaml": target(A, number, uid=one.uid()),
        }
        repository(tmp_path / name, files)
    assert ipam(capsys, "reconcile", "--repo", tmp_path / "first", *reach).code == 0
    one.writes()
    done = ipam(capsys, "reconcile", "--repo", tmp_path / "second", *reach)
    assert done.code == 5
    assert "--take-over prod-1" in done.out + done.err
    assert one.writes() == []
    assert announced(one) == ["10.0.0.1-10.0.0.1"]
    done = ipam(capsys, "reconcile", "--repo", tmp_path / "second", *reach, "--take-over", A)
    assert done.code == 0, done.out + done.err
    assert announced(one) == ["10.0.0.2-10.0.0.2"]
    done = ipam(capsys, "apply", "--repo", tmp_path / "first", *reach)
    assert (done.code, announced(one)) == (5, ["10.0.0.2-10.0.0.2"])
