"""A plan as it is published, and its digest."""

from typing import Any

from reconciler.planning.digest import actions, digest
from tests.planning.outcome import Files, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, request, tenant

KEY = "butler/TenantCluster/team-a/one/loadbalancer"
POOL = "butler/NetworkPool/butler-system/edge"
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def action(files: Files, clock: int = CLOCK, *, keeps: bool = False) -> dict[str, Any]:
    (found,) = actions(evaluation_of(files, clock), keeps=keeps)
    return found


def test_a_refused_claim_has_its_reason_and_no_place() -> None:
    found = action(FULL)
    assert found == {
        "action": "refuse", "claim": KEY,
        "record": "allocations/_unplaced/team-a/one.loadbalancer.yaml",
        "pool": None, "start": None, "end": None, "count": 8, "cidr": None,
        "reason": "request-too-large", "message": "needs 8 addresses, more than pool edge (4) can hold when empty",
        "source": {"path": "tenants/one.yaml", "line": 1},
    }  # fmt: skip
    assert action(reconciled(FULL)) == found


def test_a_stale_claim_is_refused_and_shows_what_its_record_holds() -> None:
    files = reconciled({"pools/edge.yaml": pool(), "tenants/one.yaml": request("one", count=8)})
    (path,) = (path for path in files if path.startswith("allocations/"))
    found = action({**files, "tenants/one.yaml": request("one", count=4)})
    assert (found["reason"], found["record"], found["pool"]) == ("record-stale", path, POOL)
    assert (found["start"], found["end"], found["count"]) == ("10.40.0.0", "10.40.0.7", 4)


def test_what_adds_to_a_range_says_to_how_many_and_the_digest_does_not() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")}
    (found,) = actions(evaluation_of(files))
    assert found["grows"] == {"from": 8, "to": 12}
    assert digest([found]) == digest([{**found, "grows": None}])


def test_keeps_are_shown_on_demand_with_the_place_of_their_claim() -> None:
    files = reconciled(SMALL)
    assert actions(evaluation_of(files)) == []
    found = action(files, keeps=True)
    assert (found["action"], found["source"]["path"]) == ("keep", "tenants/one.yaml")


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
