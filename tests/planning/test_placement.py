from tests.planning.outcome import outcome, refusal
from tests.world import pool, provider, reconciled, request, tenant

FIRST = "team-a/new (loadbalancer)"


def pinned(name: str, start: str, end: str) -> str:
    return request(name, pinnedRange=f"{{startAddress: {start}, endAddress: {end}}}")


def with_holes() -> dict[str, str]:
    """A pool of sixteen with free runs of 4 (.0), 2 (.6), 2 (.10) and 3 (.13)."""
    return {
        "pools/edge.yaml": pool(cidr="10.40.0.0/28"),
        "pools/second.yaml": pool("second", "10.41.0.0/28"),
        "providers/default.yaml": provider(),
        "tenants/a.yaml": pinned("a", "10.40.0.4", "10.40.0.5"),
        "tenants/b.yaml": pinned("b", "10.40.0.8", "10.40.0.9"),
        "tenants/c.yaml": pinned("c", "10.40.0.12", "10.40.0.12"),
    }


def with_new(size: int, pools: str = "[{name: edge}]") -> dict[str, str | bytes]:
    files = reconciled({**with_holes(), "providers/default.yaml": provider(pools=pools)})
    return {**files, "tenants/new.yaml": tenant("new", networking=f"{{lbPoolSize: {size}}}")}


def test_pools_are_tried_by_priority() -> None:
    pools = "[{name: edge, priority: 2}, {name: second, priority: 1}]"
    assert outcome(with_new(2, pools))[FIRST] == "allocate 10.41.0.0-10.41.0.1 of second"


def test_pools_of_one_priority_are_tried_in_list_order() -> None:
    pools = "[{name: second, priority: 1}, {name: edge, priority: 1}]"
    assert outcome(with_new(2, pools))[FIRST] == "allocate 10.41.0.0-10.41.0.1 of second"


def test_no_priority_is_priority_zero() -> None:
    pools = "[{name: edge, priority: 1}, {name: second}]"
    assert outcome(with_new(2, pools))[FIRST] == "allocate 10.41.0.0-10.41.0.1 of second"


def test_when_no_pool_has_room_each_is_told_with_what_it_has() -> None:
    pools = "[{name: edge}, {name: second}]"
    refused = refusal(with_new(17, pools), FIRST)
    assert refused.reason == "request-too-large"
    assert refused.message == ("needs 17 addresses; edge has 16 and second has 16 in all")


def test_a_fragmented_refusal_tells_the_largest_run_and_who_holds_beside_it() -> None:
    refused = refusal(with_new(5), FIRST)
    assert refused.message == (
        "needs 5 contiguous addresses; edge: 11 free of 16, largest run 4 beside butler-system/a (request)"
    )
    assert "widen edge to 10.40.0.0/27 where that is free" in refused.hint
