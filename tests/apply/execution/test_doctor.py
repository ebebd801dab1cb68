"""`doctor` on real clusters, and an apply with only the rights in deploy/."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.gitio.remotes import RepositoryProbe
from reconciler.gitio.repository import open_repository
from reconciler.kube.clusters import KubeClusters
from reconciler.model.applied import Applied, ClusterState
from reconciler.reconcile.doctor import Diagnosis, DiagnosisCheck, DiagnosisVerdict, diagnose
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALL,
    FIRST,
    MERGE,
    SECOND,
    Files,
    Site,
    failures,
    world,
)
from tests.documentation import ROOT
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.envtest.wiping import renew_identity
from tests.fake_cluster import HUB
from tests.world import ENVIRONMENT, repository

CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networkpools.butler.butlerlabs.dev"
TENANTS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
ALICE = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}
FILES = world("web", "shop")
OK, WARNING, FAILED = DiagnosisVerdict.OK, DiagnosisVerdict.WARNING, DiagnosisVerdict.FAILED


@dataclass
class Told:
    """A diagnosis by cluster and check."""

    of: Diagnosis

    @property
    def verdicts(self) -> dict[str, DiagnosisVerdict]:
        return {group.name: group.verdict for group in self.of.groups}

    def check(self, cluster: str, name: str) -> DiagnosisCheck:
        (group,) = [group for group in self.of.groups if group.name == cluster]
        return next(check for check in reversed(group.checks) if check.name == name)


Looked = Callable[..., Told]


@pytest.fixture
def look(tmp_path: Path) -> Looked:
    """Run `doctor` for clusters, with a repository of two tenants."""

    def looked(clusters: KubeClusters, files: Files = FILES) -> Told:
        path = tmp_path / str(len(files))
        checkout = path if path.exists() else repository(path, files)
        probe = RepositoryProbe(lambda: open_repository(checkout, ENVIRONMENT), ENVIRONMENT)
        return Told(diagnose(probe, clusters))

    return looked


def is_valid(server: ApiServer) -> bool:
    """Return whether MetalLB has written the status after it created the object."""
    states = server.get(f"{ADDRESS_POOLS.rpartition('/')[0]}/configurationstates")["items"]
    return any((it.get("status") or {}).get("result") == "Valid" for it in states)


def test_a_site_that_was_applied_to_is_in_order_and_looking_writes_nothing(
    site: Site, look: Looked
) -> None:
    one, servers = site.tenants[FIRST], [site.management, *site.tenants.values()]
    controller = one.start_metallb()
    try:
        site.apply(FILES)
        until(lambda: is_valid(one), "MetalLB calls its configuration valid")
        for server in servers:
            server.writes()
        told = look(site.clusters())
        assert [server.writes() for server in servers[:1] + servers[2:]] == [[], [], []]
    finally:
        controller.stop()
    assert list(told.verdicts.items()) == [("git", OK), (HUB, OK), (SECOND, WARNING), (FIRST, OK)]
    assert told.check(HUB, "server").message == f"Kubernetes {one.fleet.assets.version}"
    assert "installed by others, but sufficient: IPAllocation" in told.check(HUB, "crds").message
    assert "as before" in told.check(FIRST, "identity").message
    assert told.check(FIRST, "rights").message == "sufficient for ipam apply"
    assert told.check(FIRST, "metallb").message.endswith("its configuration is valid")
    assert "has not reported" in told.check(SECOND, "metallb").message
    assert told.of.exit_code == 0


def test_a_dead_cluster_spoils_no_other_line(site: Site, look: Looked) -> None:
    site.timeout = 15.0
    site.tenants[FIRST].stop()
    try:
        told = look(site.clusters())
    finally:
        site.tenants[FIRST].start()
    assert list(told.verdicts.values()) == [OK, OK, WARNING, FAILED]
    assert [check.name for check in told.of.groups[-1].checks] == ["server"]
    assert told.of.exit_code == 5


def test_an_odd_object_spoils_the_line_of_its_cluster_alone(site: Site, look: Looked) -> None:
    site.management.namespace("team-a")
    kind = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "TenantCluster"}
    site.management.put({**kind, "metadata": {"name": "web"}, "spec": {}}, path=TENANTS)
    odd = {"status": {"tenantNamespace": {"not": "a name"}}}
    assert site.management.request("PATCH", f"{TENANTS}/web/status", odd, MERGE)[0] == 200
    del site.tenants[FIRST]
    verdicts = look(site.clusters()).verdicts
    assert (verdicts[FIRST], verdicts[SECOND]) == (FAILED, WARNING)


def test_another_identity_is_told_with_its_mend(site: Site, look: Looked) -> None:
    site.apply(FILES)
    renew_identity(site.tenants[FIRST])
    check = look(site.clusters()).check(FIRST, "identity")
    assert (check.verdict, f"--enroll {FIRST}" in check.hint) == (FAILED, True)


def test_a_tenant_without_a_kubeconfig_waits_and_one_that_lost_it_fails(
    site: Site, look: Looked
) -> None:
    kept = site.tenants.pop(FIRST)
    check = look(site.clusters()).check(FIRST, "kubeconfig")
    assert (check.verdict, check.message) == (WARNING, "waiting: no kubeconfig yet")
    site.tenants[FIRST] = kept
    site.apply(FILES)
    del site.tenants[FIRST]
    check = look(site.clusters()).check(FIRST, "kubeconfig")
    assert (check.verdict, check.message) == (
        FAILED,
        "the kubeconfig is missing, but ipam applied to this cluster before",
    )


def test_a_server_without_crds_or_metallb_is_told(bare: ApiServer, look: Looked) -> None:
    clusters = KubeClusters(bare.kubeconfig, clusters={FIRST: bare.kubeconfig})
    told = look(clusters)
    check = told.check(HUB, "crds")
    assert (check.verdict, check.hint) == (FAILED, "run ipam apply --crds")
    assert "IPAllocation is not installed" in check.message
    assert told.check(FIRST, "metallb").hint == "install MetalLB 0.15.3 or newer"
    Site(bare).apply(FILES, crds=True)
    assert look(clusters).check(HUB, "crds").message == "installed and established"
    names: dict[str, Any] = {"names": {"shortNames": ["np"], "categories": ["x"]}}
    names["versions"] = [{**bare.get(CRD)["spec"]["versions"][0], "additionalPrinterColumns": []}]
    assert bare.request("PATCH", CRD, {"spec": names}, MERGE)[0] == 200
    check = look(clusters).check(HUB, "crds")
    assert check.verdict is WARNING
    assert check.message == "NetworkPool differs from the version in this ipam"


def kubectl(server: ApiServer, verb: str, *items: object, flag: str = "--wait") -> None:
    stdin = json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    done = server.kubectl(verb, "-f", "-", flag, stdin=stdin)
    assert done.returncode == 0, done.stderr


def roles(file: str) -> list[Any]:
    return [
        {**item, "subjects": [ALICE]} if "subjects" in item else item
        for item in yaml.safe_load_all((ROOT / "deploy" / file).read_text(encoding="utf-8"))
        if "ole" in item["kind"]
    ]


def may_look(server: ApiServer, namespace: str) -> bool:
    """Return whether the server has loaded all bindings. The last one is in the namespace."""
    paths = [f"/api/v1/namespaces/{namespace}/configmaps", "/api/v1/services", "/api/v1/nodes"]
    return all(server.request("GET", path, user="alice")[0] == 200 for path in paths)


@pytest.fixture
def clerk(site: Site) -> Iterator[Site]:
    """Clusters as user alice, with only the rights in deploy/."""
    site.management.namespace("butler-system", "team-a")
    places = [(site.management, "rbac.yaml", "butler-system")]
    places += [(it, "rbac-tenant.yaml", "metallb-system") for it in site.tenants.values()]
    for server, file, namespace in places:
        kubectl(server, "apply", *roles(file))
        until(partial(may_look, server, namespace), "alice has her rights")
    site.user = "alice"
    yield site
    for server, file, _ in places:
        kubectl(server, "delete", *roles(file), flag="--ignore-not-found")


def right(applied: Applied) -> bool:
    told = (applied.state, applied.error, applied.notes, failures(applied))
    return told == (ClusterState.APPLIED, "", (), {})


def test_the_rights_of_deploy_are_all_that_an_apply_needs(clerk: Site, look: Looked) -> None:
    # A tenant is removed, and the usage level changes.
    for revision, names in (("a", ("web", "shop")), ("b", ("web", *"bcdef")), ("c", ("shop",))):
        applied = clerk.apply(world(*names), revision)
        done = [it for it in applied.values() if it.state is not ClusterState.WAITING]
        assert len(done) == 3
        assert all(map(right, done)), done
    told = look(clerk.clusters())
    assert told.check(HUB, "rights") == DiagnosisCheck(
        "rights", "sufficient for ipam apply, but not for --crds, --policies"
    )
    assert told.check(FIRST, "rights").verdict is OK
    assert told.check(HUB, "crds").message.startswith("installed and established")


def test_doctor_says_which_role_to_bind_and_with_it_all_documents_are_applied(
    clerk: Site, look: Looked
) -> None:
    files = world("web", **{"ipam.yaml": ALL})

    def rights() -> DiagnosisCheck:
        return look(clerk.clusters(), files).check(HUB, "rights")

    check = rights()
    assert check.verdict is FAILED
    assert check.message.startswith("apply.documents: all: no permission to ")
    assert check.hint == "bind the ClusterRole gitops-ipam-documents of deploy/rbac.yaml to it"
    assert "cannot patch" in clerk.apply(files)[HUB].error
    role = {"apiGroup": ALICE["apiGroup"], "kind": "ClusterRole", "name": "gitops-ipam-documents"}
    named = {"metadata": {"name": "gitops-ipam-documents"}, "roleRef": role, "subjects": [ALICE]}
    clerk.management.put(named, path=f"{RBAC}/clusterrolebindings")
    until(lambda: rights().verdict is OK, "alice may write documents")
    assert right(clerk.apply(files)[HUB])
    assert clerk.management.get(f"{TENANTS}/web")["spec"]
