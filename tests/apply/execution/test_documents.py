"""Documents in the management cluster: apply only their status, or the whole documents."""

from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.model.objects import Ref
from tests.apply.execution.site import ALL, MERGE, Site, failures, results, without, world
from tests.envtest.servers import ApiServer
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters

TENANT = Ref(TENANT_CLUSTER, "team-a", "web")
PATH = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
MANIFEST = {
    "apiVersion": "butler.butlerlabs.dev/v1alpha1",
    "kind": "TenantCluster",
    "metadata": {"name": "web", "namespace": "team-a"},
    "spec": {"kubernetesVersion": "v1.30.2"},
}
READY = {"type": "Ready", "status": "True", "reason": "ReconcileSucceeded", "message": ""}
STATUS = {"conditions": [{**READY, "lastTransitionTime": "2026-01-01T00:00:00Z"}]}


def test_a_tenant_of_butler_gets_our_status_and_keeps_its_own(
    site: Site, management: ApiServer
) -> None:
    management.namespace("team-a", "butler-system")
    management.put(MANIFEST, path=PATH)
    path = f"{PATH}/web/status?fieldManager=butler-controller"
    assert management.request("PATCH", path, {"status": STATUS}, MERGE)[0] == 200
    assert failures(site.apply(world("web"))[HUB]) == {}
    live = management.get(f"{PATH}/web")
    assert live["spec"] == {"kubernetesVersion": "v1.30.2"}
    assert "gitops-ipam.dev/managed-by" not in live["metadata"].get("labels", {})
    assert live["status"]["lbAllocationRef"] == {"name": "team-a-web-lb"}
    conditions = {item["type"]: item for item in live["status"]["conditions"]}
    assert conditions["NetworkReady"]["message"] == "LB IPs allocated: 10.0.0.0/30"
    assert conditions["Ready"]["reason"] == "ReconcileSucceeded"
    assert not site.apply(world("web"))[HUB].is_changed


def test_a_tenant_of_butler_stays_butlers_when_settings_go_to_all_documents(
    clusters: FakeClusters,
) -> None:
    """Its status was ours all the time, its spec never: that takes a person's word."""
    hand = clusters.hand(HUB)
    hand.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
    hand.put({**MANIFEST, "status": STATUS}, "butler-controller")
    files = world("web", **{"ipam.yaml": ALL})
    clusters.run(world("web"))
    before = clusters.objects[HUB][TENANT]
    error = "already exists, and does not belong to ipam; use --adopt to take it over"
    assert failures(clusters.run(files, "b")[HUB]) == {str(TENANT): error}
    assert clusters.objects[HUB][TENANT] == before
    gone = without(files, "web")
    assert failures(clusters.run(gone, "c")[HUB]) == {}
    assert clusters.objects[HUB][TENANT]["metadata"]["uid"] == before["metadata"]["uid"]
    assert "TenantCluster" not in clusters.inventory(HUB)["objects"]
    assert not clusters.run(gone, "c")[HUB].is_changed
    clusters.run(files, "d", adopt=True)
    labels = clusters.objects[HUB][TENANT]["metadata"]["labels"]
    assert labels == {"gitops-ipam.dev/managed-by": "gitops-ipam"}
    assert not clusters.run(files, "d")[HUB].is_changed
    assert results(clusters.run(gone, "e")[HUB])[str(TENANT)] == "deleted"
