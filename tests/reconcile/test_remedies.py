"""Remedies of a refusal: each was tried, and the one that disturbs least comes first."""

from collections.abc import Mapping

import pytest

from reconciler.families.butler.kinds import pool_key
from reconciler.history.runs import freeing
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.remedies import remedies
from tests.families.plain import examples as plain
from tests.moving import KEY, LEAVING, moved
from tests.planning.outcome import without
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

LATE = "butler/TenantCluster/team-a/late/loadbalancer"
FULL: Mapping[str, str] = {
    **SMALL,
    "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
    "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 6}"),
    "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 6}"),
}
WANTS = {"tenants/late.yaml": tenant("late", networking="{lbPoolSize: 6} # six")}
FAR = {"pools/far.yaml": pool("far", "10.50.0.0/24")}


def refused(files: Mapping[str, str], late: Mapping[str, str] = WANTS) -> dict[str, str | bytes]:
    return {**reconciled(files), **late}


def key_of(text: str) -> Key:
    key = Key.parse(text)
    assert key is not None
    return key


def found(files: Mapping[str, str | bytes], key: str = LATE) -> list[tuple[str, str]]:
    evaluation = evaluation_of(files)
    return [(it.says, it.change.path) for it in remedies(evaluation, key_of(key))]


def carried_out(files: Mapping[str, str | bytes], number: int, key: str = LATE) -> Evaluation:
    change = remedies(evaluation_of(files), key_of(key))[number].change
    assert change.data is not None
    return evaluation_of({**files, change.path: change.data})


def test_the_claim_itself_comes_first_then_its_pool_then_another_pool() -> None:
    files = refused({**FULL, **FAR})
    assert found(files) == [
        ("ask for 3 instead of 6, the largest size that fits", "tenants/late.yaml"),
        (
            "widen edge from 10.40.0.0/28 to 10.40.0.0/27, if the network team agrees",
            "pools/edge.yaml",
        ),
        ("add far to the poolRefs of ProviderConfig default", "providers/default.yaml"),
    ]
    for number in range(3):
        decided = {it.claim: it for it in carried_out(files, number).plan.decisions}
        assert isinstance(decided[key_of(LATE)], Grant)


def test_a_pool_is_not_widened_over_what_stands_there() -> None:
    beside = {"pools/beside.yaml": pool("beside", "10.40.0.16/30")}
    assert not any("widen" in says for says, _ in found(refused({**FULL, **beside})))
    inside = {"tenants/two.yaml": tenant(
        "two", networking="{lbPoolSize: 6, podCIDR: 10.40.0.16/28, serviceCIDR: 10.96.0.0/12}"
    )}  # fmt: skip
    assert not any("widen" in says for says, _ in found(refused({**FULL, **inside})))


def test_what_a_pool_leaves_out_on_purpose_stays_left_out() -> None:
    window = "{start: 10.40.0.0, end: 10.40.0.11}"
    files = {**FULL, "pools/edge.yaml": pool(cidr="10.40.0.0/28", tenantAllocation=window)}
    assert found(refused(files)) == []
    ranges = "{ranges: [{start: 10.40.0.0, end: 10.40.0.11}]}"
    files = {**FULL, "pools/edge.yaml": pool(cidr="10.40.0.0/28", tenantAllocation=ranges)}
    after = carried_out(refused(files), 0)
    assert [
        item.first & 255 for item in after.state.pools[pool_key("butler-system", "edge")].windows
    ] == [0, 16]


def test_a_quota_is_met_by_a_smaller_size_alone() -> None:
    quota = provider(quotaPerTenant="{maxLoadBalancerIPs: 5}")
    files = {**SMALL, "providers/default.yaml": quota, **FAR, **WANTS}
    assert found(files) == [
        ("ask for 5 instead of 6, the largest size that fits", "tenants/late.yaml")
    ]


def test_a_claim_that_is_not_refused_or_not_for_lack_of_room_has_none() -> None:
    files = refused(FULL)
    assert found(files, LATE.replace("late", "one")) == []
    assert found(files, LATE.replace("late", "nobody")) == []
    gone = without(refused(FULL), "pools/edge.yaml")
    assert found(gone) == []


def test_addresses_that_a_move_has_left_wait_for_no_clock() -> None:
    wants = {
        "providers/default.yaml": provider(),
        "tenants/late.yaml": tenant("late", networking="{lbPoolSize: 249}"),
    }
    evaluation = evaluation_of({**moved(LEAVING, KEY), **wants})
    (told,) = freeing(evaluation, evaluation.state.claims[key_of(LATE)])
    assert told.startswith("free 8 addresses that claims have left")


def test_no_wait_is_told_that_makes_no_run_long_enough() -> None:
    held = reconciled(without(reconciled(FULL), "tenants/one.yaml"))
    other = {
        "pools/far.yaml": pool("far", "10.50.0.0/29"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
        "tenants/gone.yaml": tenant("gone", networking="{lbPoolSize: 8}"),
    }
    held = reconciled(without(reconciled({**held, **other}), "tenants/gone.yaml"))
    for size, says in ((8, True), (9, False), (10, False), (14, False), (20, False)):
        wants = {"tenants/late.yaml": tenant("late", networking=f"{{lbPoolSize: {size}}}")}
        evaluation = evaluation_of({**held, **wants})
        told = freeing(evaluation, evaluation.state.claims[key_of(LATE)])
        assert [it.partition(" ")[0] for it in told] == ["wait:"] * says, (size, told)


def test_a_pin_waits_for_the_record_that_holds_it() -> None:
    files = reconciled(without(reconciled(FULL), "tenants/two.yaml"))
    pin = "{startAddress: 10.40.0.8, endAddress: 10.40.0.9}"
    asks = {**files, "tenants/p.yaml": request("p", pinnedRange=pin)}
    evaluation = evaluation_of(asks)
    key = key_of("butler/IPAllocation/butler-system/p/request")
    (told,) = freeing(evaluation, evaluation.state.claims[key])
    assert told.endswith(
        "two.loadbalancer.yaml is reserved until 2026-02-16T10:00:30Z; then 2 are free"
    )


@pytest.mark.parametrize(
    ("tree", "key", "says", "fixed"),
    [
        (
            plain.files(claims=plain.claim(count=300)),
            "plain/AddressClaim/team-db/db-1/ipv4",
            "ask for 241 instead of 300, the largest size that fits",
            "count: 241",
        ),
        (
            {
                **reconciled(plain.files(plain.cluster(plain.entry(count=8)))),
                "clusters/prod-1.yaml": plain.cluster(plain.entry(count=260)),
            },
            "plain/ClusterTarget/_/prod-1/internal.ipv4.2",
            "ask for 241 instead of 260, the largest size that fits",
            "count: 241",
        ),
        (
            {
                **reconciled(plain.files(plain.cluster(plain.entry(count=250)))),
                "clusters/prod-1.yaml": plain.cluster(plain.entry(count=270)),
            },
            "plain/ClusterTarget/_/prod-1/internal.ipv4.2",
            "ask for 254 instead of 270, the largest size that fits",  # each size exceeds the limit
            "count: 254",
        ),
    ],
)
def test_a_request_of_our_own_kinds_can_ask_for_less(
    tree: dict[str, str | bytes], key: str, says: str, fixed: str
) -> None:
    (first, *_) = remedies(evaluation_of(tree), key_of(key))
    assert first.says == says
    assert fixed in (first.change.data or b"").decode()


def test_a_prefix_and_a_pin_have_no_smaller_size() -> None:
    for size in ({"prefixLength": 23}, {"addresses": "[10.23.0.1]"}):
        tree = plain.files(claims=plain.claim(**size))
        found = remedies(evaluation_of(tree), key_of("plain/AddressClaim/team-db/db-1/ipv4"))
        assert [it for it in found if "ask for" in it.says] == []
