"""A claim with two released records: the one that was released last is its current one."""

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.documents.findings import Location
from reconciler.model.claim import Claim, Owner, Phase
from reconciler.model.plan import Grant, State
from reconciler.model.pool import Placement, Pool, Thresholds
from reconciler.planning.planner import plan
from reconciler.records.changes import changes
from tests.planning.outcome import outcome, without
from tests.properties.strategies import FOLDER, RETENTION, claim_key, committed, pool_key, record
from tests.world import CLOCK, pool, provider, raw, reconciled, tenant

BASE = 10 << 24


def state(pin: IPRange | None) -> State:
    """A claim with two released records: one whose time is over, one later."""
    window = IPRange(4, BASE, BASE + 15)
    usable = IPSet((window,))
    key, pool = claim_key("bee"), pool_key("p")
    older = record(key, pool, IPRange(4, BASE, BASE + 1), Phase.RELEASED, RETENTION)
    newer = record(key, pool, IPRange(4, BASE + 4, BASE + 5), Phase.RELEASED, 0)
    place = Location("tenants/bee.yaml", 1, 1)
    return State(
        pools={
            pool: Pool(
                pool, usable, (window,), usable - usable, Placement.BEST_FIT, Thresholds(), None,
                "default", usable, place,
            )
        },
        claims={
            key: Claim(
                key, (pool,), ("p",), pin.size if pin else 2, pin, pin is not None,
                Owner("team-a", "bee", "team-a"), "loadbalancer", "initial", "team-a-bee-lb",
                "butler-system", place,
            )
        },
        records=(older, replace(newer, path=f"{FOLDER}/z/0.yaml")),
        clock=CLOCK,
        retention=RETENTION,
    )  # fmt: skip


def test_the_claim_takes_back_what_was_released_last() -> None:
    (granted,) = (item for item in plan(state(None)).decisions if isinstance(item, Grant))
    assert granted.allocation.range == IPRange(4, BASE + 4, BASE + 5)


def test_what_it_wants_else_waits_without_a_failure_that_comes_and_goes() -> None:
    first = state(IPRange(4, BASE + 8, BASE + 9))
    after = committed(first, plan(first))
    assert [item.path for item in after.records] == [f"{FOLDER}/z/0.yaml"]
    assert changes(plan(after), after, FOLDER) == ()


RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.nodes.yaml"
TENANT = tenant("one").replace("replicas: 1", "replicas: 10")


def with_two_released() -> dict[str, str | bytes]:
    """A tenant that wants ten nodes, and two released records of it: five, then ten later."""
    pools = {
        "pools/edge.yaml": pool(tenantAllocation="{defaults: {nodesPerTenant: 5}}"),
        "pools/wide.yaml": pool("wide", "10.41.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: wide}]"),
    }
    small = reconciled({**pools, "tenants/one.yaml": TENANT.replace("replicas: 10", "replicas: 5")})
    small = reconciled(without(small, "tenants/one.yaml"), CLOCK)
    large = reconciled({**pools, "tenants/one.yaml": TENANT})
    large = reconciled(without(large, "tenants/one.yaml"), CLOCK + 60)
    text = raw(large[RECORD]).decode().replace("edge", "wide").replace("10.40.0.", "10.41.0.")
    return {**pools, RECORD: small[RECORD], RECORD.replace("edge", "wide"): text}


def test_a_tenant_that_comes_back_grows_from_its_current_record() -> None:
    files = {**with_two_released(), "tenants/one.yaml": TENANT}
    nodes = {claim: text for claim, text in outcome(files, CLOCK + 90).items() if "nodes" in claim}
    assert nodes == {"team-a/one (nodes)": "allocate 10.41.0.0-10.41.0.9 of wide"}


def test_and_its_next_round_releases_nothing() -> None:
    files = reconciled({**with_two_released(), "tenants/one.yaml": TENANT}, CLOCK + 90)
    assert not [text for text in outcome(files, CLOCK + 91).values() if text.startswith("release")]


def test_a_tenant_that_comes_back_larger_gets_the_rest_at_once() -> None:
    larger = TENANT.replace("replicas: 10", "replicas: 12")
    files = {**without(with_two_released(), RECORD), "tenants/one.yaml": larger}
    nodes = {claim: text for claim, text in outcome(files, CLOCK + 90).items() if "nodes" in claim}
    assert nodes == {
        "team-a/one (nodes)": "allocate 10.41.0.0-10.41.0.9 of wide",
        "team-a/one (nodes-1)": "allocate 10.40.0.8-10.40.0.9 of edge",
    }
