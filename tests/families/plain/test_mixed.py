"""Random requests of all sizes in overlapping pools: no address twice, and nothing moves."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.addresses import IPSet
from reconciler.model.plan import Grant
from tests.families.plain.examples import claim, cluster, entry, files, pool
from tests.world import carried, evaluation_of

POOLS = "---\n".join(
    [
        pool("internal", "[10.22.0.0/26]", gateway="10.22.0.1"),
        pool(
            "wide", "[10.22.0.0/25, 10.22.1.8-10.22.1.30]", reserved="[{addresses: [10.22.0.70]}]"
        ),
    ]
)
REFS = st.sampled_from(["[{name: internal}]", "[{name: wide}]", "[{name: internal}, {name: wide}]"])
SIZES = st.one_of(
    st.integers(1, 20).map(lambda it: {"count": it}),
    st.integers(26, 32).map(lambda it: {"prefixLength": it}),
    st.integers(0, 127).map(lambda it: {"addresses": f"[10.22.0.{it}]"}),
)
REQUESTS = st.lists(st.tuples(REFS, SIZES), max_size=8)


def tree(requests: list[tuple[str, dict[str, object]]], count: int) -> dict[str, str | bytes]:
    claims = [claim(f"c-{at}", poolRefs=refs, **size) for at, (refs, size) in enumerate(requests)]  # type: ignore[arg-type]
    return files(cluster(entry(count=count)), "---\n".join(claims), POOLS)


@settings(max_examples=60, deadline=None)
@given(REQUESTS, REQUESTS, st.integers(1, 20), st.integers(1, 20))
def test_no_address_is_given_twice_and_nothing_moves(
    first: list[tuple[str, dict[str, object]]],
    more: list[tuple[str, dict[str, object]]],
    count: int,
    then: int,
) -> None:
    done = tree(first, count)
    for step in (tree(first, count), tree([*first, *more], count), tree([*first, *more], then)):
        done = {**{path: it for path, it in done.items() if path.startswith("alloc")}, **step}
        before = {it.path: it.range for it in evaluation_of(done).state.records}
        evaluation = evaluation_of(done)
        done = carried(done, evaluation)
        after = evaluation_of(done)
        assert after.changes == ()
        records = [it for it in after.state.records if it.range is not None]
        assert IPSet.of(it.range for it in records if it.range).size == sum(
            it.size for it in records
        )
        assert all(it.range == before[it.path] for it in records if it.path in before)
        for decision in evaluation.plan.decisions:
            if isinstance(decision, Grant) and decision.allocation.range is not None:
                item, given_by = decision.allocation, after.state.pools[decision.allocation.pool]
                assert given_by.allocatable.covers(item.range)  # type: ignore[arg-type]
                is_block = item.prefix is not None
                assert is_block or given_by.usable.covers(item.range)  # type: ignore[arg-type]
                assert not is_block or item.range.prefix() == item.prefix  # type: ignore[union-attr]
