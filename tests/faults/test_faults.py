"""One fault of a real cluster per test: no range is announced twice, and two runs repair all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reconciler.model.applied import ClusterState
from tests.apply.execution.site import (
    ALLOCATIONS,
    FIRST,
    MERGE,
    POOLS,
    SECOND,
    THIRD,
    announced,
    failures,
    service,
    without,
    world,
)
from tests.cli.running import ipam
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer
from tests.faults.site import HUB, PATCH_POOL, POOL, POOL_NAME, Faulty, faulty, good, refusal
from tests.kube.proxy import Fault
from tests.world import CLOCK, reconciled, repository, tenant

FILES = world("web", "shop")
LATER = CLOCK + 25 * 3_600
APPLY = "application/apply-patch+yaml"
FORBIDDEN = refusal(
    403, 'ipaddresspools is forbidden: User "x" cannot patch resource "ipaddresspools"', "Forbidden"
)
NETWORK_POOLS = (
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/networkpools.butler.butlerlabs.dev"
)


def test_a_right_that_is_missing_ends_the_work_in_that_cluster(site: Faulty) -> None:
    advertise = "PATCH .*/l2advertisements/"
    proxy = site.breaks(FIRST, Fault(advertise, status=403, body=FORBIDDEN))
    applied = site.apply(FILES)
    assert applied[FIRST].state is ClusterState.FAILED
    assert "cannot patch resource" in applied[FIRST].error
    assert proxy.count(advertise) == 1
    good(applied, HUB, SECOND)
    site.check(FILES)
    site.settle(FILES)


def test_a_management_cluster_that_does_not_accept_us_gets_nothing(site: Faulty) -> None:
    site.breaks(HUB, Fault("", status=401))
    assert list(site.apply(FILES)) == [HUB]
    assert site.announced() == {}
    site.settle(FILES)


def test_a_kubeconfig_that_is_not_allowed_costs_code_5_and_no_secret_is_printed(
    site: Faulty, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", FILES)
    path = site.kubeconfig_of(FIRST)
    config = json.loads(site.tenants[FIRST].kubeconfig.read_bytes())
    config["users"][0]["user"] = {"token": "canary-c0ffee", "exec": {"command": "true"}}
    path.write_text(json.dumps(config), encoding="utf-8")
    named = [f"--cluster={name}={site.kubeconfig_of(name)}" for name in (FIRST, SECOND)]
    ran = ipam(
        capsys, "apply", f"--repo={folder}", f"--kubeconfig={site.kubeconfig_of(HUB)}", *named
    )
    assert ran.code == 5
    assert "kubeconfig of team-a/web: key exec is not allowed" in ran.out
    assert "canary" not in ran.out + ran.err
    assert site.announced() == {SECOND: ("10.0.0.0-10.0.0.3",)}


def test_what_another_manager_owns_is_left_to_it(site: Faulty) -> None:
    """Only the status of that object is not written. A message names its owner and the field."""
    site.apply(FILES)
    site.management.namespace("team-a")
    path = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/team-a/tenantclusters"
    named: dict[str, Any] = {
        "apiVersion": "butler.butlerlabs.dev/v1alpha1",
        "kind": "TenantCluster",
        "metadata": {"name": "web", "namespace": "team-a"},
    }
    site.management.put({**named, "spec": {"workers": {"replicas": 1}}}, path=path)
    theirs = {**named, "status": {"lbAllocationRef": {"name": "another"}}}
    patch = f"{path}/web/status?fieldManager=butler"
    assert site.management.request("PATCH", patch, theirs, APPLY)[0] == 200
    applied = site.apply(FILES, "b")
    assert failures(applied[HUB]) == {
        "butler.butlerlabs.dev/TenantCluster/team-a/web": (
            "butler owns status.lbAllocationRef.name; use --adopt to take it over"
        )
    }
    assert site.management.get(f"{path}/web")["status"] == theirs["status"]
    good(applied, FIRST, SECOND)
    site.settle(FILES, "b", adopt=True)
    assert site.management.get(f"{path}/web")["status"]["lbAllocationRef"]["name"] != "another"


def test_a_pool_that_was_made_anew_meanwhile_is_not_overwritten(site: Faulty) -> None:
    """Between the list and the write a person deletes our pool and makes another one."""
    site.apply(FILES)
    one = site.tenants[FIRST]
    one.request("PATCH", POOL, {"spec": {"addresses": ["172.16.0.0/24"]}}, MERGE)

    def replace_it() -> None:
        body = {key: one.get(POOL)[key] for key in ("apiVersion", "kind", "spec")}
        one.request("DELETE", POOL)
        there = {"metadata": {"name": "default-pool", "namespace": "metallb-system"}}
        one.put({**body, **there}, path=POOL.rpartition("/")[0])

    proxy = site.breaks(FIRST, Fault(PATCH_POOL, 1, "pass", then=replace_it))
    applied = site.apply(FILES)
    assert proxy.count(PATCH_POOL) == 1
    assert "does not belong to ipam" in failures(applied[FIRST])[POOL_NAME], applied[FIRST]
    assert one.get(POOL)["spec"]["addresses"] == ["172.16.0.0/24"]
    good(applied, HUB, SECOND)
    one.request("DELETE", POOL)
    site.settle(FILES)


def test_a_record_that_changed_while_it_is_deleted_is_read_again(site: Faulty) -> None:
    site.apply(FILES)
    path = f"{ALLOCATIONS}/team-a-web-lb"
    gone = {name: text for name, text in FILES.items() if "web" not in name}

    def label() -> None:
        site.management.request("PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE)

    proxy = site.breaks(HUB, Fault(f"PATCH {path}", 1, "pass", then=label))
    applied = site.apply(gone, "b")
    assert proxy.count(f"PATCH {path}") == 2
    good(applied, HUB, SECOND)
    assert site.management.request("GET", path)[0] == 404
    site.settle(gone, "b")


@pytest.mark.parametrize("kind", ["503", "lost", "eof"])
def test_an_inventory_that_may_have_been_made_is_read_by_the_next_run(
    site: Faulty, kind: str
) -> None:
    match = "POST .*/configmaps"
    fault = Fault(match, 1, status=503) if kind == "503" else Fault(match, 1, kind)
    proxy = site.breaks(FIRST, fault)
    applied = site.apply(FILES)
    assert proxy.count(match) == 1
    assert applied[FIRST].state is ClusterState.UNREACHABLE
    good(applied, HUB, SECOND)
    assert site.announced() == {FIRST: ("10.0.0.4-10.0.0.7",), SECOND: ("10.0.0.0-10.0.0.3",)}
    site.settle(FILES)


@pytest.fixture
def new_site(bare: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path) -> Iterator[Faulty]:
    """A site whose management cluster has no CRD yet."""
    named = dict(zip((FIRST, SECOND), tenants, strict=False))
    with faulty(bare, named, tmp_path) as site:
        # A server that gets a CRD is really busy for a moment.
        site.clocks[HUB].longest_poll = 1.0
        yield site


def test_crds_are_installed_and_come_back_after_a_deletion_in_a_run(new_site: Faulty) -> None:
    site, hub = new_site, new_site.management
    applied = site.apply(FILES)
    assert "NetworkPool, IPAllocation" in applied[HUB].error
    good(applied, FIRST, SECOND)
    good(site.apply(FILES, crds=True), HUB, FIRST, SECOND)
    site.settle(FILES)

    more = world("web", "shop", "blog")

    def delete_it() -> None:
        hub.request("DELETE", NETWORK_POOLS)
        until(lambda: hub.request("GET", NETWORK_POOLS)[0] == 404, "the CRD is gone")
        until(lambda: hub.request("GET", POOLS)[0] == 404, "its objects are gone")

    proxy = site.breaks(HUB, Fault(f"PATCH {POOLS}", 1, "pass", then=delete_it))
    applied = site.apply(more, "b")
    assert proxy.count(f"PATCH {POOLS}") >= 1
    (error,) = failures(applied[HUB]).values()
    assert "the kind is not installed in the cluster" in error
    assert hub.get(f"{ALLOCATIONS}/team-a-blog-lb")["status"]["phase"] == "Allocated"
    good(applied, FIRST, SECOND)
    site.mend()
    applied = site.apply(more, "b")
    assert applied[HUB].notes[0] == "the CRD of NetworkPool was missing, so ipam installs it again"
    good(applied, HUB, FIRST, SECOND)
    assert hub.get(f"{POOLS}/edge")["status"]["allocatedIPs"] == 12
    assert not any(item.is_changed for item in site.apply(more, "b").values())


def test_a_cluster_without_metallb_is_not_taken_for_an_empty_one(site: Faulty) -> None:
    """Its addresses stay in the inventory, and no other cluster gets them."""
    site.apply(FILES)
    missing = b"404 page not found\n"
    site.breaks(FIRST, Fault("GET /apis/metallb.io/", status=404, body=missing))
    applied = site.apply(FILES, "b")
    assert applied[FIRST].is_failed
    assert site.known()[FIRST].addresses == ("10.0.0.4-10.0.0.7",)
    good(applied, HUB, SECOND)
    site.settle(FILES, "b")


def test_addresses_of_a_cluster_that_is_gone_wait_for_the_word_of_a_person(site: Faulty) -> None:
    site.apply(FILES)
    gone = without(FILES, "web")
    site.breaks(FIRST, Fault("", kind="reset"))
    away = site.apply(gone, "b")[FIRST]
    assert (away.state, away.revision) == (ClusterState.UNREACHABLE, "a" * 40)
    word = frozenset([FIRST])
    assert len(site.doubts(gone, LATER)) == 1
    assert site.doubts(gone, LATER, confirm_withdrawn=word) == {}
    heir = reconciled({**reconciled(gone, LATER), "tenants/blog.yaml": tenant("blog")}, LATER)
    applied = site.apply(heir, "c")
    held = "team-a/web might still announce 10.0.0.4-10.0.0.7"
    assert failures(applied[THIRD]) == {POOL_NAME: held}
    assert announced(site.tenants[THIRD]) is None
    applied = site.apply(heir, "c", confirm_withdrawn=word)
    good(applied, HUB, SECOND, THIRD)
    assert announced(site.tenants[THIRD]) == ["10.0.0.4-10.0.0.7"]
    good(site.apply(heir, "c"), HUB, SECOND, THIRD)  # a grant stays granted
    site.tenants.pop(FIRST)
    site.settle(heir, "c")


def test_a_pool_that_a_finalizer_holds_is_remembered_with_its_addresses(site: Faulty) -> None:
    site.apply(FILES)
    one = site.tenants[FIRST]
    one.request("PATCH", POOL, {"metadata": {"finalizers": ["example.com/hold"]}}, MERGE)
    gone = without(FILES, "web")
    for _ in range(2):
        applied = site.apply(gone, "b")
        assert failures(applied[FIRST]) == {
            POOL_NAME: "the object is being deleted, held by example.com/hold"
        }
        assert announced(one) == ["10.0.0.4-10.0.0.7"]
        assert site.known()[FIRST].addresses == ("10.0.0.4-10.0.0.7",)
        assert POOL_NAME in site.inventory(FIRST).objects
        good(applied, HUB, SECOND)
    (reason,) = site.doubts(gone, LATER).values()
    assert reason == f"IPAddressPool default-pool of {FIRST} still has 10.0.0.4-10.0.0.7"
    heir = reconciled({path: text for path, text in gone.items() if "/web." not in path})
    heir = reconciled({**heir, "tenants/blog.yaml": world("blog")["tenants/blog.yaml"]})
    applied = site.apply(heir, "c")
    assert failures(applied[THIRD]) == {
        POOL_NAME: f"{FIRST} might still announce 10.0.0.4-10.0.0.7"
    }
    assert announced(site.tenants[THIRD]) is None
    one.request("PATCH", POOL, {"metadata": {"finalizers": []}}, MERGE)
    site.settle(heir, "c")
    assert announced(site.tenants[THIRD]) == ["10.0.0.4-10.0.0.7"]


def test_a_broken_pool_is_not_taken_from_its_services(site: Faulty) -> None:
    site.apply(FILES)
    one = site.tenants[SECOND]
    broken = {"spec": {"addresses": ["10.0.0.0-10.0.0.3", "nonsense"]}}
    assert one.request("PATCH", POOL, broken, MERGE)[0] == 200
    service(one, "s", "10.0.0.1")
    applied = site.apply(world("web"), "b")
    assert "Service default/s uses 10.0.0.1" in failures(applied[SECOND])[POOL_NAME]
    assert announced(one) is not None
    assert site.known()[SECOND].addresses == ("10.0.0.0-10.0.0.3",)


def test_a_pool_without_its_label_is_still_announced(site: Faulty) -> None:
    site.apply(FILES)
    label = {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}
    assert site.tenants[SECOND].request("PATCH", POOL, label, MERGE)[0] == 200
    applied = site.apply(world("web"), "b")
    assert site.known()[SECOND].addresses == ("10.0.0.0-10.0.0.3",)
    assert f"{SECOND} might still announce" in failures(applied[FIRST])[POOL_NAME]
    assert announced(site.tenants[FIRST]) is None
