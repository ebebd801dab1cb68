"""Forecast of pools: rates, and the number of tenants that fit."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPSet
from reconciler.history.queries import MAX_TENANTS, Past, fitting, median_shapes, outlooks
from reconciler.planning.evaluate import Evaluation
from reconciler.report.text.pools import forecast_text
from reconciler.report.text.table import Painter
from tests.examples import scaled
from tests.families.novaedge import pool as vip_pool
from tests.families.plain.examples import claim, files
from tests.history.leaving import left
from tests.history.pasts import run
from tests.world import CLOCK, SMALL, evaluation_of, reconciled, request, tenant


def test_the_median_tenant_has_all_its_claims_and_growth_is_not_counted() -> None:
    files = {
        **SMALL,
        "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 3}"),
        "tenants/big.yaml": tenant("big", networking="{lbPoolSize: 20}"),
        "tenants/more.yaml": request("one", count=2),
    }
    after = reconciled(files)
    state = evaluation_of(after).state
    (key,) = state.pools
    assert median_shapes(state)[key] == (8, 2)
    del after["tenants/one.yaml"], after["tenants/more.yaml"]
    assert median_shapes(evaluation_of(reconciled(after)).state)[key] == (20,)
    assert key not in median_shapes(evaluation_of(SMALL).state)


def test_tenants_fit_into_runs_and_not_into_a_sum() -> None:
    (edge,) = evaluation_of(SMALL).state.pools.values()
    free = IPSet.of([run(0, 6), run(10, 16), run(30, 45)])
    assert fitting(edge, free, (8,)) == 2
    assert fitting(edge, free, (7, 2)) == 3
    assert fitting(edge, free, ()) == 0
    assert fitting(edge, IPSet(), (1,)) == 0


def test_of_a_pool_without_an_end_so_many_are_enough() -> None:
    evaluation = evaluation_of({"pools/p.yaml": vip_pool(cidrs="[2001:db8::/64]")})
    (key,) = evaluation.state.pools
    six = evaluation.state.pools[key]
    assert fitting(six, six.usable, (1,)) == MAX_TENANTS


def served(world: dict[str, str | bytes], count: int, size: int) -> Evaluation:
    more = {f"tenants/z{at}.yaml": request(f"z{at}", count=size) for at in range(count)}
    return evaluation_of({**world, **more})


@settings(max_examples=scaled(25))
@given(st.lists(st.integers(1, 9), max_size=5), st.sets(st.integers(0, 4)), st.integers(1, 9))
def test_so_many_fit_as_a_plan_gives(sizes: list[int], going: set[int], size: int) -> None:
    files = reconciled(left("10.40.0.0/26", sizes, going))
    evaluation = evaluation_of(files)
    (edge,) = evaluation.state.pools.values()
    taken = IPSet.of(it.range for it in evaluation.state.records if it.range)
    fits = fitting(edge, edge.usable - taken, (size,))
    for count, refused in ((fits, False), (fits + 1, True)):
        plan = served(files, count, size).plan
        assert any(type(it).__name__ == "Refuse" for it in plan.decisions) == refused


def test_a_pool_of_prefixes_tells_how_many_more_fit() -> None:
    claims = f"{claim('one', prefixLength=26)}---\n{claim('two', prefixLength=25)}"
    evaluation = evaluation_of(reconciled(files(claims=claims)))
    past = Past(CLOCK, CLOCK, ())
    found = outlooks(evaluation.state, evaluation.plan.before, past, [*evaluation.state.pools])
    assert "internal: 1 more /26 fits, no /25\n" in forecast_text(past, found, Painter(is_on=False))
