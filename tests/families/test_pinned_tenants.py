"""networking.loadBalancerPool of a tenant whose provider gives addresses from pools: a pin."""

import pytest

from reconciler.planning.projection import project
from tests.planning.outcome import Files, codes, outcome, record_paths, refusal, without
from tests.world import SMALL, evaluation_of, pool, raw, reconciled, request, tenant

LB = "team-a/one (loadbalancer)"
TENANT = "tenants/one.yaml"
RANGE = "10.40.0.200-10.40.0.219"
PIN = "loadBalancerPool: {start: 10.40.0.200, end: 10.40.0.219}"


def with_pin(networking: str = PIN, **spec: str) -> dict[str, str]:
    return {**SMALL, TENANT: tenant("one", networking=f"{{{networking}}}", **spec)}


def request_of_one(name: str, first: int, last: int) -> dict[str, str]:
    span = f"{{startAddress: 10.40.0.{first}, endAddress: 10.40.0.{last}}}"
    text = request(name, pinnedRange=span).replace("type: nodes", "type: loadbalancer")
    return {f"tenants/{name}.yaml": text.replace(f"Ref: {{name: {name}, n", "Ref: {name: one, n")}


def announced(files: Files) -> list[str]:
    return [
        address
        for item in project(evaluation_of(files))
        if item.cluster == "team-a/one" and item.manifest["kind"] == "IPAddressPool"
        for address in item.manifest["spec"]["addresses"]
    ]


def test_the_claim_gets_exactly_that_range_of_any_size() -> None:
    files = with_pin()
    assert codes(files) == []
    assert outcome(files) == {LB: f"allocate {RANGE} of edge"}
    after = reconciled(files)
    assert outcome(after) == {LB: f"keep {RANGE} of edge"}
    assert codes(after) == []
    (path,) = record_paths(after)
    assert b"pinnedRange" in raw(after[path])


def test_what_is_announced_never_changes() -> None:
    files = with_pin()
    assert announced(files) == announced(reconciled(files)) == [RANGE]
    assert announced({**reconciled(files), TENANT: tenant("one")}) == [RANGE]


@pytest.mark.parametrize(
    ("pool_text", "reason"),
    [
        (pool(cidr="10.40.0.0/25"), "pin-outside-pool"),
        (pool(reserved="[{cidr: 10.40.0.204/32}]"), "pin-reserved"),
    ],
)
def test_a_range_that_no_pool_gives_out_is_refused_and_no_other_takes_its_place(
    pool_text: str, reason: str
) -> None:
    files = {**with_pin(), "pools/edge.yaml": pool_text}
    assert outcome(files) == {LB: f"refuse {reason}"}
    assert ("error", "manual-range") in codes(files)


def test_a_range_that_somebody_holds_is_refused_with_the_holder() -> None:
    two = {**SMALL, **request_of_one("two", 200, 201)}
    del two[TENANT]
    found = refusal({**reconciled(two), **with_pin()}, LB)
    assert (found.reason, found.message) == (
        "pin-taken", f"pinned range {RANGE} is already held by butler-system/two (request)",
    )  # fmt: skip


def test_a_live_record_of_another_range_stays_and_what_to_do_is_said() -> None:
    files = {**reconciled(SMALL), TENANT: with_pin()[TENANT]}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge"}
    assert announced(files) == ["10.40.0.0-10.40.0.7"]
    (found,) = evaluation_of(files).findings
    (path,) = record_paths(files)
    assert (found.severity, found.code) == ("warning", "record-stale")
    assert found.message == (
        f"TenantCluster team-a/one keeps 10.40.0.0-10.40.0.7 ({path}), so no cluster announces {RANGE} of loadBalancerPool"
    )
    assert found.hint.startswith(
        "remove loadBalancerPool; to switch to it, merge an Override of kind record for allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml, then delete the record;"
    )
    assert found.hint.endswith(
        f"an Override of kind record for {path}, then delete the record; Services that use the old range lose it"
    )
    assert outcome(without(files, path)) == {LB: f"allocate {RANGE} of edge"}


def test_a_larger_size_beside_it_is_added_and_a_smaller_one_is_a_warning() -> None:
    more = with_pin(f"lbPoolSize: 24, {PIN}")
    assert outcome(more) == {
        LB: f"allocate {RANGE} of edge",
        "team-a/one (loadbalancer-1)": "allocate 10.40.0.220-10.40.0.223 of edge",
    }
    assert evaluation_of(reconciled(more)).changes == ()
    fewer = with_pin(f"lbPoolSize: 4, {PIN}")
    assert outcome(fewer) == {LB: f"allocate {RANGE} of edge"}
    (found,) = evaluation_of(fewer).findings
    assert (found.code, found.message) == (
        "pin-count", "lbPoolSize is 4, but loadBalancerPool has 20, which is used",
    )  # fmt: skip


def test_a_request_that_pins_the_same_range_is_one_claim_with_it() -> None:
    files = {**with_pin(), **request_of_one("old", 200, 219)}
    assert outcome(files) == {"butler-system/old (request)": f"allocate {RANGE} of edge"}
    after = reconciled(files)
    assert evaluation_of(after).changes == ()
    assert announced(files) == announced(after) == [RANGE]


def test_two_ranges_that_are_each_said_to_be_its_own_are_an_error_that_names_both() -> None:
    files = {**with_pin(), **request_of_one("team-a-one-lb", 100, 103)}
    assert outcome(files) == {"butler-system/team-a-one-lb (request)": "refuse pin-conflict"}
    found = next(it for it in evaluation_of(files).findings if it.severity == "error")
    assert found.code == "pin-conflict"
    assert RANGE in found.message
    assert "10.40.0.100-10.40.0.103" in found.message
    assert (
        "IPAllocation butler-system/team-a-one-lb (tenants/team-a-one-lb.yaml:1)" in found.message
    )
    assert announced(files) == announced(reconciled(files)) == [RANGE]


def test_what_is_granted_beside_a_pin_that_waits_takes_its_place_in_no_cluster() -> None:
    reserved = pool(reserved="[{cidr: 10.40.0.204/32}]")
    files = {**with_pin(), **request_of_one("old", 100, 103)}
    after = reconciled({**files, "pools/edge.yaml": reserved})
    mended = {**after, "pools/edge.yaml": SMALL["pools/edge.yaml"]}
    assert set(announced(mended)) == {RANGE, "10.40.0.100-10.40.0.103"}
