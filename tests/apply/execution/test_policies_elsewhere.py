"""Policies where the CRDs are others', where files are applied, and where there can be none."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply.policies import policies
from reconciler.apply.render import render
from reconciler.apply.rights import desired
from tests.apply.execution.crew import Crew, give_rights, is_locked, may, refused, unlock
from tests.apply.execution.site import ALLOCATIONS, MERGE, POOLS, evaluated, failures, world
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer

OTHERS = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default"


def without_rules(value: Any) -> Any:
    """A CRD without what the API server itself would enforce."""
    if isinstance(value, Mapping):
        dropped = ("x-kubernetes-validations", "pattern", "maxLength")
        return {key: without_rules(item) for key, item in value.items() if key not in dropped}
    return [without_rules(item) for item in value] if isinstance(value, list) else value


def theirs(kind: str, name: str, **spec: object) -> dict[str, object]:
    """An object of somebody else, without our label."""
    named = {"apiVersion": "butler.butlerlabs.dev/v1alpha1", "kind": kind}
    return {**named, "metadata": {"name": name}, "spec": spec}


def cidr(text: str) -> dict[str, object]:
    return {"spec": {"cidr": text}}


@pytest.fixture
def foreign(bare: ApiServer) -> ApiServer:
    """A cluster with policies, and with CRDs of others that enforce nothing."""
    crds = {"apiVersion": "v1", "kind": "List", "items": without_rules([it for it, _ in desired()])}
    assert bare.kubectl("apply", "-f", "-", stdin=json.dumps(crds)).returncode == 0
    words = ("wait", "--for=condition=Established", "crd", "--all")
    until(lambda: bare.kubectl(*words).returncode == 0, "the kinds are established")
    give_rights(bare)
    done = Crew(bare, {}).apply(world("web"), policies=True, break_glass=("breakers",))
    assert failures(done["management"]) == {}
    until(partial(is_locked, bare), "the policies are in force")
    # Each comes into force by itself: the one of sizes after the one of our label.
    until(partial(_keeps_sizes, bare), "no pool shrinks any more")
    return bare


def _keeps_sizes(server: ApiServer) -> bool:
    """Not even who applies makes a pool smaller; nothing is kept of the try."""
    path = f"{POOLS}/edge?dryRun=All"
    return server.request("PATCH", path, cidr("10.0.0.0/28"), MERGE, user="reconciler")[0] != 200


def test_under_crds_of_others_no_pool_shrinks_and_nothing_given_changes(foreign: ApiServer) -> None:
    pools, allocations = f"{OTHERS}/networkpools", f"{OTHERS}/ipallocations"
    for name, text in (("wide", "10.9.0.0/24"), ("odd", "no CIDR")):
        foreign.put(theirs("NetworkPool", name, cidr=text), path=pools)
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
    foreign.put(theirs("IPAllocation", "given", **spec, count=4), path=allocations)
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
    # Both policies refuse it; the server tells of one of them.
    assert "ValidatingAdmissionPolicy 'gitops-ipam-" in done.stderr
    narrow = world("web", **{"pools/edge.yaml": _pool("10.0.0.0/28")})
    failed = failures(Crew(foreign, {}).apply(narrow, "b")["management"])
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
    until(partial(is_locked, management), "the policies are in force")
    for path in (f"{POOLS}/edge", f"{ALLOCATIONS}/team-a-web-lb"):
        said = refused(management, path, {"metadata": {"labels": {"a": "b"}}})
        assert (
            "this object is kept by gitops-ipam; change it in Git (reconciler applies it)" in said
        )
    assert management.kubectl(*words, user="reconciler").returncode == 0
    unlock(management)
