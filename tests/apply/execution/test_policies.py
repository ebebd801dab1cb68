"""The admission policies on real API servers: who may write what, and how they come and go."""

import json
from collections.abc import Iterator
from functools import partial

import pytest

from reconciler.apply.policies import policies
from tests.apply.execution.crew import (
    ADMISSION,
    BINDINGS,
    LABEL,
    NAMES,
    RULES,
    Crew,
    give_rights,
    is_locked,
    may,
    refused,
    unlock,
)
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    INVENTORY,
    METALLB,
    POOLS,
    Site,
    address_pool,
    announced,
    failures,
    results,
    world,
)
from tests.envtest.processes import until
from tests.envtest.servers import ApiServer

OBJECTS = [
    f"admissionregistration.k8s.io/{kind}/{name}"
    for name in NAMES
    for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
]
KEPT = f"this object is kept by gitops-ipam from commit {'a' * 40}; change it in Git"
POOL = f"{ADDRESS_POOLS}/default-pool"
HOME = f"/api/v1/namespaces/butler-system/{INVENTORY}"
INSIDE = f"/api/v1/namespaces/metallb-system/{INVENTORY}"


@pytest.fixture
def crew(site: Site) -> Iterator[Crew]:
    """Two clusters in which people have all rights, and no policies at the end."""
    made = Crew(site.management, {FIRST: site.tenants[FIRST]})
    for server in made.servers:
        give_rights(server)
    yield made
    unlock(*made.servers)


@pytest.fixture
def locked(crew: Crew) -> Crew:
    """A site with policies that are in force; members of `breakers` may pass them."""
    applied = crew.apply(world("web"), policies=True, break_glass=("breakers",))
    assert [failures(item) for item in applied.values()] == [{}, {}]
    for server in crew.servers:
        until(partial(is_locked, server), "the policies are in force")
    return crew


def _there(server: ApiServer) -> list[str]:
    return [
        item["metadata"]["name"]
        for path in (RULES, BINDINGS)
        for item in server.get(path)["items"]
        if item["metadata"]["name"] in NAMES
    ]


def test_policies_are_objects_like_others(locked: Crew) -> None:
    for server in locked.servers:
        assert _there(server) == NAMES * 2
        live = server.get(f"{RULES}/gitops-ipam-owned")
        assert live["metadata"]["labels"] == LABEL
        server.writes("reconciler")
    data = locked.management.get(HOME)["data"]["objects"]
    assert all(f"{name} " in data for name in OBJECTS)
    again = locked.apply(world("web"), policies=True, break_glass=("breakers",))
    assert [results(item) for item in again.values()] == [{}, {}]
    assert [server.writes("reconciler") for server in locked.servers] == [[], []]


def test_without_a_word_policies_stay_and_nobody_asks_for_them(locked: Crew) -> None:
    before = len(locked.management.audit_log.read_text("utf-8").splitlines())
    applied = locked.apply(world("web", "shop"), "b")
    assert not applied["management"].is_failed
    assert not applied[FIRST].is_failed
    log = locked.management.audit_log.read_text("utf-8").splitlines()[before:]
    asked = [json.loads(line) for line in log]
    ours = [item["requestURI"] for item in asked if item["user"]["username"] == "reconciler"]
    assert ours
    assert not any(uri.startswith(ADMISSION) for uri in ours)
    assert _there(locked.management) == NAMES * 2


@pytest.mark.parametrize(
    ("name", "patch", "field"),
    [
        (OBJECTS[1], {"spec": {"validationActions": ["Warn"]}}, "spec.validationActions"),
        (
            OBJECTS[0],
            {"spec": {"matchConditions": [{"name": "never", "expression": "false"}]}},
            "spec",
        ),
        (OBJECTS[0], {"spec": {"failurePolicy": "Ignore"}}, "spec.failurePolicy"),
    ],
)
def test_a_policy_that_somebody_opened_is_locked_again(
    locked: Crew, name: str, patch: object, field: str
) -> None:
    path = RULES if name == OBJECTS[0] else BINDINGS
    may(locked.management, f"{path}/gitops-ipam-owned", patch, "alice")
    foreseen = locked.apply(world("web"), policies=True, dry_run=True)
    assert results(foreseen["management"])[name] == "configured"
    applied = locked.apply(world("web"), policies=True, break_glass=("breakers",))
    (outcome,) = (item for item in applied["management"].outcomes if item.drift is not None)
    assert (outcome.object, outcome.drift and outcome.drift.fields) == (name, (field,))
    until(partial(is_locked, locked.management), "the policies are in force again")
    again = locked.apply(world("web"), policies=True, break_glass=("breakers",))
    assert not any(item.is_changed for item in again.values())


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
    locked: Crew, path: str, patch: object
) -> None:
    one = locked.tenants[FIRST]
    assert f"{KEPT} (reconciler applies it)" in refused(one, path, patch)
    assert KEPT in refused(one, path, patch, user="admin")
    assert KEPT in refused(one, f"{path}?dryRun=All", patch)
    may(one, path, patch, "bob")


def test_kept_objects_may_not_be_deleted_one_by_one_or_at_once(locked: Crew) -> None:
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


def test_nobody_else_may_put_our_label_on(locked: Crew) -> None:
    one = locked.tenants[FIRST]
    pool = address_pool("other", "10.9.0.0/24")
    labelled = {**pool, "metadata": {**pool["metadata"], "labels": LABEL}}
    status, answer = one.request("POST", ADDRESS_POOLS, labelled, user="alice")
    assert status == 403
    assert "gitops-ipam.dev/managed-by is only for what gitops-ipam applies" in answer["message"]
    assert one.request("POST", ADDRESS_POOLS, pool, user="alice")[0] == 201
    said = refused(one, f"{ADDRESS_POOLS}/other", {"metadata": {"labels": LABEL}})
    assert "is only for what" in said


def test_what_is_not_ours_is_free(locked: Crew) -> None:
    one = locked.tenants[FIRST]
    one.put(address_pool("other", "10.9.0.0/24"), path=ADDRESS_POOLS)
    may(one, f"{ADDRESS_POOLS}/other", {"spec": {"autoAssign": False}}, "alice")
    assert one.request("DELETE", f"{ADDRESS_POOLS}/other", user="alice")[0] == 200


def test_status_is_free_for_those_who_write_it(locked: Crew) -> None:
    status = {"status": {"assignedIPv4": 1, "assignedIPv6": 0, "availableIPv4": 3}}
    status["status"]["availableIPv6"] = 0
    may(locked.tenants[FIRST], f"{POOL}/status", status, "alice")
    may(locked.management, f"{POOLS}/edge/status", {"status": {"totalIPs": 1}}, "alice")
    released = {"status": {"phase": "Released"}}
    may(locked.management, f"{ALLOCATIONS}/team-a-web-lb/status", released, "alice")


@pytest.mark.parametrize("name", ["generic-garbage-collector", "namespace-controller"])
def test_those_who_sweep_may_delete_and_nothing_else(locked: Crew, name: str) -> None:
    one = locked.tenants[FIRST]
    account = ("--as", f"system:serviceaccount:kube-system:{name}", "--as-group=system:masters")
    words = ("-n", "metallb-system", "ipaddresspool", "default-pool", *account)
    done = one.kubectl("label", *words, "a=b")
    assert KEPT in done.stderr
    assert one.kubectl("delete", *words).returncode == 0


def test_the_one_that_applies_is_free_to_change_replace_and_prune(locked: Crew) -> None:
    applied = locked.apply(world("web", "shop"), "b")
    assert not applied["management"].is_failed
    gone = locked.apply({"pools/edge.yaml": world()["pools/edge.yaml"]}, "c", allow_release=9)
    assert [failures(item) for item in gone.values()] == [{}, {}], gone
    assert announced(locked.tenants[FIRST]) is None
    assert locked.management.get(ALLOCATIONS)["items"] == []


def test_another_account_takes_over_when_it_renews_the_policies(locked: Crew) -> None:
    locked.user = "admin"
    assert locked.apply(world("web", "shop"), "b")["management"].is_failed
    applied = locked.apply(world("web", "shop"), "b", policies=True)
    assert [failures(applied[name]) for name in ("management", FIRST)] == [{}, {}]
    assert not applied["management"].error
    assert locked.management.get(HOME)["data"]["revision"] == "b" * 40
    assert "(admin applies it)" in refused(
        locked.management, f"{POOLS}/edge", {"metadata": {"labels": {"a": "b"}}}, "bob"
    )


def test_policies_are_removed_on_request_by_any_administrator(locked: Crew) -> None:
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


def test_a_policy_of_somebody_else_is_refused_and_the_rest_applied(crew: Crew) -> None:
    (theirs, *_) = policies("somebody")
    crew.management.put(theirs, path=RULES)
    applied = crew.apply(world("web"), policies=True)["management"]
    assert failures(applied) == {
        OBJECTS[0]: "it is there already and not ours; --adopt takes it over"
    }
    assert crew.management.get(f"{POOLS}/edge")
    assert _there(crew.management) == [*NAMES, NAMES[1]]  # nothing puts theirs in force
