"""Documents of people in the management cluster: their status alone, or all of them."""

import json

from tests.apply.execution.site import MERGE, Site, failures, results, world
from tests.envtest.servers import ApiServer
from tests.world import reconciled

BUTLER = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces"
TENANT = f"{BUTLER}/team-a/tenantclusters/web"
ALL = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec: {apply: {documents: all}}
"""
NAME = "butler.butlerlabs.dev/TenantCluster/team-a/web"


def made_by_butler(server: ApiServer) -> None:
    server.namespace("team-a", "butler-system")
    tenant = {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "TenantCluster",
        "metadata": {"name": "web"},
        "spec": {"kubernetesVersion": "v1.30.2"},
    }
    server.put(tenant, path=f"{BUTLER}/team-a/tenantclusters")
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "ReconcileSucceeded",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"status": {"phase": "Ready", "conditions": [ready]}}
    path = f"{TENANT}/status?fieldManager=butler-controller"
    assert server.request("PATCH", path, status, MERGE)[0] == 200


def test_a_tenant_of_butler_gets_our_status_and_keeps_its_own(site: Site) -> None:
    made_by_butler(site.management)
    applied = site.apply(world("web"))["management"]
    assert failures(applied) == {}
    live = site.management.get(TENANT)
    assert live["spec"] == {"kubernetesVersion": "v1.30.2"}
    assert "gitops-ipam.dev/managed-by" not in live["metadata"].get("labels", {})
    assert live["status"]["lbAllocationRef"] == {"name": "team-a-web-lb"}
    assert live["status"]["phase"] == "Ready"
    conditions = {item["type"]: item for item in live["status"]["conditions"]}
    assert conditions["NetworkReady"]["message"] == "LB IPs allocated: 10.0.0.0/30"
    assert conditions["Ready"]["reason"] == "ReconcileSucceeded"
    assert not site.apply(world("web"))["management"].is_changed


def test_what_butler_says_itself_is_not_fought_over(site: Site) -> None:
    made_by_butler(site.management)
    status = {"status": {"lbAllocationRef": {"name": "other"}}}
    path = f"{TENANT}/status?fieldManager=butler-controller"
    assert site.management.request("PATCH", path, status, MERGE)[0] == 200
    applied = site.apply(world("web"))["management"]
    assert failures(applied) == {
        NAME: "butler-controller owns status.lbAllocationRef.name; --adopt takes it over"
    }
    site.apply(world("web"), adopt=True)
    assert site.management.get(TENANT)["status"]["lbAllocationRef"] == {"name": "team-a-web-lb"}


def test_a_tenant_of_butler_stays_butlers_when_settings_go_to_all_documents(site: Site) -> None:
    """Its status was ours all the time, its spec never: that takes a person's word."""
    made_by_butler(site.management)
    pools, files = world("web"), world("web", **{"ipam.yaml": ALL})
    site.apply(pools)
    before = site.management.get(TENANT)
    applied = site.apply(files, "b")["management"]
    assert failures(applied) == {NAME: "it is there already and not ours; --adopt takes it over"}
    assert site.management.get(TENANT) == before
    gone = reconciled({path: text for path, text in files.items() if path != "tenants/web.yaml"})
    applied = site.apply(gone, "c")["management"]
    assert failures(applied) == {}
    assert site.management.get(TENANT)["metadata"]["uid"] == before["metadata"]["uid"]
    assert not site.apply(gone, "c")["management"].is_changed
    site.apply(files, "d", adopt=True)
    assert site.management.get(TENANT)["metadata"]["labels"] == {
        "gitops-ipam.dev/managed-by": "gitops-ipam"
    }


def test_all_documents_are_applied_when_settings_say_so(site: Site) -> None:
    files = world("web", **{"ipam.yaml": ALL})
    applied = site.apply(files)["management"]
    assert failures(applied) == {}
    live = site.management.get(TENANT)
    assert live["metadata"]["labels"]["gitops-ipam.dev/managed-by"] == "gitops-ipam"
    assert live["status"]["lbAllocationRef"] == {"name": "team-a-web-lb"}
    provider = site.management.get(f"{BUTLER}/butler-system/providerconfigs/default")
    assert provider["status"]["capacity"]["availableIPs"] == 28
    assert not site.apply(files)["management"].is_changed
    gone = reconciled({path: text for path, text in files.items() if path != "tenants/web.yaml"})
    assert results(site.apply(gone, "b")["management"])[NAME] == "deleted"


def test_reserved_addresses_in_use_are_counted(site: Site) -> None:
    reserved = json.dumps([{"cidr": "10.0.0.0/29", "description": "management"}])
    text = (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: NetworkPool\n"
        f"metadata: {{name: edge}}\nspec: {{cidr: 10.0.0.0/27, reserved: {reserved}}}\n"
    )
    site.management.request("POST", "/api/v1/nodes", {"metadata": {"name": "n1"}})
    address = {"addresses": [{"type": "InternalIP", "address": "10.0.0.3"}]}
    site.management.request("PATCH", "/api/v1/nodes/n1/status", {"status": address}, MERGE)
    site.apply(world("web", **{"pools/edge.yaml": text}))
    status = site.management.get(f"{BUTLER}/butler-system/networkpools/edge")["status"]
    assert status["infrastructureConsumedIPs"] == 1
    assert status["infrastructureAllocations"] == [
        {"ip": "10.0.0.3", "source": "node", "nodeRef": {"name": "n1"}}
    ]
