"""Documents of live clusters come and go, and no Service loses its address."""

from pathlib import Path

import yaml

from tests.e2e.daemon import applied_to, daemon
from tests.e2e.plain_site import PlainSite, site
from tests.envtest.processes import until
from tests.world import git, write

__all__ = ["site"]
OWN, DMZ = ["10.22.0.52-10.22.0.55"], ["10.22.0.64-10.22.0.67"]
# As Flux does: objects with a label that are no longer in the folder are deleted.
DELIVERY = """
resources: [../out/prod-3]
labels: [{pairs: {delivered: here}}]
"""
PRUNING = ("--prune", "-l", "delivered=here", "--prune-allowlist=metallb.io/v1beta1/IPAddressPool")
PATH = "clusters/prod-3.yaml"


def both(site: PlainSite) -> tuple[object, object]:
    return site.announced("prod-3"), site.announced("prod-3", "dmz")


def test_a_cluster_without_its_document_keeps_pools_in_use_until_it_has_it_again(
    site: PlainSite,
) -> None:
    site.serve("prod-3", "shop", "10.22.0.53")
    site.imported("--pool", "internal=10.22.0.0/24")
    text = site.text("prod-3")
    before = site.clusters["prod-3"].specs()
    site.commit({PATH: None})
    site.reconcile("--allow-release", "2")
    assert both(site) == (OWN, None)
    site.reconcile()
    assert both(site) == (OWN, None)
    site.commit({PATH: text})
    site.reconcile()
    assert site.clusters["prod-3"].specs() == before
    site.require_kept()


def test_an_object_name_that_a_service_forbids_is_reverted(site: PlainSite) -> None:
    site.serve("prod-3", "shop", "10.22.0.53")
    site.imported("--pool", "internal=10.22.0.0/24")
    text, before = site.text("prod-3"), site.clusters["prod-3"].specs()
    site.edit("prod-3", "name: internal\n      p", "name: internal\n      objectName: web\n      p")
    ran = site.reconcile(code=5)
    assert "IPAddressPool internal is not renamed" in ran.out
    assert site.clusters["prod-3"].specs() == before
    site.commit({PATH: text})
    site.reconcile()
    assert site.clusters["prod-3"].specs() == before
    site.require_kept()


def test_the_folder_of_a_removed_document_goes_and_comes_back_with_the_same_pools(
    site: PlainSite, tmp_path: Path
) -> None:
    site.serve("prod-3", "shop", "10.22.0.53")
    site.imported("--pool", "internal=10.22.0.0/24", applies=False)
    cluster, text, out = site.clusters["prod-3"], site.text("prod-3"), tmp_path / "out"
    before = cluster.specs()
    write(tmp_path, {"delivery/kustomization.yaml": DELIVERY})
    for document in (text, None, text):
        site.commit({PATH: document})
        site.reconcile("--allow-release", "2", applies=False)
        site.run("render", "--out", out)
        assert (out / "prod-3").exists() == (document is not None)
        if document is not None:
            done = cluster.api.kubectl("apply", "-k", str(tmp_path / "delivery"), *PRUNING)
            assert done.returncode == 0, done.stderr
        assert cluster.specs() == before
    site.require_kept()


def test_a_daemon_without_a_hub_grows_and_removes_entries_as_services_come_and_go(
    site: PlainSite, tmp_path: Path
) -> None:
    for at in (52, 53, 54, 55):
        site.serve("prod-3", f"s{at}", f"10.22.0.{at}")
    site.serve("prod-3", "door", "10.22.0.65")
    site.imported("--pool", "internal=10.22.0.0/24")
    site.edit(
        "prod-3", "name: internal\n      p", "name: internal\n      growth: {max: 8}\n      p"
    )
    words = ("--clusters", str(site.kubeconfigs), "--interval", "1s")
    with daemon(site.repo, tmp_path / "cache", *words) as running:
        running.round(applied_to("prod-3"))
        site.ask("prod-3", "more")
        site.given("prod-3", "more")
        assert site.announced("prod-3") == ["10.22.0.52-10.22.0.56"]
        git(site.repo, "reset", "-q", "--hard", "main")
        document = yaml.safe_load(site.text("prod-3"))
        balancers = document["spec"]["loadBalancers"]
        document["spec"]["loadBalancers"] = [it for it in balancers if it["name"] != "dmz"]
        site.commit({PATH: yaml.safe_dump(document)})
        running.round(lambda it: "Service default/door uses" in str(it))
        assert site.announced("prod-3", "dmz") == DMZ
        site.delete("prod-3", "door")
        until(lambda: site.announced("prod-3", "dmz") is None, "the pool is deleted")
        assert running.end() == 0
        assert "Traceback" not in running.errors()
    site.require_kept()


def test_a_kubeconfig_of_a_removed_document_that_leads_to_another_cluster_changes_nothing(
    site: PlainSite,
) -> None:
    site.serve("prod-2", "shop", "10.22.0.48")
    site.imported("--pool", "internal=10.22.0.0/24")
    before = {name: it.specs() for name, it in site.clusters.items()}
    two, three = (site.kubeconfigs / f"prod-{at}.kubeconfig" for at in (2, 3))
    three.write_bytes(two.read_bytes())
    site.commit({PATH: None})
    for _ in range(2):  # with the kubeconfig of prod-2, and without
        ran = site.reconcile("--allow-release", "2", code=5)
        assert "the cluster is prod-2" in ran.out
        assert {name: it.specs() for name, it in site.clusters.items()} == before
        two.unlink(missing_ok=True)
    site.require_kept()
