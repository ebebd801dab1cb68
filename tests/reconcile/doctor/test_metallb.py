"""What `doctor` tells of a MetalLB that does not do what its pools say."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.kube.interface import ObjectList
from reconciler.kube.resources import ADDRESS_POOL, CONFIGURATION_STATE
from reconciler.model.instant import format_instant
from reconciler.model.objects import MANAGER, OWNER_LABEL, Manifest, Resource
from reconciler.reconcile.doctor import DiagnosisCheck, DiagnosisVerdict
from tests.reconcile.doctor.test_cluster import NOW, FakeCluster, of_tenant

READ = {
    "metadata": {"name": "controller"},
    "status": {
        "result": "Valid",
        "conditions": [{"lastTransitionTime": format_instant(NOW - 600)}],
    },
}


@dataclass
class Serving(FakeCluster):
    """A server with objects."""

    objects: dict[Resource, list[Manifest]] = field(default_factory=dict)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        super().list(resource, namespace, labels=labels, fields=fields)
        return ObjectList(tuple(self.objects.get(resource, ())))


def pool(seconds: int, manager: str = MANAGER, **spec: Any) -> Manifest:
    """A pool that was changed some seconds ago."""
    changed = {
        "manager": manager,
        "time": format_instant(NOW - seconds),
        "fieldsV1": {"f:spec": {}},
    }
    return {
        "metadata": {
            "name": "default-pool",
            "namespace": "metallb-system",
            "uid": "u",
            "resourceVersion": "1",
            "labels": {OWNER_LABEL: manager},
            "managedFields": [changed],
        },
        "spec": {"addresses": ["10.0.0.0-10.0.0.3"], **spec},
    }


def metallb(found: Manifest) -> DiagnosisCheck:
    return of_tenant(Serving(objects={ADDRESS_POOL: [found], CONFIGURATION_STATE: [READ]}))[
        "metallb"
    ]


def test_a_controller_that_has_not_read_our_pool_is_told() -> None:
    check = metallb(pool(300))
    assert check.verdict is DiagnosisVerdict.FAILED
    assert "MetalLB's controller has not read the IPAddressPool since it was changed" in (
        check.message
    )
    assert check.mend == "see the pods in metallb-system"


@pytest.mark.parametrize(
    "found",
    [pool(900), pool(20), pool(300, manager="kubectl")],
    ids=["read", "changed just now", "not ours"],
)
def test_a_controller_that_has_read_what_is_ours_is_in_order(found: Manifest) -> None:
    check = metallb(found)
    assert (check.verdict, check.message) == (
        DiagnosisVerdict.OK,
        "0.15.3 or newer, its configuration is valid",
    )


def test_a_pool_of_ours_that_somebody_closed_is_told() -> None:
    check = metallb(pool(900, autoAssign=False))
    assert check.verdict is DiagnosisVerdict.WARNING
    assert "spec.autoAssign of IPAddressPool default-pool was set to false by hand" in check.message
