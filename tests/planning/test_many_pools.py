"""Many pools: what is told of them stays short, and who is asked stays right."""

from reconciler.model.pool import Placement
from reconciler.planning.planner import Candidates
from reconciler.planning.rules import Neighbours, overlapping_pools, rivals
from reconciler.planning.space import FreeRuns, Space
from tests.planning.outcome import a_pool, refusal, span
from tests.world import evaluation_of, pool, provider, tenant

LB = "team-a/t (loadbalancer)"


def served_by(pools: dict[str, str], size: int) -> dict[str, str]:
    names = ", ".join(f"{{name: {name}}}" for name in pools)
    return {
        **{f"pools/{name}.yaml": text for name, text in pools.items()},
        "providers/default.yaml": provider(pools=f"[{names}]"),
        "tenants/t.yaml": tenant("t", networking=f"{{lbPoolSize: {size}}}"),
    }


def small(count: int) -> dict[str, str]:
    return {f"p{n}": pool(f"p{n}", f"10.40.{n}.0/30") for n in range(count)}


def test_a_refusal_names_five_pools_and_counts_the_others() -> None:
    assert refusal(served_by(small(7), 64), LB).message == (
        "needs 64 addresses; p0 has 4, p1 has 4, p2 has 4, p3 has 4, p4 has 4"
        " and 2 more have no more than 4 in all"
    )
    split = "[{start: 10.40.9.0, end: 10.40.9.2}, {start: 10.40.9.4, end: 10.40.9.6}]"
    last = {"p9": pool("p9", "10.40.9.0/24", tenantAllocation=f"{{ranges: {split}}}")}
    refused = refusal(served_by({**small(6), **last}, 6), LB)
    assert refused.reason == "pool-fragmented"
    assert refused.message.endswith("p4: 4 free of 4, largest run 4; 2 more pools have no such run")
    assert "widen p0 to 10.40.0.0/28 where that is free" in refused.hint


def test_a_pool_that_overlaps_many_is_told_with_five_of_them() -> None:
    files = {f"pools/{n}.yaml": pool(f"p{n}", f"10.40.0.{n * 8}/29") for n in range(7)}
    files["pools/z.yaml"] = pool("z", "10.40.0.0/24")
    (found,) = evaluation_of(files).findings
    assert found.message.startswith(
        "overlaps NetworkPool p0 at pools/0.yaml:5: 10.40.0.0-10.40.0.7; "
    )
    assert found.message.endswith("10.40.0.32-10.40.0.39; and 2 more pools")


def test_rivals_are_all_that_reach_each_other_and_neighbours_those_that_touch() -> None:
    a, b, c, far = (
        a_pool(span(text), name=name)
        for name, text in (
            ("a", "10.0.0.0-10.0.0.9"),
            ("b", "10.0.0.5-10.0.0.19"),
            ("c", "10.0.0.15-10.0.0.16"),
            ("far", "10.0.9.0-10.0.9.9"),
        )
    )
    pools = {item.key: item for item in (a, b, c, far)}
    assert overlapping_pools(pools) == {b.key: [a.key], c.key: [b.key]}
    assert rivals(pools) == dict.fromkeys((a.key, b.key, c.key), a.key)
    near = Neighbours(pools)
    assert [near.of(item.key) for item in (a, b, far)] == [
        [a.key, b.key],
        [b.key, a.key, c.key],
        [far.key],
    ]


def test_what_a_rival_gives_out_is_gone_for_all_others() -> None:
    wide = a_pool(span("10.0.0.0-10.0.0.9"), name="wide")
    narrow = a_pool(span("10.0.0.0-10.0.0.3"), name="narrow")
    pools = {item.key: item for item in (wide, narrow)}
    space = Space([], rivals(pools))
    among = Candidates([narrow, wide], None, {})
    spaces = {"default": space}
    assert among.allocate(spaces.__getitem__, 4) == (0, span("10.0.0.0-10.0.0.3"))
    assert among.allocate(spaces.__getitem__, 4) == (1, span("10.0.0.4-10.0.0.7"))
    assert among.allocate(spaces.__getitem__, 4) is None
    assert (space.longest(narrow), space.longest(wide)) == (0, 2)
    assert among.allocate(spaces.__getitem__, 2) == (1, span("10.0.0.8-10.0.0.9"))


def test_the_longest_run_is_told_for_each_placement() -> None:
    for placement in Placement:
        assert FreeRuns([(1, 2), (5, 9)], placement).longest() == 5
        assert FreeRuns([], placement).longest() == 0
