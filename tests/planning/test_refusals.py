"""Every reason of a refusal that Butler can give, with its words."""

from typing import Any

import pytest

from reconciler.model.plan import Refuse
from tests.families.capi import trees as capi
from tests.planning.outcome import outcome, refusal, without
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

CLAIM = "team-a/one (loadbalancer)"
PINNED = "butler-system/legacy (request)"
BLOCK = "{cidr: 10.40.0.0/30}"
RANGES = "{ranges: [{start: 10.40.0.16, end: 10.40.0.31}, {start: 10.40.0.32, end: 10.40.0.47}]}"


def pinned(start: str, end: str) -> dict[str, str]:
    pin = f'{{startAddress: "{start}", endAddress: "{end}"}}'
    text = request("legacy", pinnedRange=pin)
    return {**SMALL, "tenants/legacy.yaml": text}


def test_a_pool_that_is_not_there_is_named() -> None:
    files = {**SMALL, "providers/default.yaml": provider(pools="[{name: gone}, {name: lost}]")}
    found = refusal(files, CLAIM)
    assert found.reason == "pool-not-found"
    assert found.message == "pools gone and lost do not exist in this repository"
    assert found.hint == "correct the name, or add the pool"
    one = refusal({**SMALL, "providers/default.yaml": provider(pools="[{name: gone}]")}, CLAIM)
    assert one.message == "pool gone does not exist in this repository"


def test_a_pool_without_a_free_address_is_exhausted() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/29"),
        "tenants/two.yaml": tenant("two"),
    }
    found = refusal(files, "team-a/two (loadbalancer)")
    assert found.reason == "pool-exhausted"
    assert found.message == "needs 8 contiguous addresses; pool edge has 0 of 8 free"
    assert found.hint.startswith("widen pool edge to 10.40.0.0/28 ")


@pytest.mark.parametrize(
    ("addresses", "prefix", "cure"),
    [
        ("10.0.0.10-10.0.0.12", 24, "widen pool vips to 10.0.0.8/29 if that network is free"),
        ("10.0.0.1-10.0.0.6", 29, "choose another pool or remove"),
        ("2001:db8::a-2001:db8::c", 64, "widen pool vips to 2001:db8::8/125 if that network is free"),
        ("126.255.255.254-126.255.255.255", 0, "widen pool vips to 126.255.255.252/30 if that network is free"),
    ],
)  # fmt: skip
def test_a_wider_network_holds_all_of_the_pool_and_lies_in_its_subnet(
    addresses: str, prefix: int, cure: str
) -> None:
    pool = capi.pool("vips", addresses, prefix=prefix)
    claims = [capi.claim(f"c{at}") for at in range(8)]
    found = evaluation_of(capi.of(pool, *claims)).plan.decisions[-1]
    assert isinstance(found, Refuse)
    assert found.hint.startswith(cure)


@pytest.mark.parametrize(
    ("addresses", "prefix", "spec", "cure"),
    [
        ("10.0.0.0/31", 31, {}, "allocateReservedIPAddresses: true"),
        ("10.0.0.0/31", 31, {"gateway": "10.0.0.1"}, "allocateReservedIPAddresses: true"),
        ("10.0.0.7", 32, {"excludedAddresses": ["10.0.0.7"]}, "exclude fewer addresses,"),
    ],
)
def test_an_empty_pool_names_the_field_that_gives_addresses(
    addresses: str, prefix: int, spec: dict[str, Any], cure: str
) -> None:
    pool = capi.pool("vips", addresses, prefix=prefix, **spec)
    found = evaluation_of(capi.of(pool, capi.claim("one")))
    (empty,) = (it for it in found.findings if it.code == "pool-empty")
    assert cure in empty.hint
    (refused,) = found.plan.decisions
    assert isinstance(refused, Refuse)
    assert refused.message == "pool vips has no allocatable address"
    assert refused.hint == "choose another pool, or fix the finding pool-empty in pools/00.yaml"


def test_a_free_run_that_is_too_short_is_told_with_its_neighbour() -> None:
    files = {
        **SMALL,
        "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 10}"),
    }
    found = refusal(files, CLAIM)
    assert found.reason == "pool-exhausted"
    assert found.message == (
        "needs 8 contiguous addresses; pool edge has 6 of 16 free, largest free range: 6, next to team-a/two (loadbalancer)"
    )
    assert (
        "ask for fewer addresses (ipam explain team-a/one shows how many), widen pool edge to 10.40.0.0/27 if that network is free, add a pool to poolRefs, or remove unused"
        in found.hint
    )


def test_a_claim_that_no_empty_pool_could_hold_is_too_large() -> None:
    files = {**SMALL, "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 257}")}
    found = refusal(files, CLAIM)
    assert found.reason == "request-too-large"
    assert found.message == "needs 257 addresses, more than pool edge (256) can hold when empty"
    assert found.hint == (
        "ask for fewer addresses (ipam explain team-a/one shows how many), or add a larger pool"
    )


@pytest.mark.parametrize(
    ("ends", "spec", "reason", "message"),
    [
        (("10.99.0.0", "10.99.0.3"), {}, "pin-outside-pool",
         "pinned range 10.99.0.0-10.99.0.3 is outside the ranges of pool edge (10.40.0.0-10.40.0.255)"),
        (("10.40.0.30", "10.40.0.33"), {"tenantAllocation": RANGES}, "pin-straddles-ranges",
         "pinned range 10.40.0.30-10.40.0.33 spans 2 ranges of pool edge (10.40.0.16-10.40.0.31 and 10.40.0.32-10.40.0.47)"),
        (("10.40.0.2", "10.40.0.5"), {"reserved": f"[{BLOCK}]"}, "pin-reserved",
         "pinned range 10.40.0.2-10.40.0.5 contains reserved addresses of pool edge: 10.40.0.0-10.40.0.3"),
        (("2001:db8::1", "2001:db8::4"), {}, "family-mismatch",
         "pinned range 2001:db8::1-2001:db8::4 is IPv6, but pool edge has no such addresses"),
    ],
)  # fmt: skip
def test_a_pin_that_no_pool_gives_out_is_refused(
    ends: tuple[str, str], spec: dict[str, str], reason: str, message: str
) -> None:
    found = refusal({**pinned(*ends), "pools/edge.yaml": pool(**spec)}, PINNED)
    assert (found.reason, found.message) == (reason, message)


def test_a_pin_on_addresses_of_a_record_names_the_holder() -> None:
    files = {**reconciled(SMALL), **pinned("10.40.0.7", "10.40.0.9")}
    found = refusal(files, PINNED)
    assert found.reason == "pin-taken"
    assert (
        found.message
        == "pinned range 10.40.0.7-10.40.0.9 is already held by team-a/one (loadbalancer)"
    )
    assert found.hint.startswith("pin a free range (ipam find lists some), or first remove the")


def test_a_pin_on_addresses_of_another_pin_is_refused() -> None:
    second = request("other", pinnedRange="{startAddress: 10.40.0.9, endAddress: 10.40.0.9}")
    files = {**pinned("10.40.0.8", "10.40.0.9"), "tenants/other.yaml": second}
    found = outcome(files)
    assert found[PINNED] == "allocate 10.40.0.8-10.40.0.9 of edge"
    assert found["butler-system/other (request)"] == "refuse pin-taken"
    assert refusal(files, "butler-system/other (request)").message == (
        "pinned range 10.40.0.9 is already held by butler-system/legacy (request)"
    )


def test_a_claim_over_its_quota_is_refused_and_never_clamped() -> None:
    files = {**SMALL, "providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 6}")}
    found = refusal(files, CLAIM)
    assert found.reason == "quota-exceeded"
    assert found.message == (
        "would bring team-a/one to 8 loadbalancer addresses, more than its quota of 6"
    )
    assert found.hint == (
        "ask for fewer addresses (ipam explain team-a/one shows how many), or raise the quota"
        " (providers/default.yaml:9)"
    )


def test_a_pool_with_an_unreadable_record_is_frozen() -> None:
    path = "allocations/NetworkPool/butler-system.edge/team-z/old.loadbalancer.yaml"
    found = refusal({**SMALL, path: "kind: IPAllocation\nstatus: {}\n"}, CLAIM)
    assert found.reason == "pool-frozen"
    assert found.message == f"pool edge is blocked because {path} cannot be read"
    assert found.hint == f"fix {path}; to see its changes: git log -p -- {path}"


def test_a_record_that_no_longer_answers_an_explicit_size_is_stale() -> None:
    files = reconciled({**SMALL, "tenants/more.yaml": request("more", count=2)})
    files["tenants/more.yaml"] = request("more", count=4)
    found = refusal(files, "butler-system/more (request)")
    path = "allocations/NetworkPool/butler-system.edge/butler-system/more.request.yaml"
    assert found.reason == "record-stale"
    assert found.message == (
        f"record {path} holds 10.40.0.8-10.40.0.9 in pool edge; the claim now asks for 4 addresses"
    )
    assert found.hint == (
        "restore the previous claim, or first merge an Override of kind move for"
        " butler/IPAllocation/butler-system/more/request"
    )


def test_a_frozen_pool_is_not_passed_over_for_the_next() -> None:
    path = "allocations/NetworkPool/butler-system.edge/team-z/old.loadbalancer.yaml"
    files = {
        **SMALL,
        path: "kind: IPAllocation\nstatus: {}\n",
        "pools/second.yaml": pool("second", "10.41.0.0/28"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: second}]"),
    }
    assert outcome(files)[CLAIM] == "refuse pool-frozen"
    files["providers/default.yaml"] = provider(pools="[{name: second}, {name: edge}]")
    assert outcome(files)[CLAIM] == "allocate 10.41.0.0-10.41.0.7 of second"


def test_a_refused_claim_is_granted_once_there_is_room() -> None:
    files = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    path = "allocations/_unplaced/team-a/one.loadbalancer.yaml"
    assert path in files
    files = reconciled({**files, "pools/edge.yaml": pool()})
    assert path not in files
    assert outcome(files)[CLAIM] == "keep 10.40.0.0-10.40.0.7 of edge"


def test_a_failed_record_whose_claim_is_gone_expires() -> None:
    files = reconciled({**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")})
    assert outcome(without(files, "tenants/one.yaml")) == {CLAIM: "expire"}
