"""Ranges in use without a record: valid locations, overlaps, and sizes."""

import pytest

from tests.memory import evaluation_after
from tests.planning.outcome import Files, codes, outcome, refusal, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, request, tenant

CLOUD = provider("cloud", "[]").replace("mode: ipam", "mode: cloud")
OLD = "team-a/old (loadBalancerPool)"


def by_hand(name: str, start: str, end: str, provider_name: str = "default") -> str:
    return tenant(
        name,
        providerConfigRef=f"{{name: {provider_name}}}",
        networking=f"{{loadBalancerPool: {{start: '{start}', end: '{end}'}}}}",
    )


def world(start: str, end: str, provider_name: str = "default") -> dict[str, str]:
    """Return a tenant with a manual range, a provider with a pool, and one without."""
    own = by_hand("old", start, end, provider_name)
    return {**SMALL, "providers/cloud.yaml": CLOUD, "tenants/old.yaml": own}


def said(files: Files) -> list[str]:
    return [it.message for it in evaluation_of(files).findings if it.code == "manual-range"]


def spaced(name: str, cidr: str = "10.40.0.0/24", space: str = "lab") -> str:
    text = f"system, annotations: {{gitops-ipam.dev/address-space: {space}}}}}"
    return pool(name, cidr).replace("system}", text)


def test_a_range_that_a_pool_of_the_provider_gives_out_is_right() -> None:
    assert codes(world("10.40.0.100", "10.40.0.109")) == []
    both = provider(pools="[{name: edge}, {name: more}]")
    files = world("10.41.0.100", "10.41.0.109")
    more = {"pools/more.yaml": pool("more", "10.41.0.0/24"), "providers/default.yaml": both}
    assert codes({**files, **more}) == []


@pytest.mark.parametrize(
    ("start", "end"),
    [("10.40.0.250", "10.40.1.3"), ("10.0.0.0", "10.255.255.255"), ("fd00::1", "fd00::9")],
)
def test_a_range_outside_the_pools_of_the_provider_is_an_error(start: str, end: str) -> None:
    assert said(world(start, end)) == [
        f"{start}-{end} of {OLD} is not in the allocatable addresses of pool edge"
    ]


@pytest.mark.parametrize(
    ("reserved", "told"),
    [
        ("[{cidr: 10.40.0.100/32}]", "10.40.0.100"),
        ("[{cidr: 10.40.0.100/32}, {cidr: 10.40.0.102/32}, {cidr: 10.40.0.104/32}, {cidr: 10.40.0.106/32}]",
         "10.40.0.100, 10.40.0.102, 10.40.0.104, and 1 more range"),
    ],
)  # fmt: skip
def test_what_a_pool_reserves_is_nobodys(reserved: str, told: str) -> None:
    files = {**world("10.40.0.98", "10.40.0.109"), "pools/edge.yaml": pool(reserved=reserved)}
    assert said(files) == [
        f"10.40.0.98-10.40.0.109 of {OLD} contains {told}, which pool edge reserves"
    ]


def test_the_gateway_of_another_provider_on_the_same_network_is_nobodys() -> None:
    lab = provider("lab", "[{name: lab}]", gateway="10.40.0.100")
    files = {**world("10.40.0.98", "10.40.0.109"), "providers/lab.yaml": lab}
    there = {**files, "pools/lab.yaml": pool("lab", "10.50.0.0/24")}
    assert said(there) == [
        f"10.40.0.98-10.40.0.109 of {OLD} contains 10.40.0.100, butler-system/lab (gateway) at providers/lab.yaml:9"
    ]
    assert said({**files, "pools/lab.yaml": spaced("lab")}) == []


def test_the_gateway_of_a_provider_that_names_no_pool_is_nobodys() -> None:
    router = CLOUD.replace("cloud}", "other}") + "    gateway: 10.77.0.1\n"
    files = {**world("10.77.0.0", "10.77.0.9", "cloud"), "providers/other.yaml": router}
    (message,) = said(files)
    assert (
        "team-a/old (loadBalancerPool) contains 10.77.0.1, butler-system/other (gateway)" in message
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [("10.77.0.0", "10.77.0.9"), ("192.168.3.0", "192.168.3.0"), ("fd12::1", "fd12::9")],
)
def test_without_pools_a_private_range_outside_of_all_pools_is_right(start: str, end: str) -> None:
    assert codes(world(start, end, "cloud")) == []


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("127.0.0.1", "127.0.0.9", "overlaps loopback 127.0.0.0/8"),
        ("0.0.0.0", "255.255.255.255", "overlaps this network 0.0.0.0/8"),
        ("::1", "::1", "overlaps loopback ::1 and unspecified ::"),
        ("172.15.255.255", "172.16.0.0", "is not a private range"),
        ("2001:db8::1", "2001:db8::9", "is not a private range"),
        ("10.40.0.100", "10.40.0.109",
         "is in NetworkPool edge (pools/edge.yaml:5), which its provider does not name"),
    ],
)  # fmt: skip
def test_without_pools_no_other_range_is_right(start: str, end: str, told: str) -> None:
    held = start if start == end else f"{start}-{end}"
    assert said(world(start, end, "cloud")) == [f"{held} of {OLD} {told}"]


def test_a_pool_of_any_address_space_is_out_of_bounds_without_pools() -> None:
    files = {**world("10.77.0.0", "10.77.0.9", "cloud"), "pools/lab.yaml": spaced("lab", "10.77.0.0/16")}  # fmt: skip
    (message,) = said(files)
    assert "(loadBalancerPool) is in NetworkPool lab" in message


def test_where_the_provider_cannot_be_told_nothing_is_said_of_the_place() -> None:
    assert codes(world("10.77.0.0", "10.77.0.9", "none")) == [("error", "reference-not-found")]
    missing = {**world("10.77.0.0", "10.77.0.9"), "providers/default.yaml": provider(pools="[{name: none}]")}  # fmt: skip
    assert said(missing) == []
    broken = {**world("10.77.0.0", "10.77.0.9"), "pools/edge.yaml": pool(cidr="10.40.0.1/24")}
    assert said(broken) == []
    two = provider(pools="[{name: edge}, {name: b}]")
    one = {**world("10.77.0.0", "10.77.0.9"), "providers/default.yaml": two}
    assert said({**one, "pools/b.yaml": pool("b", "10.40.0.1/24")}) == []


def test_a_range_of_a_document_that_counts_as_it_was_is_judged_by_others_alone() -> None:
    files = world("10.77.0.0", "10.77.0.9")
    wrong = {**files, "tenants/old.yaml": f"{files['tenants/old.yaml']}  teamRef: three\n"}
    found = evaluation_after([files], wrong).findings
    assert [item.code for item in found if item.code == "manual-range"] == []


def test_two_ranges_that_share_an_address_are_both_told() -> None:
    files = {
        **world("10.40.0.100", "10.40.0.109"),
        "tenants/thief.yaml": by_hand("thief", "10.40.0.109", "10.40.0.120"),
    }
    assert said(files) == [
        f"10.40.0.100-10.40.0.109 of {OLD} overlaps 10.40.0.109-10.40.0.120 of"
        " team-a/thief (loadBalancerPool) at tenants/thief.yaml:7",
        "10.40.0.109-10.40.0.120 of team-a/thief (loadBalancerPool) overlaps"
        f" 10.40.0.100-10.40.0.109 of {OLD} at tenants/old.yaml:7",
    ]


def test_ranges_of_two_address_spaces_do_not_meet() -> None:
    files = {
        **world("10.40.0.100", "10.40.0.109"),
        "pools/lab.yaml": spaced("lab"),
        "providers/lab.yaml": provider("lab", "[{name: lab}]"),
        "tenants/lab.yaml": by_hand("lab", "10.40.0.100", "10.40.0.109", "lab"),
    }
    assert said(files) == []
    anywhere = {**files, "tenants/any.yaml": by_hand("any", "10.40.0.105", "10.40.0.105", "none")}
    assert len(said(anywhere)) == 3


def test_the_record_of_another_tenant_is_told_once() -> None:
    two = {**SMALL, "tenants/two.yaml": tenant("two"), "tenants/three.yaml": tenant("three")}
    files = {**reconciled(two), "tenants/old.yaml": by_hand("old", "10.40.0.4", "10.40.0.19")}
    (message,) = said(files)
    assert message.endswith("one.loadbalancer.yaml")


LIMIT = {"providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 10}")}
CLAIM = "team-a/old (loadbalancer)"


def test_a_range_counts_towards_the_quota() -> None:
    files = {**world("10.40.0.100", "10.40.0.109"), **LIMIT}
    assert codes(files) == []
    assert outcome(files)[CLAIM] == "allocate 10.40.0.100-10.40.0.109 of edge"
    assert codes(reconciled(files)) == []
    more = {**files, "tenants/old.yaml": files["tenants/old.yaml"].replace("{load", "{lbPoolSize: 11, load")}  # fmt: skip
    for stage in (more, {**reconciled(files), **more}):
        found = refusal(stage, "team-a/old (loadbalancer-1)")
        assert (found.reason, found.message) == (
            "quota-exceeded", "would bring team-a/old to 11 loadbalancer addresses, more than its quota of 10",
        )  # fmt: skip


def test_a_range_that_alone_is_over_the_quota_is_an_error() -> None:
    assert said({**world("10.40.0.100", "10.40.0.110"), **LIMIT}) == [
        f"10.40.0.100-10.40.0.110 of {OLD} brings its owner to 11 addresses, more than its quota of 10"
    ]
    cloud = CLOUD + "    quotaPerTenant: {maxLoadBalancerIPs: 4}\n"
    files = {**world("10.77.0.0", "10.77.0.9", "cloud"), "providers/cloud.yaml": cloud}
    assert len(said(files)) == 1


def test_what_a_pin_gives_a_record_counts_once() -> None:
    pin = request(
        "team-a-old-lb", pinnedRange="{startAddress: 10.40.0.100, endAddress: 10.40.0.109}"
    )
    pin = pin.replace("Ref: {name: team-a-old-lb, n", "Ref: {name: old, n")
    pin = pin.replace("type: nodes", "type: loadbalancer")
    files = {**world("10.40.0.100", "10.40.0.109"), **LIMIT, "tenants/pin.yaml": pin}
    after = reconciled(files)
    assert outcome(after)["butler-system/team-a-old-lb (request)"].startswith("keep ")
    assert codes(after) == []


def test_a_record_that_the_plan_removes_is_in_nobodys_way_and_one_that_is_held_is() -> None:
    gone = without(reconciled(SMALL), "tenants/one.yaml")
    old = {"tenants/old.yaml": by_hand("old", "10.40.0.0", "10.40.0.7")}
    for files in ({**gone, **old}, {**reconciled(gone), **old}):
        (told,) = said(files)
        assert "overlaps 10.40.0.0-10.40.0.7 of allocations/" in told
    late = {**reconciled(gone), **old}
    evaluation = evaluation_of(late, CLOCK + 86_400)
    assert [it for it in evaluation.findings if it.code == "manual-range"] == []
    assert outcome(late, CLOCK + 86_400)["team-a/one (loadbalancer)"].startswith("expire")
    assert codes(reconciled(late, CLOCK + 86_400), CLOCK + 86_400) == []


def test_a_pin_that_a_range_by_hand_takes_names_its_holder_once_and_both_files() -> None:
    pin = "{startAddress: 10.40.0.32, endAddress: 10.40.0.39}"
    old = {"tenants/old.yaml": by_hand("old", "10.40.0.32", "10.40.0.39")}
    files = {**SMALL, **old, "tenants/pin.yaml": request("pin", pinnedRange=pin)}
    found = refusal(files, "butler-system/pin (request)")
    assert found.source.path == "tenants/pin.yaml"
    assert (
        found.message
        == "pinned range 10.40.0.32-10.40.0.39 is already held by team-a/old (loadbalancer)"
    )
    assert found.hint.startswith(
        "pin a free range (ipam find lists some), or first remove the range from tenants/old.yaml:7"
    )
