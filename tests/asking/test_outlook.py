"""How long pools will do: plain rates, and tenants that fit into what is free."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.asking.happenings import Happening
from reconciler.asking.outlook import (
    MOST_TENANTS,
    TREND,
    Level,
    Outlook,
    Past,
    Rate,
    fitting,
    levels_of,
    median_shapes,
    outlooks,
)
from reconciler.evaluate import Evaluation
from reconciler.model.instant import DAY
from reconciler.model.pool import Tier
from tests.asking.leaving import left
from tests.asking.pasts import EDGE, fact, happened, run
from tests.examples import scaled
from tests.families.novaedge import pool as vip_pool
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, request, tenant

(GIVEN,) = happened(None, fact())
(EXPIRED,) = happened(fact("Released"), None)
OLD = CLOCK - 400 * DAY


def told(*ago: tuple[int, Happening]) -> tuple[Happening, ...]:
    """What happened so many days ago."""
    return tuple(it._replace(row=it.row._replace(clock=CLOCK - days * DAY)) for days, it in ago)


def outlook(past: Past, files: Mapping[str, str | bytes] = SMALL) -> Outlook:
    evaluation = evaluation_of(reconciled(files))
    (found,) = outlooks(
        evaluation.state, evaluation.plan.before, past, list(evaluation.state.pools)
    )
    return found


def test_a_rate_is_what_changed_in_a_span_and_weeks_go_on_at_it() -> None:
    past = Past(CLOCK, OLD, told((1, GIVEN), (20, GIVEN), (29, EXPIRED), (60, GIVEN), (91, GIVEN)))
    found = outlook(past)
    assert (found.used, found.total) == (8, 256)
    month, quarter = found.rates
    assert (month.change, quarter.change) == (8, 16)
    # 180 warn: 172 more at 8 in 30 days, and at 16 in 90.
    assert [rate.weeks[0] for rate in found.rates] == [92.1, 138.2]


def test_the_trend_is_what_was_used_at_each_of_its_days() -> None:
    past = Past(CLOCK, CLOCK - 61 * DAY, told((1, GIVEN), (6, EXPIRED), (29, GIVEN), (60, GIVEN)))
    trend = dict(zip(TREND, outlook(past).trend, strict=True))
    assert (TREND[0], TREND[-1], len(TREND)) == (90, 0, 16)
    assert trend[0] == 8
    assert trend[6] == 0  # what came free six days ago was free then
    assert (trend[12], trend[30], trend[60]) == (8, 0, 0)
    assert [trend[days] for days in (66, 90)] == [None, None]


@given(st.lists(st.tuples(st.integers(0, 100), st.sampled_from([GIVEN, EXPIRED])), max_size=12))
def test_the_trend_is_that_of_the_rates(events: list[tuple[int, Happening]]) -> None:
    past = Past(CLOCK, OLD, told(*sorted(events, key=lambda it: it[0])))
    found = outlook(past)
    trend = dict(zip(TREND, found.trend, strict=True))
    for rate in found.rates:
        assert trend[rate.days] == found.used - (rate.change or 0)


def test_a_history_that_is_shorter_than_a_span_is_not_enough() -> None:
    past = Past(CLOCK, CLOCK - 45 * DAY, told((1, GIVEN)))
    assert [rate.change for rate in outlook(past).rates] == [8, None]
    assert (past.days, outlook(past).rates[1]) == (45, Rate(90, None, ()))
    assert Past(CLOCK, CLOCK + DAY, ()).days == 0


@pytest.mark.parametrize(
    ("happening", "weeks"), [((), None), (((1, EXPIRED),), None), (((1, GIVEN),), 92.1)]
)
def test_what_does_not_grow_never_gets_there(
    happening: tuple[tuple[int, Happening], ...], weeks: float | None
) -> None:
    assert outlook(Past(CLOCK, OLD, told(*happening))).rates[0].weeks[0] == weeks


def test_what_is_reached_is_reached() -> None:
    files = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/29")}
    found = outlook(Past(CLOCK, OLD, told((1, GIVEN))), files)
    assert set(found.rates[0].weeks) == {0.0}


def test_levels_are_those_at_which_a_tier_begins() -> None:
    (edge,) = evaluation_of(SMALL).state.pools.values()
    gated = replace(edge, gate=Tier.CRITICAL)
    assert levels_of(gated, 256) == (Level("warning", 180), Level("gate", 218), Level("full", 256))
    assert [it.name for it in levels_of(replace(edge, gate=None), 256)] == ["warning", "full"]
    for total in range(1, 300):
        warning = levels_of(gated, total)[0].addresses
        assert edge.thresholds.tier(warning, total) is not Tier.OK
        assert edge.thresholds.tier(warning - 1, total) is Tier.OK


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
    assert fitting(six, six.usable, (1,)) == MOST_TENANTS


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


def test_every_pool_is_told_by_its_own_happenings() -> None:
    other = GIVEN._replace(delta=((EDGE.replace("edge", "core"), 8),))
    found = outlook(Past(CLOCK, OLD, told((1, other))))
    assert found.rates[0].change == 0
