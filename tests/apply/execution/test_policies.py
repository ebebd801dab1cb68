"""The admission policies on real API servers: permitted writes, installation, and removal."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply.policies import policies
from reconciler.apply.render import render
from reconciler.apply.rights import desired
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    MERGE,
    METALLB,
    POOLS,
    Site,
    address_pool,
    announced,
    evaluated,
    failures,
    results,
    world,
)
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
BINDINGS = f"{ADMISSION}/validatingadmissionpolicybindings"
RULES = f"{ADMISSION}/validatingadmissionpolicies"
NAMES = ["gitops-ipam-owned", "gitops-ipam-pools"]
LABEL = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
RBAC = "rbac.authorization.k8s.io"
PEOPLE = {
    "metadata": {"name": "people"},
    "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
    "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": "people"}],
}


def give_rights(server: ApiServer) -> None:
    """Grant all rights to alice and bob."""
    server.put(PEOPLE, path=f"/apis/{RBAC}/v1/clusterrolebindings")
    until(lambda: probe(server) == 201, "people have rights")


def await_policies(server: ApiServer) -> None:
    until(lambda: probe(server) == 403, "the policies are in force")


def probe(server: ApiServer) -> int:
    """Create an object with our label as another user, in a dry run. Return the HTTP status."""
    body = {"metadata": {"name": "probe", "labels": LABEL}}
    path = "/api/v1/namespaces/default/configmaps?dryRun=All"
    return server.request("POST", path, body, user="alice")[0]


def refused(server: ApiServer, path: str, patch: object, user: str = "alice") -> str:
    """Try a change that must be refused, and return the message."""
    status, answer = server.request("PATCH", path, patch, MERGE, user=user)
    assert status in (403, 422), (status, answer)
    message: str = answer["message"]
    return message


def may(server: ApiServer, path: str, patch: object, user: str) -> None:
    """Make a change that must be permitted."""
    status, answer = server.request("PATCH", path, patch, MERGE, user=user)
    assert status == 200, answer


OBJECTS = [
    f"admissionregistration.k8s.io/{kind}/{name}"
    for name in NAMES
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
]
KEPT = f"this object is managed by gitops-ipam from commit {'a' * 40}; change it in Git"
POOL = f"{ADDRESS_POOLS}/default-pool"
HOME = f"/api/v1/namespaces/butler-system/{INVENTORY}"
INSIDE = f"/api/v1/namespaces/metallb-system/{INVENTORY}"


@pytest.fixture
def crew(site: Site) -> Site:
    """Two clusters in which users have all rights."""
    made = Site(site.management, {FIRST: site.tenants[FIRST]}, user="reconciler")
    for server in (made.management, *made.tenants.values()):
        give_rights(server)
    return made


@pytest.fixture
def locked(crew: Site) -> Site:
    """A site with policies in force, and an exception for members of `breakers`."""
    applied = crew.apply(world("web"), policies=True, break_glass=("breakers",))
    assert [failures(item) for item in applied.values()] == [{}, {}]
    await_policies(crew.management)
    await_policies(crew.tenants[FIRST])
    return crew


def _there(server: ApiServer) -> list[str]:
    return [
        item["metadata"]["name"]
        for path in (RULES, BINDINGS)
        for item in server.get(path)["items"]
        if item["metadata"]["name"] in NAMES
    ]


@pytest.mark.parametrize(
    ("path", "patch"),
    [
        (POOL, {"spec": {"autoAssign": False}}),
        (POOL, {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}),
        (POOL, {"metadata": {"annotations": {"note": "mine"}}}),
        (f"{METALLB}/l2advertisements/default", {"spec": {"ipAddressPools": []}}),
    ],
)
def test_people_with_all_rights_may_not_change_what_is_kept(
    locked: Site, path: str, patch: object
) -> None:
    one = locked.tenants[FIRST]
    assert f"{KEPT} (reconciler applies it)" in refused(one, path, patch)
    assert KEPT in refused(one, path, patch, user="admin")
    assert KEPT in refused(one, f"{path}?dryRun=All", patch)
    may(one, path, patch, "bob")


def test_kept_objects_may_not_be_deleted_one_by_one_or_at_once(locked: Site) -> None:
    for server, path in (
        (locked.management, f"{ALLOCATIONS}/team-a-web-lb"),
        (locked.management, f"{POOLS}/edge"),
        (locked.tenants[FIRST], POOL),
        (locked.tenants[FIRST], ADDRESS_POOLS),
    ):
        status, answer = server.request("DELETE", path, user="alice")
        assert (status, KEPT in answer["message"]) == (403, True), answer
    assert locked.tenants[FIRST].request("DELETE", INSIDE, user="alice")[0] == 403
    assert locked.tenants[FIRST].request("DELETE", POOL, user="bob")[0] == 200


def test_what_is_not_ours_is_free_and_nobody_else_may_put_our_label_on(locked: Site) -> None:
    one = locked.tenants[FIRST]
    pool = address_pool("other", "10.9.0.0/24")
    labelled = {**pool, "metadata": {**pool["metadata"], "labels": LABEL}}
    status, answer = one.request("POST", ADDRESS_POOLS, labelled, user="alice")
    assert status == 403
    assert (
        "gitops-ipam.dev/managed-by is reserved for objects that gitops-ipam applies"
        in answer["message"]
    )
    assert one.request("POST", ADDRESS_POOLS, pool, user="alice")[0] == 201
    said = refused(one, f"{ADDRESS_POOLS}/other", {"metadata": {"labels": LABEL}})
    assert "is reserved for objects" in said
    may(one, f"{ADDRESS_POOLS}/other", {"spec": {"autoAssign": False}}, "alice")
    assert one.request("DELETE", f"{ADDRESS_POOLS}/other", user="alice")[0] == 200


def test_status_is_free_for_those_who_write_it(locked: Site) -> None:
    status = {"status": {"assignedIPv4": 1, "assignedIPv6": 0, "availableIPv4": 3}}
    status["status"]["availableIPv6"] = 0
    may(locked.tenants[FIRST], f"{POOL}/status", status, "alice")
    may(locked.management, f"{POOLS}/edge/status", {"status": {"totalIPs": 1}}, "alice")
    released = {"status": {"phase": "Released"}}
    may(locked.management, f"{ALLOCATIONS}/team-a-web-lb/status", released, "alice")


@pytest.mark.parametrize("name", ["generic-garbage-collector", "namespace-controller"])
def test_those_who_sweep_may_delete_and_nothing_else(locked: Site, name: str) -> None:
    one = locked.tenants[FIRST]
    account = ("--as", f"system:serviceaccount:kube-system:{name}", "--as-group=system:masters")
    words = ("-n", "metallb-system", "ipaddresspool", "default-pool", *account)
    done = one.kubectl("label", *words, "a=b")
    assert KEPT in done.stderr
    assert one.kubectl("delete", *words).returncode == 0


def test_the_one_that_applies_is_free_to_change_replace_and_prune(locked: Site) -> None:
    applied = locked.apply(world("web", "shop"), "b")
    assert not applied["management"].is_failed
    gone = locked.apply({"pools/edge.yaml": world()["pools/edge.yaml"]}, "c", allow_delete=9)
    assert [failures(item) for item in gone.values()] == [{}, {}], gone
    assert announced(locked.tenants[FIRST]) is None
    assert locked.management.get(ALLOCATIONS)["items"] == []


def test_another_account_takes_over_when_it_renews_the_policies(locked: Site) -> None:
    locked.user = "admin"
    assert locked.apply(world("web", "shop"), "b")["management"].is_failed
    applied = locked.apply(world("web", "shop"), "b", policies=True)
    assert [failures(applied[name]) for name in ("management", FIRST)] == [{}, {}]
    assert not applied["management"].error
    assert locked.management.get(HOME)["data"]["revision"] == "b" * 40
    assert "(admin applies it)" in refused(
        locked.management, f"{POOLS}/edge", {"metadata": {"labels": {"a": "b"}}}, "bob"
    )


def test_policies_are_removed_on_request_by_any_administrator(locked: Site) -> None:
    locked.user = "admin"
    foreseen = locked.apply(world("web", "shop"), "b", policies=False, dry_run=True)
    assert _there(locked.management) == NAMES * 2
    applied = locked.apply(world("web", "shop"), "b", policies=False)
    for item in (foreseen["management"], applied["management"]):
        assert {results(item)[name] for name in OBJECTS} == {"deleted"}
    assert [failures(applied[name]) for name in ("management", FIRST)] == [{}, {}]
    assert _there(locked.management) == _there(locked.tenants[FIRST]) == []
    assert not any(name in locked.management.get(HOME)["data"]["objects"] for name in OBJECTS)
    again = locked.apply(world("web", "shop"), "b", policies=False)
    assert not any(item.is_changed for item in again.values())


# CRDs of other projects, and applied files

OTHERS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default"


def without_rules(value: Any) -> Any:
    """Return a CRD without the rules that the API server enforces itself."""
    if isinstance(value, Mapping):
        dropped = ("x-kubernetes-validations", "pattern", "maxLength")
        return {key: without_rules(item) for key, item in value.items() if key not in dropped}
    return [without_rules(item) for item in value] if isinstance(value, list) else value


def of_others(kind: str, name: str, **spec: object) -> dict[str, object]:
    """Return an object of another user, without our label."""
    named = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": kind}
    return {**named, "metadata": {"name": name}, "spec": spec}


def cidr(text: str) -> dict[str, object]:
    return {"spec": {"cidr": text}}


@pytest.fixture
def foreign(bare: ApiServer) -> ApiServer:
    """A cluster with policies, and with CRDs of other projects without rules."""
    crds = {"apiVersion": "v1", "kind": "List", "items": without_rules([it for it, _ in desired()])}
    assert bare.kubectl("apply", "-f", "-", stdin=json.dumps(crds)).returncode == 0
    words = ("wait", "--for=condition=Established", "crd", "--all")
    until(lambda: bare.kubectl(*words).returncode == 0, "the kinds are established")
    give_rights(bare)
    done = Site(bare, user="reconciler").apply(
        world("web"), policies=True, break_glass=("breakers",)
    )
    assert failures(done["management"]) == {}
    await_policies(bare)
    # Policies come into force one by one: the one for sizes after the one for our label.
    until(partial(_keeps_sizes, bare), "no pool shrinks any more")
    return bare


def _keeps_sizes(server: ApiServer) -> bool:
    """Return whether even `ipam` cannot shrink a pool, in a dry run."""
    path = f"{POOLS}/edge?dryRun=All"
    return server.request("PATCH", path, cidr("10.0.0.0/28"), MERGE, user="reconciler")[0] != 200


def test_under_crds_of_others_no_pool_shrinks_and_nothing_given_changes(foreign: ApiServer) -> None:
    pools, allocations = f"{OTHERS}/networkpools", f"{OTHERS}/ipallocations"
    for name, text in (("wide", "10.9.0.0/24"), ("odd", "no CIDR")):
        foreign.put(of_others("NetworkPool", name, cidr=text), path=pools)
    wide, odd = f"{pools}/wide", f"{pools}/odd"
    kept = "the CIDR may grow, but must keep every address of 10.9.0.0/24"
    for user in ("alice", "reconciler"):
        for narrow in ("10.9.0.0/25", "10.9.1.0/24", "fd00::/64", "", None, "x"):
            assert kept in refused(foreign, wide, cidr(narrow or ""), user)
    may(foreign, wide, cidr("10.9.0.0/23"), "alice")
    may(foreign, wide, cidr("10.9.0.0/25"), "bob")
    may(foreign, odd, cidr("10.8.0.0/24"), "alice")
    refused(foreign, odd, cidr("10.8.0.0/25"))
    tenant = {"name": "a", "namespace": "b"}
    spec = {"poolRef": {"name": "wide"}, "type": "nodes", "tenantClusterRef": tenant}
    foreign.put(of_others("IPAllocation", "given", **spec, count=4), path=allocations)
    given = f"{allocations}/given"
    may(foreign, given, {"spec": {"count": 8}}, "alice")
    may(foreign, f"{given}/status", {"status": {"phase": "Allocated"}}, "alice")
    pinned = {"startAddress": "10.9.0.0", "endAddress": "10.9.0.3"}
    fixed = "spec cannot change once the addresses are allocated"
    for change in ({"count": 4}, {"count": None}, {"poolRef": {"name": "odd"}}):
        assert fixed in refused(foreign, given, {"spec": change})
    may(foreign, given, {"spec": {"pinnedRange": pinned}}, "alice")
    may(foreign, given, {"metadata": {"labels": {"a": "b"}}}, "alice")
    may(foreign, given, {"spec": {"count": 4}}, "bob")


def test_our_own_pools_shrink_neither_by_kubectl_nor_by_the_reconciler(foreign: ApiServer) -> None:
    words = ("-n", "butler-system", "patch", "networkpool", "edge", "--type=merge")
    done = foreign.kubectl(*words, "-p", json.dumps(cidr("10.0.0.0/28")), user="alice")
    # Both policies refuse it, and the server reports one of them.
    assert "ValidatingAdmissionPolicy 'gitops-ipam-" in done.stderr
    narrow = world("web", **{"pools/edge.yaml": _pool("10.0.0.0/28")})
    failed = failures(Site(foreign, user="reconciler").apply(narrow, "b")["management"])
    assert list(failed) == ["butler.butlerlabs.dev/NetworkPool/butler-system/edge"]
    assert "must keep every address of 10.0.0.0/27" in next(iter(failed.values()))


def _pool(text: str) -> str:
    return str(world()["pools/edge.yaml"]).replace("10.0.0.0/27", text)


def test_rendered_files_lock_what_they_make(management: ApiServer, tmp_path: Path) -> None:
    render(evaluated(world("web")), tmp_path, policies("reconciler"))
    give_rights(management)
    management.namespace("butler-system")
    words = ("apply", "--server-side", "--force-conflicts", "-k", str(tmp_path / "management"))
    done = management.kubectl(*words, user="reconciler")
    assert done.returncode == 0, done.stderr
    await_policies(management)
    for path in (f"{POOLS}/edge", f"{ALLOCATIONS}/team-a-web-lb"):
        said = refused(management, path, {"metadata": {"labels": {"a": "b"}}})
        assert (
            "this object is managed by gitops-ipam; change it in Git (reconciler applies it)"
            in said
        )
    assert management.kubectl(*words, user="reconciler").returncode == 0
