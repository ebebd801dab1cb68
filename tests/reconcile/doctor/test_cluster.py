"""What `doctor` tells of servers as they may be: versions, rights, clocks, silence."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from reconciler.apply.inventory import ClusterIdentity, Inventory
from reconciler.apply.rights import Question, management_rights, questions, tenant_rights
from reconciler.kube.interface import Cluster, ObjectList, RequestCounts
from reconciler.model.errors import NoSuchKindError, UnreachableError
from reconciler.model.objects import Manifest, Need, Ref, Resource
from reconciler.reconcile.doctor import (
    Checks,
    DiagnosisCheck,
    DiagnosisVerdict,
    management_checks,
    tenant_checks,
)
from reconciler.reconcile.doctor import run as run_checks
from tests.world import CLOCK

NOW = CLOCK + 60
OK, WARNING, FAILED = DiagnosisVerdict.OK, DiagnosisVerdict.WARNING, DiagnosisVerdict.FAILED


@dataclass
class FakeCluster:
    """A server of some version, on which some rights are missing and some kinds are not known."""

    told: str = "v1.36.3"
    time: int = NOW
    denied: Sequence[Question] = ()
    unknown: Sequence[Resource] = ()
    failure: Exception | None = None
    asked: list[Manifest] = field(default_factory=list)

    def requests(self) -> RequestCounts:
        return RequestCounts()

    def now(self) -> int:
        return self.time

    def version(self) -> str:
        if self.failure is not None:
            raise self.failure
        return self.told

    def get(self, ref: Ref) -> None:
        del ref

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        del namespace, labels, fields
        if resource in self.unknown:
            raise NoSuchKindError("the cluster does not know the kind")
        return ObjectList(())

    def close(self) -> None:
        pass

    def create(self, manifest: Manifest) -> Manifest:
        self.asked.append(manifest)
        denied = [question.review() for question in self.denied]
        return {"status": {"allowed": manifest not in denied}}

    def apply(self, *words: object, **more: object) -> Manifest:
        raise AssertionError("doctor writes nothing")

    def merge(self, *words: object, **more: object) -> Manifest:
        raise AssertionError("doctor writes nothing")

    def delete(self, *words: object, **more: object) -> None:
        raise AssertionError("doctor writes nothing")

    def pause(self, seconds: float) -> None:
        del seconds

    def limit(self, seconds: float | None) -> None:
        del seconds

    def extend(self, seconds: float) -> None:
        del seconds


IDENTITY = ClusterIdentity("uid", Inventory(), (), "butler-system")


def of_management(
    cluster: Cluster, *, applies_documents: bool = False
) -> dict[str, DiagnosisCheck]:
    checks = management_checks(cluster, lambda: IDENTITY, applies_documents=applies_documents)
    return _run(checks)


def of_tenant(cluster: Cluster) -> dict[str, DiagnosisCheck]:
    return _run(tenant_checks(cluster, lambda: IDENTITY, is_wanted=True))


def _run(checks: Checks) -> dict[str, DiagnosisCheck]:
    return {check.name: check for check in run_checks(checks)}


@pytest.mark.parametrize(
    ("version", "management", "tenant"),
    [
        ("v1.31.0", OK, OK),
        ("v1.31.4-eks-abc", OK, OK),
        ("v1.30.2+k3s1", WARNING, WARNING),
        ("v1.22.0", WARNING, WARNING),
        ("v1.100.0", OK, OK),
        ("", WARNING, WARNING),
    ],
)
def test_versions_that_lack_something_are_told(
    version: str, management: DiagnosisVerdict, tenant: DiagnosisVerdict
) -> None:
    assert of_management(FakeCluster(version))["server"].verdict is management
    assert of_tenant(FakeCluster(version))["server"].verdict is tenant


@pytest.mark.parametrize("asked", list(questions(management_rights())), ids=str)
def test_every_right_of_the_management_cluster_is_asked_for(asked: Question) -> None:
    check = of_management(FakeCluster(denied=[asked]), applies_documents=True)["rights"]
    others = dict.fromkeys((Need.WATCH, Need.CRDS, Need.INTAKE, Need.POLICIES), OK)
    expected = {Need.APPLY: FAILED, Need.DOCUMENTS: FAILED, **others}
    assert check.verdict is expected.get(asked.right.need, WARNING)
    named = asked.right.need if check.verdict is OK else f"{asked.verb} {asked.right}"
    assert named in check.message


def test_the_rights_to_write_documents_are_asked_for_where_settings_apply_them() -> None:
    needed = [it for it in questions(management_rights()) if it.right.need is Need.DOCUMENTS]
    kinds = {it.right.resource.kind for it in needed}
    assert kinds == {"ProviderConfig", "TenantCluster", "Team", "ProxyVIP"}
    assert {it.verb for it in needed} == {"get", "list", "create", "patch", "delete"}
    cluster = FakeCluster(denied=needed)
    assert of_management(cluster)["rights"].verdict is OK
    check = of_management(cluster, applies_documents=True)["rights"]
    assert check.verdict is FAILED
    assert check.message.startswith("not for apply.documents: all: may not create/patch/delete ")
    assert "gitops-ipam-documents" in check.mend


@pytest.mark.parametrize("asked", list(questions(tenant_rights())), ids=str)
def test_every_right_of_a_tenant_cluster_is_asked_for(asked: Question) -> None:
    check = of_tenant(FakeCluster(denied=[asked]))["rights"]
    assert check.verdict is (FAILED if asked.right.need is Need.APPLY else OK)


def test_a_server_that_answers_nothing_is_asked_once() -> None:
    cluster = FakeCluster(failure=UnreachableError("no answer"))
    found = of_management(cluster)
    assert list(found) == ["server"]
    assert found["server"].mend.startswith("see that its API server is up")
    assert cluster.asked == []
