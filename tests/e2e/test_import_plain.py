"""Import of live clusters with MetalLB into a plain repository, and their adoption."""

from pathlib import Path

import pytest
import yaml

from tests.cli.running import Capture, ipam
from tests.envtest.servers import ApiServer
from tests.families.plain.examples import SETTINGS
from tests.loadbalancers.test_real import METALLB, RealCluster, theirs
from tests.world import commit, git, repository

POOLS = (
    (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.0/29", "10.22.0.16-10.22.0.19"]),
        theirs("IPAddressPool", "dmz", addresses=["10.99.0.0/30"], autoAssign=False),
    ),
    (
        theirs("IPAddressPool", "internal", addresses=["10.22.0.32/29", "fd00:22::/124"]),
        theirs(
            "IPAddressPool", "edge",
            addresses=["10.99.0.4/30"], avoidBuggyIPs=True,
            serviceAllocation={"priority": 20, "namespaces": ["edge"]},
        ),
    ),
    (
        theirs("IPAddressPool", "one", addresses=["10.22.0.48/30"]),
        theirs("IPAddressPool", "two", addresses=["10.22.0.52/30"]),
    ),
)  # fmt: skip


@pytest.mark.parametrize("source", ["cluster", "manifests"])
def test_live_clusters_are_imported_and_adopted_without_a_changed_spec(
    tmp_path: Path,
    tenants: tuple[ApiServer, ...],
    capsys: Capture,
    source: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "of-something-else"))  # no hub
    repo = repository(tmp_path / "repo", {"ipam.yaml": SETTINGS})
    clusters: dict[str, RealCluster] = {}
    for number, (server, pools) in enumerate(zip(tenants, POOLS, strict=True), 1):
        cluster = clusters[f"prod-{number}"] = RealCluster("MetalLB", server)
        server.namespace("edge")
        server.put(*pools, path=f"{METALLB}/ipaddresspools")
    bgp = theirs("BGPAdvertisement", "uplink", ipAddressPools=["internal"])
    tenants[0].put(bgp, path=f"{METALLB}/bgpadvertisements")
    controllers = [server.start_metallb() for server in tenants]
    folder = tmp_path / "clusters"
    folder.mkdir()
    paths: list[Path] = []
    for name, cluster in clusters.items():
        cluster.serve("shop")
        path = folder / f"{name}.kubeconfig"
        path.write_text(cluster.api.kubeconfig_for("admin").read_text("utf-8"), "utf-8")
        if source == "manifests":
            objects = [dict(it) for items in cluster.listed().values() for it in items]
            path = tmp_path / f"{name}.yaml"
            path.write_text(yaml.safe_dump_all(objects), "utf-8")
        paths.append(path)
    for controller in controllers:
        controller.stop()  # it writes the status of pools, and Services keep their addresses
    before = {name: (it.specs(), it.versions()) for name, it in clusters.items()}
    done = ipam(capsys, "import", source, *paths, "--repo", repo)
    assert done.code == 0, done.out + done.err
    assert "0 moved." in done.out
    assert "announced by BGPAdvertisement uplink" in done.out
    commit(repo, "Import existing addresses")
    assert ipam(capsys, "check", "--repo", repo).code == 0
    assert ipam(capsys, "reconcile", "--no-apply", "--repo", repo).code == 0
    git(repo, "reset", "-q", "--hard", "main")
    planned = ipam(capsys, "plan", "--detailed-exitcode", "--repo", repo)
    assert (planned.code, "No changes: " in planned.out) == (0, True)
    here = ("--repo", repo, "--clusters", folder)
    enroll = [word for name in clusters for word in ("--enroll", name) if source == "manifests"]
    refused = ipam(capsys, "apply", *here, *enroll)
    assert (refused.code, "--adopt" in refused.out + refused.err) == (5, True)
    commit(repo, "bind clusters") if enroll else None
    adopted = ipam(capsys, "apply", *here, "--adopt")
    assert adopted.code == 0, adopted.out + adopted.err
    assert {name: (it.specs(), it.versions()) for name, it in clusters.items()} == before
    assert ipam(capsys, "apply", *here, "--detailed-exitcode", "--dry-run").code == 0
