"""Records are kept, released, held until retention ends, taken back, or expired, never moved."""

from tests.planning.outcome import after_removal, codes, outcome, record_paths, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, raw, reconciled, tenant

CLAIM = "team-a/one (loadbalancer)"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
HOUR = 3_600
TENANT = "tenants/one.yaml"


def test_a_record_without_its_claim_is_released() -> None:
    files = without(reconciled(SMALL), TENANT)
    assert outcome(files) == {CLAIM: "release 10.40.0.0-10.40.0.7 of edge"}
    released = reconciled(files)
    assert b'releasedAt: "2026-02-15T10:00:30Z"' in raw(released[RECORD])


def test_a_released_record_holds_its_addresses_until_retention_ends() -> None:
    files = after_removal(SMALL, TENANT)
    files["tenants/two.yaml"] = tenant("two")
    late = CLOCK + 24 * HOUR - 1
    assert outcome(files, late) == {
        "team-a/two (loadbalancer)": "allocate 10.40.0.8-10.40.0.15 of edge"
    }


def test_a_released_record_goes_when_retention_ends() -> None:
    files = after_removal(SMALL, TENANT)
    files["tenants/two.yaml"] = tenant("two")
    late = CLOCK + 24 * HOUR
    assert outcome(files, late) == {
        CLAIM: "expire 10.40.0.0-10.40.0.7 of edge",
        "team-a/two (loadbalancer)": "allocate 10.40.0.0-10.40.0.7 of edge",
    }
    assert record_paths(reconciled(files, late)) == [RECORD.replace("one", "two")]


def test_the_same_claim_takes_its_released_addresses_back() -> None:
    files = {**after_removal(SMALL, TENANT), TENANT: SMALL[TENANT]}
    files["tenants/ant.yaml"] = tenant("ant")
    found = outcome(files, CLOCK + HOUR)
    assert found[CLAIM] == "allocate 10.40.0.0-10.40.0.7 of edge"
    assert found["team-a/ant (loadbalancer)"] == "allocate 10.40.0.8-10.40.0.15 of edge"
    back = reconciled(files, CLOCK + HOUR)
    assert b"phase: Allocated" in raw(back[RECORD])
    assert b"releasedAt" not in raw(back[RECORD])


def test_a_claim_that_comes_back_after_retention_but_before_expiry_takes_them_back() -> None:
    files = {**after_removal(SMALL, TENANT), TENANT: SMALL[TENANT]}
    assert outcome(files, CLOCK + 48 * HOUR)[CLAIM] == "allocate 10.40.0.0-10.40.0.7 of edge"


def test_a_claim_that_comes_back_with_another_size_is_refused_while_the_old_range_is_held() -> None:
    files = {**after_removal(SMALL, TENANT), TENANT: tenant("one", networking="{lbPoolSize: 4}")}
    assert outcome(files)[CLAIM] == "refuse record-stale"
    found = next(item for item in evaluation_of(files).gates)
    assert "is released and still holds 10.40.0.0-10.40.0.7 in pool edge;" in found.message
    late = outcome(files, CLOCK + 24 * HOUR)
    assert late[CLAIM] == "allocate 10.40.0.0-10.40.0.3 of edge"


def test_taking_back_counts_towards_the_quota() -> None:
    files = {
        **after_removal(SMALL, TENANT),
        TENANT: SMALL[TENANT],
        "providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 7}"),
    }
    assert outcome(files)[CLAIM] == "refuse quota-exceeded"


def test_a_pool_that_is_no_longer_listed_keeps_its_records_with_a_warning() -> None:
    files = {
        **reconciled(SMALL),
        "pools/second.yaml": pool("second", "10.41.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: second}]"),
    }
    assert outcome(files)[CLAIM] == "keep 10.40.0.0-10.40.0.7 of edge"
    assert codes(files) == [("warning", "record-stale")]
    message = evaluation_of(files).findings[0].message
    assert (
        message
        == f"{CLAIM} keeps 10.40.0.0-10.40.0.7 (pool edge); the claim now asks for pool second"
    )


def test_a_claim_whose_pools_are_all_gone_keeps_its_record_and_says_so() -> None:
    files = {**reconciled(SMALL), "providers/default.yaml": provider(pools="[{name: gone}]")}
    assert outcome(files)[CLAIM] == "keep 10.40.0.0-10.40.0.7 of edge"


def test_a_duplicate_failed_record_of_a_claim_expires() -> None:
    files = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    failed = files["allocations/_unplaced/team-a/one.loadbalancer.yaml"]
    copy = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
    decisions = evaluation_of({**files, copy: failed}).plan.decisions
    assert sorted(type(item).__name__ for item in decisions) == ["Expire", "Refuse"]


def test_a_released_record_beside_a_live_one_of_its_claim_expires_in_time() -> None:
    released = after_removal(SMALL, TENANT)[RECORD]
    files = reconciled({**SMALL, "pools/aaa.yaml": pool("aaa", "10.30.0.0/24"),
                        "providers/default.yaml": provider(pools="[{name: aaa}]")})  # fmt: skip
    files = {**files, "providers/default.yaml": SMALL["providers/default.yaml"], RECORD: released}
    late = CLOCK + 24 * HOUR
    kinds = [type(item).__name__ for item in evaluation_of(files, late).plan.decisions]
    assert sorted(kinds) == ["Expire", "Keep"]
    assert [type(item).__name__ for item in evaluation_of(files).plan.decisions] == ["Keep"]


def test_a_release_on_a_day_to_come_is_told_and_holds() -> None:
    files = after_removal(SMALL, TENANT, clock=CLOCK + 24 * HOUR)
    assert evaluation_of(files, CLOCK + 23 * HOUR).findings == ()
    early = evaluation_of(files, CLOCK)
    (found,) = early.findings
    assert (found.code, found.severity, early.changes) == ("record-edited", "warning", ())
    assert (
        "releasedAt is 2026-02-16T10:00:30Z, later than the date of this revision (2026-02-15T10:00:30Z)"
        in found.message
    )
