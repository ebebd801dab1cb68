"""`doctor` for servers: versions, rights, no answer, and an outdated MetalLB status."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.inventory import ClusterIdentity, Inventory
from reconciler.apply.rights import Question, management_rights, questions, tenant_rights
from reconciler.apply.targets import Target
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import desired_object
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, CONFIGURATION_STATE
from reconciler.model.errors import UnreachableError
from reconciler.model.instant import format_instant
from reconciler.model.objects import MANAGER, OWNER_LABEL, Manifest, Need, Ref, Resource
from reconciler.reconcile.doctor import (
    DiagnosisCheck,
    DiagnosisVerdict,
    management_checks,
    tenant_checks,
)
from reconciler.reconcile.doctor import run as run_checks
from tests.apply.execution.site import address_pool
from tests.fake_cluster import FakeCluster
from tests.world import CLOCK

NOW = CLOCK + 60
TARGET = Target("a/b", (desired_object(address_pool("default-pool", "10.0.0.0/30")),))
OK, WARNING, FAILED = DiagnosisVerdict.OK, DiagnosisVerdict.WARNING, DiagnosisVerdict.FAILED
IDENTITY = ClusterIdentity("uid", Inventory(), (), "butler-system")


@dataclass
class Server(FakeCluster):
    """A server of some version, on which some rights are missing."""

    told: str = "v1.36.3"
    denied: Sequence[Question] = ()
    clock: int = NOW
    unknown: set[Resource] = field(default_factory=set)

    def version(self) -> str:
        super().version()
        return self.told

    def create(self, manifest: Manifest) -> Manifest:
        super().create(manifest)
        return {"status": {"allowed": manifest not in [it.review() for it in self.denied]}}


def of_management(
    cluster: Cluster, *, applies_documents: bool = False
) -> dict[str, DiagnosisCheck]:
    checks = management_checks(cluster, lambda: IDENTITY, applies_documents=applies_documents)
    return {check.name: check for check in run_checks(checks)}


def of_tenant(cluster: Cluster) -> dict[str, DiagnosisCheck]:
    checks = tenant_checks(cluster, lambda: IDENTITY, TARGET, tenant_rights())
    return {check.name: check for check in run_checks(checks)}


@pytest.mark.parametrize(
    ("version", "verdict"),
    [("v1.31.4-eks-abc", OK), ("v1.100.0", OK), ("v1.30.2+k3s1", WARNING), ("", WARNING)],
)
def test_versions_that_lack_something_are_reported(version: str, verdict: DiagnosisVerdict) -> None:
    assert of_management(Server(told=version))["server"].verdict is verdict
    assert of_tenant(Server(told=version))["server"].verdict is verdict


@pytest.mark.parametrize("asked", list(questions(management_rights())), ids=str)
def test_every_right_of_the_management_cluster_is_asked_for(asked: Question) -> None:
    server = Server(denied=[asked])
    check = of_management(server, applies_documents=True)["rights"]
    others = dict.fromkeys((Need.WATCH, Need.CRDS, Need.INTAKE, Need.POLICIES), OK)
    expected = {Need.APPLY: FAILED, Need.DOCUMENTS: FAILED, **others}
    assert check.verdict is expected.get(asked.right.need, WARNING)
    named = asked.right.need if check.verdict is OK else f"{asked.verb} {asked.right}"
    assert named in check.message
    assert server.writes() == []


def test_rights_on_documents_count_only_if_settings_apply_documents() -> None:
    needed = [it for it in questions(management_rights()) if it.right.need is Need.DOCUMENTS]
    assert of_management(Server(denied=needed))["rights"].verdict is OK
    check = of_management(Server(denied=needed), applies_documents=True)["rights"]
    assert check.verdict is FAILED
    assert "gitops-ipam-documents" in check.hint


@pytest.mark.parametrize("asked", list(questions(tenant_rights())), ids=str)
def test_every_right_of_a_tenant_cluster_is_asked_for(asked: Question) -> None:
    check = of_tenant(Server(denied=[asked]))["rights"]
    assert check.verdict is (FAILED if asked.right.need is Need.APPLY else OK)


def test_a_silent_server_is_asked_once() -> None:
    server = Server(fault=lambda _verb, _what: UnreachableError("no answer"))
    assert list(of_management(server)) == ["server"]
    assert server.log == [("version", "")]


def metallb(seconds: int, manager: str = MANAGER, **spec: Any) -> DiagnosisCheck:
    """The check if the pool was changed some seconds ago, and the controller read it 600 seconds ago."""
    server = Server()
    changed = {"manager": manager, "time": format_instant(NOW - seconds)}
    metadata = {
        "name": "default-pool",
        "namespace": "metallb-system",
        "uid": "u",
        "resourceVersion": "1",
        "labels": {OWNER_LABEL: manager},
        "managedFields": [{**changed, "fieldsV1": {"f:spec": {}}}],
    }
    pool = {"metadata": metadata, "spec": {"addresses": ["10.0.0.0-10.0.0.3"], **spec}}
    read = [{"lastTransitionTime": format_instant(NOW - 600)}]
    state = {"metadata": {"name": "controller"}, "status": {"result": "Valid", "conditions": read}}
    server.objects[Ref(ADDRESS_POOL, "metallb-system", "default-pool")] = pool
    server.objects[Ref(CONFIGURATION_STATE, "metallb-system", "controller")] = state
    return of_tenant(server)["metallb"]


def test_a_controller_that_did_not_read_our_pool_is_reported() -> None:
    check = metallb(300)
    assert check.verdict is FAILED
    assert "has not read the IPAddressPool since it was changed" in check.message


@pytest.mark.parametrize(
    ("seconds", "manager"),
    [(900, MANAGER), (20, MANAGER), (300, "kubectl")],
    ids=["read", "changed just now", "not ours"],
)
def test_a_controller_that_read_our_pool_is_fine(seconds: int, manager: str) -> None:
    assert metallb(seconds, manager).verdict is OK


def test_a_pool_of_ours_that_a_person_closed_is_reported() -> None:
    check = metallb(900, autoAssign=False)
    assert check.verdict is WARNING
    assert (
        "spec.autoAssign of IPAddressPool default-pool was set to false outside ipam"
        in check.message
    )
