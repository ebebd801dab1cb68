"""Pinned requests that replace the claim of their tenant, with any name, and additional ones."""

import pytest

from reconciler.documents.findings import Severity
from reconciler.families.demand import DEMAND
from reconciler.planning.documents import path_of
from tests.memory import evaluation_after
from tests.planning.outcome import Files, codes, outcome, without
from tests.planning.test_renaming import formerly
from tests.world import (
    CLOCK,
    SMALL,
    evaluation_of,
    pool,
    raw,
    reconciled,
    request,
    settings_text,
    tenant,
)

LB = "team-a/one (loadbalancer)"
OWN, MORE = "butler-system/old (request)", "butler-system/more (request)"
TENANT = "tenants/one.yaml"
GRANTED = "allocate 10.40.0.100-10.40.0.103 of edge"


def pinned(name: str = "old", first: int = 100, last: int = 103, kind: str = "loadbalancer") -> str:
    span = f"{{startAddress: 10.40.0.{first}, endAddress: 10.40.0.{last}}}"
    return of_one(name, kind, pinnedRange=span)


def of_one(name: str, kind: str = "loadbalancer", **spec: object) -> str:
    text = request(name, "edge", **spec).replace("type: nodes", f"type: {kind}")
    return text.replace(f"Ref: {{name: {name}, n", "Ref: {name: one, n")


def with_requests(*texts: str) -> dict[str, str]:
    return {**SMALL, **{f"tenants/r{at}.yaml": text for at, text in enumerate(texts)}}


def sized(size: int) -> dict[str, str]:
    return {TENANT: tenant("one", networking=f"{{lbPoolSize: {size}}}")}


def describe(files: Files) -> list[tuple[str, str]]:
    return [(it.code, it.message) for it in evaluation_of(files).findings]


def test_the_only_pin_of_a_tenant_is_its_own_claim_whatever_its_name() -> None:
    files = with_requests(pinned())
    assert outcome(files) == {OWN: GRANTED}
    ((code, message),) = describe(files)
    assert code == "pin-stands-for-claim"
    assert message == (
        "pin 10.40.0.100-10.40.0.103 is used as the loadbalancer range of TenantCluster team-a/one"
    )


def test_a_tenant_that_states_another_size_gets_that_beside_the_pin_and_is_told() -> None:
    files = {**with_requests(pinned()), **sized(16)}
    assert outcome(files) == {OWN: GRANTED, LB: "allocate 10.40.0.0-10.40.0.15 of edge"}
    assert describe(files) == [
        (
            "request-beside-claim",
            "TenantCluster team-a/one gets 16 loadbalancer addresses in addition to the 4 of IPAllocation butler-system/old",
        )
    ]
    assert evaluation_of(reconciled(files)).changes == ()


def test_what_was_refused_of_its_own_is_not_stood_for_afterwards() -> None:
    files = {**with_requests(pinned()), **sized(200)}
    assert outcome(files)[LB] == "refuse pool-fragmented"
    assert outcome(reconciled(files))[LB] == "refuse pool-fragmented"
    assert evaluation_of(reconciled(files)).changes == ()


def test_of_several_pins_the_first_by_its_start_is_the_own_claim_and_the_rest_are_additional() -> (
    None
):
    files = with_requests(pinned("more", 120, 123), pinned())
    assert outcome(files) == {OWN: GRANTED, MORE: "allocate 10.40.0.120-10.40.0.123 of edge"}
    ((code, message),) = describe(files)
    assert code == "pin-stands-for-claim"
    assert message.startswith("pin 10.40.0.100-10.40.0.103 is used")
    assert message.endswith("; IPAllocation butler-system/more is additional")


def test_a_pin_that_stands_goes_on_standing_when_one_with_a_lower_start_comes() -> None:
    files: dict[str, str | bytes] = {**reconciled(with_requests(pinned())), **sized(12)}
    files = reconciled(files)
    files["tenants/low.yaml"] = pinned("more", 90, 91)
    files = reconciled(files, CLOCK + 1)
    assert {key: it.partition(" ")[0] for key, it in outcome(files, CLOCK + 1).items()} == {
        OWN: "keep", MORE: "keep", "team-a/one (loadbalancer-1)": "keep",
    }  # fmt: skip


def test_a_pin_that_became_the_own_claim_is_grown_when_the_tenant_states_more() -> None:
    files = {**reconciled(with_requests(pinned())), **sized(12)}
    assert outcome(files) == {
        OWN: "keep 10.40.0.100-10.40.0.103 of edge",
        "team-a/one (loadbalancer-1)": "allocate 10.40.0.104-10.40.0.111 of edge",
    }


def test_a_request_without_pin_is_additional_and_that_is_said_once() -> None:
    files = with_requests(of_one("old", count=4), of_one("more", count=2))
    found = outcome(files)
    assert set(found) == {LB, OWN, MORE}
    ((code, message),) = describe(files)
    assert code == "request-beside-claim"
    assert "gets 8 loadbalancer addresses in addition to the 6 of" in message
    assert describe(reconciled(files)) == []


def test_a_request_by_the_name_of_a_tenant_that_was_renamed_says_how_it_stays_its_own_claim() -> (
    None
):
    """Its reference follows the rename, its name does not: the tenant would get a second range."""
    held = reconciled(with_requests(of_one("team-a-one-lb", count=4)))
    files = {
        **without(held, TENANT),
        "tenants/uno.yaml": formerly(tenant("uno"), "team-a/one"),
        "tenants/r0.yaml": of_one("team-a-one-lb", count=4).replace("{name: one,", "{name: uno,"),
    }
    (found,) = [it for it in evaluation_of(files).findings if it.code == "request-beside-claim"]
    assert found.severity is Severity.WARNING
    assert found.hint.startswith("to hold only these, name the request team-a-uno-lb, and add ")
    text = formerly(raw(files["tenants/r0.yaml"]).decode(), "butler-system/team-a-one-lb")
    files["tenants/r0.yaml"] = text.replace("{name: team-a-one-lb,", "{name: team-a-uno-lb,")
    assert outcome(files) == {
        "butler-system/team-a-uno-lb (request)": "transfer 10.40.0.0-10.40.0.3 of edge"
    }
    assert "request-beside-claim" not in dict(describe(files))


def test_a_pin_of_nodes_stands_for_nodes_and_is_topped_up() -> None:
    nodes = pool(tenantAllocation="{defaults: {nodesPerTenant: 2}}")
    files = {**with_requests(pinned(kind="nodes")), "pools/edge.yaml": nodes}
    assert set(outcome(files)) == {LB, OWN}
    many = {TENANT: tenant("one").replace("replicas: 1", "replicas: 6")}
    assert outcome({**files, **many})["team-a/one (nodes-1)"].startswith("allocate")


def test_the_record_of_a_tenant_is_never_attributed_anew() -> None:
    files = {**reconciled(SMALL), "tenants/old.yaml": pinned()}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge", OWN: GRANTED}
    assert describe(files) == []


def test_a_pin_in_another_namespace_stands_for_nobody() -> None:
    near = {"pools/near.yaml": pool("edge", "10.40.0.0/24", "team-a")}
    text = pinned().replace("namespace: butler-system", "namespace: team-a")
    found = outcome({**with_requests(text), **near})
    assert found[LB].startswith("allocate")
    assert found["team-a/old (request)"].startswith("allocate")


def test_an_object_that_was_seen_in_a_cluster_stands_for_nobody() -> None:
    identity = ("butler.butlerlabs.dev", "IPAllocation", "butler-system", "old")
    settings = settings_text("{intake: [IPAllocation.butler.butlerlabs.dev]}")
    files = {**SMALL, "ipam.yaml": settings, path_of("observed", identity): pinned()}
    assert outcome(files)[LB].startswith("allocate")
    assert DEMAND.name not in outcome(files)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("{name: edge}", "{name: egde}", "pool-not-found"),
        ("10.40.0.10", "10.41.0.10", "pin-outside-pool"),
    ],
)
def test_a_pin_that_is_refused_leaves_its_tenant_without_another_range(
    old: str, new: str, reason: str
) -> None:
    files = with_requests(pinned().replace(old, new))
    assert outcome(files) == {OWN: f"refuse {reason}"}
    assert "pin-stands-for-claim" not in {code for code, _ in describe(files)}


def test_a_pin_beside_another_range_of_before_is_additional_and_that_is_said_once() -> None:
    networking = "{loadBalancerPool: {start: 10.40.0.50, end: 10.40.0.53}}"
    before = {**SMALL, TENANT: tenant("one", networking=networking)}
    for files in (
        {**before, "tenants/r.yaml": pinned()},
        {**reconciled(before), "tenants/r.yaml": pinned()},
    ):
        assert outcome(files)[OWN] == GRANTED
        assert describe(files) == [
            (
                "request-beside-claim",
                "TenantCluster team-a/one gets 4 loadbalancer addresses in addition to the 4 of IPAllocation butler-system/old; its loadBalancerPool is 10.40.0.50-10.40.0.53",
            )
        ]
        assert describe(reconciled(files)) == []


TYPOS = [
    ("a range that ends before it begins", "10.40.0.103}", "10.40.0.99}"),
    ("an address that is none", "10.40.0.103}", "10.40.0.1O3}"),
    ("the field of the range", "pinnedRange", "pinedRange"),
    ("the field of the tenant", "tenantClusterRef", "tenantClusterReff"),
    ("the field of the pool", "poolRef", "poolRefs"),
    ("the type", "type: loadbalancer", "type: loadbalancers"),
    ("the kind", "kind: IPAllocation", "kind: IPAlocation"),
    ("YAML", "spec:\n", "spec: [\n"),
]


@pytest.mark.parametrize(("old", "new"), [it[1:] for it in TYPOS], ids=[it[0] for it in TYPOS])
def test_a_mistake_in_a_request_gives_its_tenant_no_second_range(old: str, new: str) -> None:
    right = with_requests(pinned())
    assert old in pinned()
    wrong = {**right, "tenants/r0.yaml": pinned().replace(old, new)}
    wrong["tenants/two.yaml"] = tenant("two")
    found = outcome(wrong)
    assert found[LB] == "refuse pool-frozen"
    assert found["team-a/two (loadbalancer)"].startswith("allocate")
    assert "error" in {severity for severity, _ in codes(wrong)}
    after = evaluation_after([right], wrong)
    assert LB not in {item.claim.short for item in after.plan.decisions}


@pytest.mark.parametrize(("old", "new"), [it[1:] for it in TYPOS], ids=[it[0] for it in TYPOS])
def test_a_mistake_in_a_request_that_holds_its_range_gives_no_second_one(
    old: str, new: str
) -> None:
    right = reconciled(with_requests(pinned()))
    wrong = {**right, "tenants/r0.yaml": pinned().replace(old, new)}
    for evaluation in (evaluation_of(wrong), evaluation_after([right], wrong)):
        given = [it for it in evaluation.changes if it.data and b"phase: Allocated" in it.data]
        assert given == []
        assert all(it.data is not None for it in evaluation.changes)
