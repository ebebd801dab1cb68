"""A doctor whose patient holds odd objects tells so, and goes on to the next one."""

import time
from pathlib import Path

from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import open_repository
from reconciler.reconcile.doctor import diagnose, diagnosis_code
from reconciler.reconcile.doctor_cluster import DiagnosisVerdict
from tests.apply.execution.site import FIRST, MERGE, SECOND, Site, world
from tests.world import ENVIRONMENT, repository

TENANTS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"


def test_an_odd_object_spoils_the_line_of_its_cluster_alone(site: Site, tmp_path: Path) -> None:
    site.management.namespace("team-a")
    kind = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "TenantCluster"}
    site.management.put({**kind, "metadata": {"name": "web"}, "spec": {}}, path=TENANTS)
    odd = {"status": {"tenantNamespace": {"not": "a name"}}}
    assert site.management.request("PATCH", f"{TENANTS}/web/status", odd, MERGE)[0] == 200
    del site.tenants[FIRST]
    checkout = repository(tmp_path / "repo", world("web", "shop"))
    probe = RepositoryProbe(lambda: open_repository(checkout, ENVIRONMENT), ENVIRONMENT)
    found = diagnose(probe, site.clusters(), time.time)
    verdicts = {group.name: group.verdict for group in found.groups}
    assert verdicts[FIRST] is DiagnosisVerdict.FAILED
    assert verdicts[SECOND] is not DiagnosisVerdict.FAILED
    assert diagnosis_code(found) == 5


def test_what_is_not_in_git_and_not_taken_in_is_told(site: Site, tmp_path: Path) -> None:
    files = world("web")
    site.apply(files)
    site.management.namespace("team-a")
    kind = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "TenantCluster"}
    for name in ("web", "by-hand"):
        site.management.put({**kind, "metadata": {"name": name}, "spec": {}}, path=TENANTS)
    checkout = repository(tmp_path / "repo", files)
    probe = RepositoryProbe(lambda: open_repository(checkout, ENVIRONMENT), ENVIRONMENT)
    groups = {group.name: group for group in diagnose(probe, site.clusters(), time.time).groups}
    (check,) = [check for check in groups["management"].checks if check.name == "intake"]
    assert check.verdict is DiagnosisVerdict.WARNING
    said = "1 TenantCluster is not in Git and gets no addresses; see intake in Settings"
    assert check.message == said
