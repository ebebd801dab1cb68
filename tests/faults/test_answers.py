"""Answers that are none: F37, F40, F41, F43, F46 of the fault table."""

from typing import Any

import pytest

from reconciler.apply.plan import ClusterState
from tests.apply.execution.site import ALLOCATIONS, FIRST, SECOND, failures, world
from tests.faults.site import HUB, PATCH_POOL, POOL, POOL_NAME, Faulty, good, refusal
from tests.kube.proxy import Fault

FILES = world("web", "shop")
APPLY = "application/apply-patch+yaml"
FORBIDDEN = refusal(
    403, 'ipaddresspools is forbidden: User "x" cannot patch resource "ipaddresspools"', "Forbidden"
)


@pytest.mark.parametrize("code", [401, 403])
def test_f37_a_cluster_that_does_not_know_us_is_asked_once(site: Faulty, code: int) -> None:
    """F37: told at once, no second try in the run, and the others are applied."""
    proxy = site.breaks(FIRST, Fault("", status=code))
    applied = site.apply(FILES)
    assert applied[FIRST].state is ClusterState.FAILED
    assert applied[FIRST].error.startswith("read Namespace/kube-system: the server")
    assert proxy.asked == ["GET /api/v1/namespaces/kube-system"]
    good(applied, HUB, SECOND)
    assert FIRST not in site.announced()
    site.settle(FILES)


def test_f37_a_right_that_is_missing_ends_the_work_in_that_cluster(site: Faulty) -> None:
    """F37: a 403 in the middle; what was done before is in the inventory."""
    advertise = "PATCH .*/l2advertisements/"
    proxy = site.breaks(FIRST, Fault(advertise, status=403, body=FORBIDDEN))
    applied = site.apply(FILES)
    assert applied[FIRST].state is ClusterState.FAILED
    assert "cannot patch resource" in applied[FIRST].error
    assert proxy.count(advertise) == 1
    good(applied, HUB, SECOND)
    site.check(FILES)
    site.settle(FILES)


def test_f37_a_management_cluster_that_does_not_know_us_gets_nothing(site: Faulty) -> None:
    """F37: without it nothing is known of the others, so nothing is written anywhere."""
    site.breaks(HUB, Fault("", status=401))
    assert list(site.apply(FILES)) == [HUB]
    assert site.announced() == {}
    site.settle(FILES)


def test_f40_what_another_manager_owns_is_left_to_it_and_told(site: Faulty) -> None:
    """F40: only the status of that one object is not written; its owner and field are named."""
    site.apply(FILES)
    site.management.namespace("team-a")
    path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
    named = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": "TenantCluster"}
    named["metadata"] = {"name": "web", "namespace": "team-a"}  # type: ignore[assignment]  # another shape of the same object
    site.management.put({**named, "spec": {"workers": {"replicas": 1}}}, path=path)
    theirs = {**named, "status": {"lbAllocationRef": {"name": "another"}}}
    patch = f"{path}/web/status?fieldManager=butler"
    assert site.management.request("PATCH", patch, theirs, APPLY)[0] == 200
    applied = site.apply(FILES, "b")
    name = "butler.butlerlabs.dev/TenantCluster/team-a/web"
    assert failures(applied[HUB]) == {
        name: "butler owns status.lbAllocationRef.name; --adopt takes it over"
    }
    live = site.management.get(f"{path}/web")
    assert live["status"] == {"lbAllocationRef": {"name": "another"}}
    good(applied, FIRST, SECOND)
    site.settle(FILES, "b", adopt=True)
    assert site.management.get(f"{path}/web")["status"]["lbAllocationRef"]["name"] != "another"


def _conflict() -> dict[str, Any]:
    message = "Operation cannot be fulfilled: the object has been modified"
    return refusal(409, message, "Conflict")


def test_f41_an_object_that_changed_meanwhile_is_read_again(site: Faulty) -> None:
    """F41: a 409 is answered by reading the object and deciding anew."""
    proxy = site.breaks(FIRST, Fault(PATCH_POOL, 1, status=409, body=_conflict()))
    applied = site.apply(FILES)
    assert proxy.count(PATCH_POOL) == 2
    assert proxy.count(f"GET {POOL}") == 1
    good(applied, HUB, FIRST, SECOND)
    site.settle(FILES)


def test_f41_an_object_that_was_made_anew_meanwhile_is_not_overwritten(site: Faulty) -> None:
    """F41: between the list and the write somebody deletes our pool and makes one of their own."""
    site.apply(FILES)
    one = site.tenants[FIRST]
    drift = {"spec": {"addresses": ["172.16.0.0/24"]}}
    one.request("PATCH", POOL, drift, "application/merge-patch+json")

    def replace_it() -> None:
        body = {key: one.get(POOL)[key] for key in ("apiVersion", "kind", "spec")}
        one.request("DELETE", POOL)
        there = {"metadata": {"name": "default-pool", "namespace": "metallb-system"}}
        one.put({**body, **there}, path=POOL.rpartition("/")[0])

    proxy = site.breaks(FIRST, Fault(PATCH_POOL, 1, "pass", then=replace_it))
    applied = site.apply(FILES)
    assert proxy.count(PATCH_POOL) == 1
    assert "not ours" in failures(applied[FIRST])[POOL_NAME], applied[FIRST]
    assert one.get(POOL)["spec"]["addresses"] == ["172.16.0.0/24"]
    good(applied, HUB, SECOND)
    one.request("DELETE", POOL)
    site.settle(FILES)


def test_f41_a_record_that_changed_while_it_is_let_go_is_read_again(site: Faulty) -> None:
    """F41: between the list and the end of the finalizer somebody writes a label."""
    files = world("web", "shop")
    site.apply(files)
    path = f"{ALLOCATIONS}/team-a-web-lb"
    gone = {name: text for name, text in files.items() if "web" not in name}

    def label() -> None:
        merge = "application/merge-patch+json"
        site.management.request("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, merge)

    proxy = site.breaks(HUB, Fault(f"PATCH {path}", 1, "pass", then=label))
    applied = site.apply(gone, "b")
    assert proxy.count(f"PATCH {path}") == 2
    good(applied, HUB, SECOND)
    assert site.management.request("GET", path)[0] == 404
    site.settle(gone, "b")


_INVALID = refusal(
    422,
    'IPAddressPool.metallb.io "default-pool" is invalid',
    "Invalid",
    causes=[
        {"field": "spec.addresses", "message": "must not be so", "reason": "FieldValueInvalid"}
    ],
)
_DENIED = refusal(403, 'admission webhook "a.metallb.io" denied the request: no', "Forbidden")


@pytest.mark.parametrize(
    ("code", "body", "told"),
    [(422, _INVALID, "spec.addresses: must not be so"), (403, _DENIED, "denied the request: no")],
)
def test_f43_what_is_refused_for_good_is_not_tried_again(
    site: Faulty, code: int, body: dict[str, Any], told: str
) -> None:
    """F43: a 422 or the no of a webhook is about that one object, and says which field."""
    proxy = site.breaks(FIRST, Fault(PATCH_POOL, status=code, body=body))
    applied = site.apply(FILES)
    assert proxy.count(PATCH_POOL) == 1
    assert told in failures(applied[FIRST])[POOL_NAME]
    assert applied[FIRST].count(applied[FIRST].outcomes[-1].result) == 1
    good(applied, HUB, SECOND)
    site.settle(FILES)


def _broken(match: str) -> list[Fault]:
    codes = [Fault(match, 1, status=code) for code in (500, 502, 503, 504)]
    return [*codes, *(Fault(match, 1, kind) for kind in ("reset", "lost", "eof"))]


def _name(fault: Fault) -> str:
    return str(fault.status) if fault.kind == "status" else fault.kind


@pytest.mark.parametrize("fault", _broken("POST .*/configmaps"), ids=_name)
def test_f46_an_inventory_that_may_have_been_made_is_read_by_the_next_run(
    site: Faulty, fault: Fault
) -> None:
    """F46: what is created is not sent twice; the next run sees whether it is there."""
    proxy = site.breaks(FIRST, fault)
    applied = site.apply(FILES)
    assert proxy.count("POST .*/configmaps") == 1
    assert applied[FIRST].state is ClusterState.UNREACHABLE
    good(applied, HUB, SECOND)
    assert site.announced() == {FIRST: ("10.0.0.4-10.0.0.7",), SECOND: ("10.0.0.0-10.0.0.3",)}
    site.settle(FILES)
