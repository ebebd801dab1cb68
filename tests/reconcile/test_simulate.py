import pytest

from reconciler.model.errors import UsageError
from reconciler.reconcile.simulate import Simulation, simulate
from reconciler.report.queries import simulation_document
from reconciler.report.text.runs import simulation_text
from reconciler.report.text.table import Painter
from tests.planning.outcome import Files, without
from tests.review.sides import branch
from tests.world import SMALL, pool, provider, reconciled, settings, tenant

PLAIN = Painter(is_on=False)
TWO_POOLS = {
    "pools/a.yaml": pool("a", "10.40.0.0/28"),
    "pools/b.yaml": pool("b", "10.41.0.0/28"),
    "providers/default.yaml": provider(pools="[{name: a}, {name: b}]"),
    "providers/cloud.yaml": provider("cloud").replace("mode: ipam", "mode: cloud"),
}


def simulated(
    files: Files,
    tenants: int,
    name: str | None = None,
    *,
    lb: int | None = None,
    nodes: int | None = None,
) -> Simulation:
    return simulate(branch(files).source("HEAD"), tenants, name, lb=lb, nodes=nodes)


def steps(result: Simulation) -> list[tuple[int, str, int, str]]:
    return [
        (step.tenants, step.pool.name, step.allocated, step.tier.value) for step in result.steps
    ]


def test_what_released_records_hold_is_shown_as_it_counts_as_used() -> None:
    two = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
    result = simulated(reconciled(without(two, "tenants/two.yaml")), 1)
    head, first, last, _ = simulation_text(result, PLAIN).splitlines()
    assert head.split() == ["TENANTS", "POOL", "ALLOC", "HELD", "TOTAL", "USED%", "LEVELS"]
    assert first.split() == ["0", "edge", "8", "8", "256", "6.3", "none"]
    assert last.split() == ["1", "edge", "16", "8", "256", "9.4", "none"]
    assert [it["held"] for it in simulation_document(result)["steps"]] == [8, 8]


def test_what_fits_but_takes_a_pool_to_its_gate_does_not_pass() -> None:
    files = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/24")}
    result = simulated(reconciled(files), 31)
    assert (result.fit, result.passes, result.refused) == (31, 29, None)
    assert result.stopped is not None
    assert result.stopped.message.startswith("pool edge would go from 3.1% to 96.9% (248 of 256)")
    *_, words, why, hint = simulation_text(result, PLAIN).splitlines()
    assert words == "All 31 fit; 29 stay within the capacity limit."
    assert (why.split(":")[0], hint) == (
        "  capacity",
        "  hint: widen the pool, add another one, or merge an Override of kind gate",
    )
    told = simulation_document(result)
    assert (told["fit"], told["passes"], told["stopped"]["code"]) == (31, 29, "capacity")
    none = simulated({**files, "ipam.yaml": settings("{gate: never}")}, 31)
    assert (none.fit, none.passes, none.stopped) == (31, 31, None)


def test_each_pool_is_followed_from_today_over_every_tier_to_the_end() -> None:
    result = simulated(TWO_POOLS, 5)
    assert result.fit == 4
    assert steps(result) == [
        (0, "a", 0, "ok"), (2, "a", 16, "exhausted"), (4, "a", 16, "exhausted"),
        (0, "b", 0, "ok"), (4, "b", 16, "exhausted"),
    ]  # fmt: skip
    assert result.refused is not None
    assert result.refused.reason == "pool-exhausted"


def test_addresses_that_are_released_without_retention_come_free_first() -> None:
    files = {**TWO_POOLS, "ipam.yaml": settings("{retention: 0s}")}
    files |= {f"tenants/{name}.yaml": tenant(name) for name in ("one", "two", "gone")}
    less = without(reconciled(files), "tenants/gone.yaml")
    assert steps(simulated(less, 9))[0] == steps(simulated(less, 1))[0] == (0, "a", 8, "ok")
    assert simulated(less, 9).fit == 2


def test_those_fit_who_get_all_they_ask_for_even_if_too_many_would_leave_room_for_none() -> None:
    allocation = "{defaults: {nodesPerTenant: 4}}"
    files = {
        "pools/a.yaml": pool("a", "10.40.0.0/29", tenantAllocation=allocation),
        "providers/default.yaml": provider(pools="[{name: a}]"),
    }
    for tenants in (2, 3, 9):
        result = simulated(files, tenants, lb=2)
        assert result.fit == 1
        assert steps(result)[-1] == (1, "a", 6, "warning")
        assert result.refused is not None
        assert result.refused.reason == "pool-exhausted"


def test_an_unknown_provider_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="no ProviderConfig 'x'") as wrong:
        simulated(TWO_POOLS, 1, "x")
    assert wrong.value.hint == "use one of: cloud, default"
