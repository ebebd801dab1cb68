"""Imported clusters, from the first import to the removal of an entry."""

from pathlib import Path

import yaml

from tests.cli.running import Capture, ipam
from tests.e2e.plain_site import PlainSite, site
from tests.e2e.test_metallb_page import require_no_foreign_word
from tests.envtest.processes import until
from tests.families.plain.examples import cluster, entry, files
from tests.loadbalancers.test_real import RealCluster, cilium
from tests.world import commit, git, repository, write

__all__ = ["cilium", "site"]
MORE = ["10.22.0.52-10.22.0.56"]
GROWTH = "name: internal\n      growth: {max: 8}\n      p"


def test_imported_clusters_grow_move_and_are_renamed_without_a_lost_address(
    site: PlainSite,
) -> None:
    for name, address in zip(
        site.clusters, ("10.22.0.16", "10.22.0.48", "10.22.0.52"), strict=True
    ):
        site.serve(name, "shop", address)
    site.serve("prod-3", "door", "10.22.0.65")
    specs = {name: it.specs() for name, it in site.clusters.items()}
    site.imported("--pool", "internal=10.22.0.0/24", "--pool", "other=10.30.0.0/24")
    assert {name: it.specs() for name, it in site.clusters.items()} == specs
    assert "No changes" in site.run("plan", "--detailed-exitcode").out
    # Each of two entries gets more addresses. A Service waits for the second one.
    site.edit("prod-2", "- 10.22.0.48", "- 10.22.0.100-10.22.0.101\n        - 10.22.0.48")
    site.edit("prod-3", "name: internal\n      p", GROWTH)
    for at in (53, 54, 55):
        site.serve("prod-3", f"s{at}", f"10.22.0.{at}")
    site.ask("prod-3", "more")
    until(lambda: site.reconcile() and site.announced("prod-3") == MORE, "the entry grows")
    site.given("prod-3", "more")
    assert site.announced("prod-2") == ["10.22.0.48-10.22.0.51", "10.22.0.100-10.22.0.101"]
    # It is renamed, and its object is not.
    site.edit("prod-3", "name: dmz\n", "name: public\n      formerly: dmz\n")
    ran = site.reconcile()
    assert "renamed from dmz.ipv4" in ran.out
    assert site.announced("prod-3", "dmz") == ["10.22.0.64-10.22.0.67"]
    # Another one moves: it announces both ranges while a Service has the old one.
    ran = site.run("move", "prod-1/internal", "--to", "other", code=64)
    assert "set addresses to a range of pool other" in ran.err
    text = site.text("prod-1").replace("- name: internal\n", "- name: other\n")
    text = text.replace("10.22.0.16-10.22.0.31", "10.30.0.1-10.30.0.16")
    site.commit({"clusters/prod-1.yaml": text})
    site.reconcile()
    assert site.announced("prod-1") == ["10.22.0.16-10.22.0.31", "10.30.0.1-10.30.0.16"]
    site.serve("prod-1", "shop-new", "10.30.0.2")
    site.delete("prod-1", "shop")
    until(
        lambda: site.reconcile() and site.announced("prod-1") == ["10.30.0.1-10.30.0.16"],
        "it moved",
    )
    # An entry is removed: its object stays while a Service uses it.
    document = yaml.safe_load(site.text("prod-3"))
    document["spec"]["loadBalancers"] = [
        it for it in document["spec"]["loadBalancers"] if it["name"] != "public"
    ]
    site.commit({"clusters/prod-3.yaml": yaml.safe_dump(document)})
    ran = site.reconcile()
    assert "IPAddressPool dmz keeps 10.22.0.64-10.22.0.67: Service default/door uses" in ran.out
    assert site.announced("prod-3", "dmz") == ["10.22.0.64-10.22.0.67"]
    site.delete("prod-3", "door")
    site.reconcile()
    assert site.announced("prod-3", "dmz") is None
    site.require_kept()
    servers = {name: it.api for name, it in site.clusters.items()}
    require_no_foreign_word(site.repo, [], servers)


def test_a_service_of_cilium_gets_a_planned_address_and_another_record_moves_none(
    cilium: RealCluster, tmp_path: Path, capsys: Capture
) -> None:
    def described(count: int) -> dict[str, str | bytes]:
        dmz = entry("dmz", count=count, services="{default: true}")
        return files(cluster(dmz, controller="{type: Cilium}", uid=cilium.api.uid()))

    repo = repository(tmp_path / "repo", described(2))
    words = ("reconcile", "--repo", repo, "--cluster", f"prod-1={cilium.api.kubeconfig}")
    ran = ipam(capsys, *words)
    assert (ran.code, "10.22.0.1-10.22.0.2" in ran.out) == (0, True), ran.err
    assert {cilium.serve("a"), cilium.serve("b")} == {"10.22.0.1", "10.22.0.2"}
    before = cilium.versions()
    git(repo, "reset", "-q", "--hard", "main")
    write(repo, described(4))
    commit(repo, "more")
    ran = ipam(capsys, *words)
    assert (ran.code, "10.22.0.3-10.22.0.4" in ran.out) == (0, True), ran.err
    assert cilium.serve("c") in ("10.22.0.3", "10.22.0.4")
    assert cilium.specs()["CiliumLoadBalancerIPPool dmz"]["blocks"] == [
        {"start": "10.22.0.1", "stop": "10.22.0.2"},
        {"start": "10.22.0.3", "stop": "10.22.0.4"},
    ]
    after = cilium.versions()
    assert {name: after[name] for name in before} == before
