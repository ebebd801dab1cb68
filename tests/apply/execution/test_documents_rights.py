"""Documents of people as objects need a right of their own: `doctor` asks for it, `deploy/` has it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.reconcile.doctor import DiagnosisCheck, DiagnosisVerdict
from tests.apply.execution.site import Site, evaluated, failures, world
from tests.apply.execution.test_doctor import Clerk, Looked
from tests.apply.execution.test_doctor import look as look
from tests.apply.execution.test_documents import ALL, TENANT
from tests.envtest.processes import until
from tests.world import repository

FILES = world("web", **{"ipam.yaml": ALL})
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": "gitops-ipam-documents"},
    "roleRef": {
        "apiGroup": "rbac.authorization.k8s.io",
        "kind": "ClusterRole",
        "name": "gitops-ipam-documents",
    },
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}],
}


@pytest.fixture
def clerk(site: Site) -> Iterator[Clerk]:
    clerk = Clerk(site)
    yield clerk
    clerk.kubectl(site.management, "delete", json.dumps(BINDING), "--ignore-not-found")
    clerk.leave()


def applied(clerk: Clerk) -> list[str]:
    """What failed in the management cluster when a clerk applied all documents."""
    found = apply_fleet(
        evaluated(FILES), clerk.clusters(), ApplyOptions(), lambda one, other: one <= other
    )
    hub = next(item for item in found if item.cluster == "management")
    return [*failures(hub).values(), *([hub.error] if hub.error else [])]


def test_doctor_says_which_role_to_bind_and_with_it_all_documents_are_applied(
    clerk: Clerk, look: Looked, tmp_path: Path
) -> None:
    checkout = repository(tmp_path / "all", FILES)

    def rights() -> DiagnosisCheck:
        return look(clerk.clusters(), path=checkout).check("management", "rights")

    check = rights()
    assert check.verdict is DiagnosisVerdict.FAILED
    assert check.message.startswith("not for apply.documents: all: may not ")
    assert check.mend == "bind the ClusterRole gitops-ipam-documents of deploy/rbac.yaml to it"
    assert any("cannot patch" in error for error in applied(clerk))
    clerk.kubectl(clerk.site.management, "apply", json.dumps(BINDING))
    until(lambda: rights().verdict is DiagnosisVerdict.OK, "alice may write documents")
    assert applied(clerk) == []
    assert clerk.site.management.get(TENANT)["spec"]
