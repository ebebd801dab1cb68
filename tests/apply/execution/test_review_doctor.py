"""A doctor whose patient holds odd objects tells so, and goes on to the next one."""

from pathlib import Path

from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import open_repository
from reconciler.reconcile.doctor import DiagnosisVerdict, diagnose
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
    found = diagnose(probe, site.clusters())
    verdicts = {group.name: group.verdict for group in found.groups}
    assert verdicts[FIRST] is DiagnosisVerdict.FAILED
    assert verdicts[SECOND] is not DiagnosisVerdict.FAILED
    assert found.exit_code == 5
