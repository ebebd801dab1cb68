"""The documents of `contract.md` §6."""

import json
from typing import Any

from reconciler.report.machine import (
    actions,
    allocation_list,
    check_document,
    digest,
    document_list,
    json_line,
    json_text,
    plan_document,
    pool_list,
    reconcile_document,
    yaml_text,
)
from tests.engine.outcome import Files, after_removal, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant

KEY = "butler/TenantCluster/team-a/one/loadbalancer"
POOL = "butler/NetworkPool/butler-system/edge"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def action(files: Files, clock: int = CLOCK, *, keeps: bool = False) -> dict[str, Any]:
    (found,) = actions(evaluation_of(files, clock), keeps=keeps)
    return found


def test_a_plan_has_the_shape_of_the_contract() -> None:
    found = plan_document(evaluation_of(SMALL), base="main", moved=1)
    assert found == {
        "apiVersion": "gitops-ipam.dev/v1alpha1",
        "kind": "Plan",
        "revision": "a" * 40,
        "base": "main",
        "digest": found["digest"],
        "changed": True,
        "summary": {
            "keep": 0, "allocate": 1, "release": 0, "expire": 0, "refuse": 0, "moved": 1,
        },
        "actions": [
            {
                "action": "allocate", "claim": KEY, "record": RECORD, "pool": POOL,
                "start": "10.40.0.0", "end": "10.40.0.7", "count": 8, "cidr": "10.40.0.0/29",
                "reason": None, "message": None,
                "source": {"path": "tenants/one.yaml", "line": 1},
            }
        ],
        "pools": [
            {
                "pool": POOL, "total": 256, "allocated": 8, "held": 0, "available": 248,
                "allocationCount": 1, "fragmentationPercent": 0, "largestFreeBlock": 248,
                "utilizationPercent": 3.1, "tier": "ok",
                "before": {"allocated": 0, "utilizationPercent": 0.0, "tier": "ok"},
            }
        ],
        "findings": [],
    }  # fmt: skip


def test_a_range_that_is_no_block_has_no_cidr() -> None:
    files = {**SMALL, "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 5}")}
    assert (action(files)["end"], action(files)["cidr"]) == ("10.40.0.4", None)


def test_a_refused_claim_has_its_reason_and_no_place() -> None:
    found = action(FULL)
    assert found == {
        "action": "refuse", "claim": KEY,
        "record": "allocations/_unplaced/team-a/one.loadbalancer.yaml",
        "pool": None, "start": None, "end": None, "count": 8, "cidr": None,
        "reason": "request-too-large", "message": "needs 8 addresses; edge has 4 in all",
        "source": {"path": "tenants/one.yaml", "line": 1},
    }  # fmt: skip
    assert action(reconciled(FULL)) == found


def test_a_stale_claim_is_refused_and_shows_what_its_record_holds() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 4}")}
    found = action(files)
    assert (found["reason"], found["record"], found["pool"]) == ("record-stale", RECORD, POOL)
    assert (found["start"], found["end"], found["count"]) == ("10.40.0.0", "10.40.0.7", 4)


def test_keeps_are_shown_on_demand_with_the_place_of_their_claim() -> None:
    files = reconciled(SMALL)
    assert actions(evaluation_of(files)) == []
    found = action(files, keeps=True)
    assert (found["action"], found["source"]["path"]) == ("keep", "tenants/one.yaml")


def test_a_release_and_an_expiry_are_at_their_record() -> None:
    gone = without(reconciled(SMALL), "tenants/one.yaml")
    released = action(gone)
    assert (released["action"], released["source"]) == ("release", {"path": RECORD, "line": 1})
    expired = action(after_removal(SMALL, "tenants/one.yaml"), CLOCK + 86_400)
    assert (expired["action"], expired["start"]) == ("expire", "10.40.0.0")
    failed = action(without(reconciled(FULL), "tenants/one.yaml"))
    assert (failed["action"], failed["start"], failed["count"]) == ("expire", None, 8)


def test_the_digest_is_made_of_the_decisions_without_times_and_keeps() -> None:
    first, later = evaluation_of(SMALL), evaluation_of(SMALL, CLOCK + 99)
    assert digest(actions(first)) == digest(actions(later))
    more = {**SMALL, "tenants/two.yaml": tenant("two")}
    assert digest(actions(evaluation_of(more))) != digest(actions(first))
    kept = {**reconciled(SMALL), "tenants/two.yaml": tenant("two")}
    with_keeps = actions(evaluation_of(kept), keeps=True)
    assert digest(with_keeps) == digest(actions(evaluation_of(kept)))


def test_the_digest_does_not_depend_on_where_a_claim_stands_in_its_file() -> None:
    moved = {
        **without(SMALL, "tenants/one.yaml"),
        "tenants/x.yaml": "# hi\n" + SMALL["tenants/one.yaml"],
    }
    assert digest(actions(evaluation_of(moved))) == digest(actions(evaluation_of(SMALL)))


def test_a_check_says_whether_all_is_well_with_findings_gates_and_plan() -> None:
    evaluation = evaluation_of({**FULL, "pools/x.yaml": pool("x", "10.9.0.1/24")})
    found = check_document(evaluation, {"kind": "Plan"}, 1)
    assert (found["ok"], found["exitCode"], found["plan"]) == (False, 1, {"kind": "Plan"})
    assert found["findings"] == [
        {
            "code": "cidr-invalid", "severity": "error", "message": found["findings"][0]["message"],
            "path": "pools/x.yaml", "line": 5, "column": 9, "pointer": "/spec/cidr",
            "hint": found["findings"][0]["hint"],
        }
    ]  # fmt: skip
    assert [item["code"] for item in found["gates"]] == ["request-too-large"]
    assert check_document(evaluation_of(SMALL), {}, 0)["ok"] is True


def test_a_reconcile_says_what_it_committed() -> None:
    found = reconcile_document(evaluation_of(SMALL), "b" * 40, "c" * 40, attempts=2, exit_code=0)
    assert found["kind"] == "ReconcileResult"
    assert (found["base"], found["commit"], found["pushed"]) == ("b" * 40, "c" * 40, True)
    assert (found["attempts"], found["apply"], found["exitCode"]) == (2, None, 0)
    idle = reconcile_document(evaluation_of(SMALL), "b" * 40, None, attempts=1, exit_code=3)
    assert (idle["commit"], idle["pushed"], idle["exitCode"]) == (None, False, 3)


def test_status_lists_pools_as_they_are_today() -> None:
    found = pool_list(evaluation_of(SMALL))
    assert (found["kind"], found["items"][0]["allocated"]) == ("PoolList", 0)


def test_lists_hold_whole_documents() -> None:
    found = allocation_list(evaluation_of(reconciled(SMALL)).state.records)
    assert (found["kind"], found["items"][0]["kind"]) == ("IPAllocationList", "IPAllocation")
    assert document_list("XList", [{"a": 1}])["items"] == [{"a": 1}]


def test_json_is_one_document_and_a_line_is_one_line() -> None:
    document = plan_document(evaluation_of(SMALL))
    assert json.loads(json_text(document)) == document
    line = json_line(document)
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert json.loads(line) == document


def test_yaml_says_the_same_as_json() -> None:
    import yaml

    document = plan_document(evaluation_of(SMALL))
    assert yaml.safe_load(yaml_text(document)) == document


def test_hostile_text_is_escaped_in_json_and_yaml() -> None:
    document = {"kind": "X", "items": [{"a": "\x1b[2J\u202e"}]}
    for text in (json_text(document), json_line(document), yaml_text(document)):
        assert "\x1b" not in text
        assert "\u202e" not in text
