"""Growth that clusters gave back: it rests for a time of its own, and is no loss."""

from collections.abc import Sequence

import pytest

from reconciler.engine.guard import given_back, most_going
from reconciler.evaluate import evaluate
from reconciler.model.allocation import Allocation
from reconciler.model.plan import Plan, Release
from reconciler.model.state import State
from tests.clusters.elastic.building import EDGE, record
from tests.world import CLOCK, SMALL, pool, reconciled, tenant, tree_of

OWNERS = frozenset({("butler", "TenantCluster", "team-a", "one")})
HOUR = 3_600


def state(records: Sequence[Allocation], growth_retention: int = 0) -> State:
    return State({}, {}, tuple(records), CLOCK, 24 * HOUR, growth_retention=growth_retention)


def test_growth_rests_for_the_time_of_growth_and_others_for_theirs() -> None:
    both = state([], growth_retention=60)
    grown, first = record(1, "10.0.0.8-10.0.0.8"), record(0, "10.0.0.0-10.0.0.1")
    assert (both.retention_of(grown), both.retention_of(first)) == (60, 24 * HOUR)
    nodes = grown._replace(type="nodes")
    assert both.retention_of(nodes) == 24 * HOUR


@pytest.mark.parametrize(
    ("count", "goes", "is_no_loss"), [(8, 2, True), (8, 3, False), (1, 1, True), (3, 2, False)]
)
def test_a_quarter_of_the_growth_of_a_pool_is_given_back_and_more_is_a_loss(
    count: int, goes: int, is_no_loss: bool
) -> None:
    records = [record(at, f"10.0.1.{at}-10.0.1.{at}") for at in range(1, count + 1)]
    plan = Plan(tuple(Release(it) for it in records[:goes]), {}, {})
    found = given_back(plan, state(records), OWNERS)
    assert bool(found) is is_no_loss
    assert found in (frozenset(), frozenset(it.claim for it in records[:goes]))


def test_growth_of_one_who_is_gone_is_a_loss_and_so_is_what_is_no_growth() -> None:
    grown, first = record(1, "10.0.0.8-10.0.0.8"), record(0, "10.0.0.0-10.0.0.1")
    plan = Plan((Release(grown), Release(first)), {}, {})
    assert given_back(plan, state([grown, first]), frozenset()) == frozenset()
    assert given_back(plan, state([grown, first]), OWNERS) == {grown.claim}
    assert grown.pool == EDGE


def test_at_least_one_record_may_go() -> None:
    assert [most_going(count) for count in (0, 1, 7, 8, 100)] == [1, 1, 1, 2, 25]


def test_the_first_addresses_of_a_tenant_that_goes_rest_as_before() -> None:
    files = {**SMALL, "pools/edge.yaml": pool("edge", "10.0.0.0/24"), "tenants/b.yaml": tenant("b")}
    done = reconciled(files)
    del done["tenants/b.yaml"]
    gone = evaluate(tree_of(done))
    assert gone.state.growth_retention == 0
    (release,) = [it for it in gone.plan.decisions if isinstance(it, Release)]
    assert gone.state.retention_of(release.allocation) == 24 * HOUR
