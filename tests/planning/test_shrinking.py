"""Shrinking: no brake counts it, and of a pool's growth a quarter goes in ten minutes."""

from reconciler.families.demand import DemandEntry, demand_document
from reconciler.model.plan import Release
from reconciler.planning.documents import path_of
from reconciler.planning.evaluate import let_pass
from reconciler.planning.retention import WINDOW, instants, shrinking
from tests.planning.outcome import codes, outcome, without
from tests.world import CLOCK, evaluation_of, pool, provider, reconciled, settings_text, tenant

Files = dict[str, str | bytes]
ELASTIC = "{allocationMode: elastic, initialPoolSize: 1}"
RETENTION = settings_text("{elastic: {retention: 1h}}")


def demand(name: str, count: int) -> tuple[str, bytes]:
    place = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", name))
    entries = [DemandEntry(index, 1) for index in range(1, count + 1)]
    return place, demand_document("team-a", name, entries)


def world(growth: dict[str, int], **more: str) -> Files:
    files: Files = {
        "pools/edge.yaml": pool(),
        "providers/default.yaml": provider(loadBalancer=ELASTIC),
        **more,
    }
    for name, count in growth.items():
        path, data = demand(name, count)
        files |= {f"tenants/{name}.yaml": tenant(name), path: data}
    return files


def shrunk(files: Files, **counts: int) -> Files:
    return {**files, **dict(demand(name, count) for name, count in counts.items())}


def released(files: Files, clock: int = CLOCK) -> list[str]:
    found = outcome(files, clock)
    return [claim for claim, text in found.items() if text.startswith("release")]


def left(files: Files) -> int:
    """Return the size of the growth that still has addresses in use."""
    records = evaluation_of(files).state.records
    return sum(1 for record in records if record.is_live and record.role == "growth")


def test_one_may_always_go() -> None:
    files = reconciled(world({"one": 1}))
    assert released(shrunk(files, one=0)) == ["team-a/one (loadbalancer-1)"]


def test_of_a_pool_a_quarter_goes_at_once_the_highest_numbers_first() -> None:
    files = shrunk(reconciled(world({"one": 6, "two": 2})), one=0)
    assert released(files) == ["team-a/one (loadbalancer-5)", "team-a/one (loadbalancer-6)"]
    (told,) = [it for it in evaluation_of(files).findings if it.code == "release-held"]
    assert "team-a/one (loadbalancer-1)" in told.message
    assert (
        "a quarter of the growth records of NetworkPool edge is released every ten minutes"
        in told.message
    )


def test_what_waits_goes_ten_minutes_later_and_all_of_it_in_the_end() -> None:
    files, clock = shrunk(reconciled(world({"one": 8})), one=0), CLOCK
    assert list(instants(evaluation_of(files).state)) == []
    went = []
    for _ in range(40):
        files = reconciled(files, clock)
        went.append(left(files))
        assert released(files, clock + WINDOW - 1) == []
        due = list(instants(evaluation_of(files, clock).state))
        if not due:
            break
        assert due == [clock + WINDOW]
        clock += WINDOW
    assert went == [6, 5, 4, 3, 2, 1, 0]


def test_what_was_released_stays_while_others_wait_and_goes_with_them() -> None:
    files = reconciled(shrunk(reconciled(world({"one": 8})), one=0))
    assert not any(text.startswith("expire") for text in outcome(files, CLOCK + 1).values())
    assert any(text.startswith("expire") for text in outcome(files, CLOCK + WINDOW).values())
    enough = shrunk(files, one=6)
    assert any(text.startswith("expire") for text in outcome(enough, CLOCK + 1).values())


def test_what_rests_counts_as_gone_for_ten_minutes() -> None:
    files = reconciled(world({"one": 4, "two": 4}, **{"ipam.yaml": RETENTION}))
    files = reconciled(shrunk(files, one=2))
    assert left(files) == 6
    more = shrunk(files, two=2)
    assert released(more, CLOCK + WINDOW - 1) == []
    assert released(more, CLOCK + WINDOW) == ["team-a/two (loadbalancer-4)"]


def test_each_pool_has_a_quarter_of_its_own() -> None:
    files = world({"one": 4}, **{"pools/b.yaml": pool("b", "10.41.0.0/24")})
    path, data = demand("two", 4)
    files |= {
        "providers/b.yaml": provider("b", "[{name: b}]", loadBalancer=ELASTIC),
        "tenants/two.yaml": tenant("two", providerConfigRef="{name: b}"),
        path: data,
    }
    assert released(shrunk(reconciled(files), one=0, two=0)) == [
        "team-a/one (loadbalancer-4)",
        "team-a/two (loadbalancer-4)",
    ]


def test_no_brake_counts_what_shrinking_gives_back() -> None:
    files = reconciled(world({"one": 12, "two": 1}, **{"ipam.yaml": _brakes(0, 1)}))
    less = shrunk(files, one=9, two=1)
    assert len(released(less)) == 3
    assert ("gate", "brake") not in codes(less)


def test_a_brake_holds_releases_back_and_lets_shrinking_pass() -> None:
    files = reconciled(world({"one": 4, "two": 0}, **{"ipam.yaml": _brakes(0, 1)}))
    less = without(shrunk(files, one=3), "tenants/two.yaml")
    assert ("gate", "brake") in codes(less)
    decisions = let_pass(evaluation_of(less)).plan.decisions
    passed = [item.claim.short for item in decisions if isinstance(item, Release)]
    assert passed == ["team-a/one (loadbalancer-4)"]


def test_growth_of_a_tenant_that_is_gone_is_braked_like_all_its_records() -> None:
    files = reconciled(world({"one": 3, "two": 0}, **{"ipam.yaml": _brakes(0, 1)}))
    files = without(files, "tenants/one.yaml")
    evaluation = evaluation_of(files)
    assert (evaluation.state.grown, len(released(files))) == (frozenset(), 4)
    assert ("gate", "brake") in codes(files)


def test_growth_of_a_paused_pool_neither_goes_nor_waits() -> None:
    files = shrunk(reconciled(world({"one": 8})), one=0)
    paused = pool().replace("system}", "system, annotations: {cluster.x-k8s.io/paused: ''}}")
    state = evaluation_of(files).state
    halted = evaluation_of({**files, "pools/edge.yaml": paused + "broken: {"}).state
    assert len(shrinking(state).waiting) == 6
    assert shrinking(halted).waiting == frozenset()


def _brakes(percent: int, least: int) -> str:
    return RETENTION.replace(
        "spec: {", f"spec: {{brakes: {{maxReleasePercent: {percent}, minRecords: {least}}}, "
    )
