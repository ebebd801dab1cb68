"""A pinned range of a live cluster shrinks, and another cluster gets the rest."""

import signal
import subprocess
import sys

from tests.cli.running import environment
from tests.e2e.plain_site import HOUR, WEEK, PlainSite, site
from tests.kube.proxy import Fault, proxied

__all__ = ["site"]
WHOLE, KEPT = ["10.22.0.16/28"], ["10.22.0.24-10.22.0.31"]
OWN, GROWN = ["10.22.0.48-10.22.0.51"], ["10.22.0.16-10.22.0.23", "10.22.0.48-10.22.0.51"]


def shrink(site: PlainSite) -> None:
    """Import the clusters, permit the change, and give up the lower half."""
    site.serve("prod-1", "upper", "10.22.0.24")
    site.imported("--pool", "internal=10.22.0.0/24")
    site.permit("prod-1/internal.ipv4")
    site.edit("prod-1", "10.22.0.16-", "10.22.0.24-")


def pin(site: PlainSite) -> None:
    """Pin the range that the first cluster releases in another one."""
    site.edit("prod-2", "- 10.22.0.48", "- 10.22.0.16-10.22.0.23\n        - 10.22.0.48")


def test_the_unused_end_of_a_live_range_goes_to_another_cluster_after_its_retention(
    site: PlainSite,
) -> None:
    shrink(site)
    pin(site)
    ran = site.reconcile(code=3)  # its cluster withdraws it
    assert "or wait for prod-1 until no Service uses it" in ran.err
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, OWN)
    ran = site.reconcile(code=3, later=WEEK - HOUR)
    assert "or wait for prod-1 until 2026-02-22T" in ran.err
    # Its retention has ended, but the cluster does not answer.
    with site.away("prod-1"):
        ran = site.reconcile("--timeout", "5s", code=5, later=2 * HOUR)
    assert "expiry-held" in ran.err
    # A pool of another owner has an address of it.
    site.pools("prod-1", theirs="10.22.0.23-10.22.0.23")
    ran = site.reconcile(code=5)
    assert "IPAddressPool theirs of prod-1 still has 10.22.0.16-10.22.0.23" in ran.err
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, OWN)
    site.remove("prod-1", "theirs")
    site.reconcile()
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, GROWN)
    site.serve("prod-2", "new", "10.22.0.16")
    site.require_kept()


def test_an_end_that_a_service_uses_stays_in_its_pool_while_other_clusters_change(
    site: PlainSite,
) -> None:
    site.serve("prod-1", "lower", "10.22.0.18")
    shrink(site)
    site.edit("prod-2", "- 10.22.0.48", "- 10.22.0.60-10.22.0.61\n        - 10.22.0.48")
    for _ in range(3):
        ran = site.reconcile()
        assert "Service default/lower of prod-1 still has 10.22.0.16-10.22.0.23" in ran.err
        assert site.announced("prod-1") == WHOLE
    assert site.announced("prod-2") == ["10.22.0.48-10.22.0.51", "10.22.0.60-10.22.0.61"]
    # A person is wrong about the Service, and the apply refuses.
    site.reconcile("--confirm-withdrawn", "prod-1", applies=False)
    site.edit("prod-3", "- 10.22.0.52", "- 10.22.0.62-10.22.0.63\n        - 10.22.0.52")
    site.reconcile(applies=False)
    ran = site.run("apply", "--clusters", site.kubeconfigs, code=5)
    assert (
        "10.22.0.16-10.22.0.23 is not withdrawn: Service default/lower uses 10.22.0.18" in ran.out
    )
    assert site.announced("prod-1") == WHOLE
    assert site.announced("prod-3") == ["10.22.0.52-10.22.0.55", "10.22.0.62-10.22.0.63"]
    site.delete("prod-1", "lower")
    site.reconcile()
    assert site.announced("prod-1") == KEPT
    site.require_kept()


def test_an_end_waits_for_its_cluster_and_returns_after_a_revert(site: PlainSite) -> None:
    shrink(site)
    with site.away("prod-1"):
        site.reconcile("--timeout", "5s", code=5)
    assert site.announced("prod-1") == WHOLE
    site.reconcile()
    assert site.announced("prod-1") == KEPT
    site.edit("prod-1", "10.22.0.24-", "10.22.0.16-")
    site.reconcile()
    assert site.announced("prod-1") == ["10.22.0.16-10.22.0.31"]
    assert "No changes" in site.reconcile().out
    site.require_kept()


def test_an_end_of_a_cluster_that_is_not_asked_is_free_when_its_retention_has_ended(
    site: PlainSite,
) -> None:
    shrink(site)
    pin(site)
    site.reconcile(code=3)
    (site.kubeconfigs / "prod-1.kubeconfig").unlink()
    ran = site.reconcile(code=3, later=WEEK - HOUR)
    assert "or wait for prod-1 until 2026-02-22T" in ran.err
    assert site.announced("prod-2") == OWN
    site.reconcile(later=2 * HOUR)
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, GROWN)
    site.require_kept()


def test_a_live_range_does_not_shrink_without_an_override(site: PlainSite) -> None:
    site.serve("prod-1", "upper", "10.22.0.24")
    site.imported("--pool", "internal=10.22.0.0/24")
    site.edit("prod-1", "10.22.0.16-", "10.22.0.24-")
    site.edit("prod-2", "- 10.22.0.48", "- 10.22.0.60-10.22.0.61\n        - 10.22.0.48")
    ran = site.reconcile(code=3)
    assert "record-stale" in ran.err
    assert site.announced("prod-1") == WHOLE
    assert site.announced("prod-2") == ["10.22.0.48-10.22.0.51", "10.22.0.60-10.22.0.61"]
    site.require_kept()


def test_an_apply_that_ends_between_a_withdrawal_and_an_announcement_is_repeated(
    site: PlainSite,
) -> None:
    site.serve("prod-1", "lower", "10.22.0.18")
    shrink(site)
    pin(site)
    # Without clusters, the records change hands when retention has ended.
    site.reconcile(applies=False, code=3)
    site.reconcile("--confirm-withdrawn", "prod-1", applies=False, code=3)
    site.reconcile(applies=False, later=WEEK)
    ran = site.run("apply", "--clusters", site.kubeconfigs, code=5)
    assert "is not withdrawn: Service default/lower uses 10.22.0.18" in ran.out
    assert "prod-1 might still announce 10.22.0.16-10.22.0.23" in ran.out
    assert (site.announced("prod-1"), site.announced("prod-2")) == (WHOLE, OWN)
    site.delete("prod-1", "lower")
    killed_after(site, "prod-1", "PATCH .*/ipaddresspools/internal")
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, OWN)
    site.run("apply", "--clusters", site.kubeconfigs)
    assert (site.announced("prod-1"), site.announced("prod-2")) == (KEPT, GROWN)
    site.run("apply", "--clusters", site.kubeconfigs, "--dry-run", "--detailed-exitcode")
    site.require_kept()


def killed_after(site: PlainSite, cluster: str, request: str) -> None:
    """Kill an apply after a request to a cluster, which was carried out."""
    path = site.kubeconfigs / f"{cluster}.kubeconfig"
    before = path.read_bytes()
    with proxied(before) as proxy:
        path.write_bytes(proxy.kubeconfig)
        words = ["apply", "--repo", str(site.repo), "--clusters", str(site.kubeconfigs)]
        process = subprocess.Popen([sys.executable, "-m", "reconciler", *words], env=environment())
        proxy.faults = (Fault(request, kind="pass", after=process.kill),)
        assert process.wait(timeout=120) == -signal.SIGKILL
    path.write_bytes(before)
