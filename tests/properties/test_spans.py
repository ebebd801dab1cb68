"""What meets in address spaces is what the definition says, however it is swept."""

from itertools import chain, combinations, product

from hypothesis import example, given
from hypothesis import strategies as st

from reconciler.addresses import IPRange
from reconciler.engine.neighbours import neighbours
from reconciler.findings import Location
from reconciler.incremental.group import EVERYWHERE, Bearing, Group, Span
from reconciler.incremental.grouping import Reach, Spans, groups
from reconciler.model.state import Blocked

_SPACES = st.sampled_from([EVERYWHERE, "", "a", "b"])


def span(space: str, version: int, first: int, size: int) -> Span:
    return Span(space, IPRange(version, first, first + size))


_SPAN = st.builds(
    span, _SPACES, st.sampled_from([4, 4, 4, 6]), st.integers(0, 24), st.integers(0, 9)
)
_PARTS = st.lists(st.lists(_SPAN, min_size=1, max_size=2), max_size=12)


def bear_on_each_other(one: Span, other: Span) -> bool:
    """The definition."""
    is_beside = one.space == other.space or EVERYWHERE in (one.space, other.space)
    return is_beside and one.range.overlaps(other.range)


def brute(parts: list[list[Span]]) -> list[list[int]]:
    """The parts that bear on each other, directly or by way of others."""
    set_of = list(range(len(parts)))
    for one, other in combinations(range(len(parts)), 2):
        if any(bear_on_each_other(mine, theirs) for mine in parts[one] for theirs in parts[other]):
            left, right = set_of[one], set_of[other]
            set_of = [left if it == right else it for it in set_of]
    found: dict[int, list[int]] = {}
    for number, it in enumerate(set_of):
        found.setdefault(it, []).append(number)
    return list(found.values())


@given(_PARTS)
@example([[span("a", 4, 0, 9)], [span("*", 4, 1, 1)], [span("b", 4, 3, 4)], [span("*", 4, 5, 0)]])
@example([[span("a", 4, 0, 9)], [span("*", 4, 1, 1)], [span("a", 4, 3, 9)], [span("*", 4, 11, 0)]])
def test_groups_are_those_of_the_definition(parts: list[list[Span]]) -> None:
    spans = {f"{number:02}": mine for number, mine in enumerate(parts)}
    found = groups(dict.fromkeys(spans, "oid"), Bearing({}, {}, {}, spans))
    assert [[int(path) for path in group.parts] for group in found] == brute(parts)


_INSIDE = st.builds(
    span,
    st.sampled_from("ab"),
    st.sampled_from([4, 4, 4, 6]),
    st.integers(0, 24),
    st.integers(0, 9),
)
_NETWORKS = st.lists(st.lists(_INSIDE, max_size=2), max_size=6)


def grouped(parts: list[list[Span]], networks: list[list[Span]]) -> list[list[int]]:
    """The groups of parts with spans, and behind them of those with networks inside clusters."""
    names = [f"{number:02}" for number in range(len(parts) + len(networks))]
    spans = dict(zip(names, parts, strict=False))
    inside = {
        name: dict.fromkeys(mine) for name, mine in zip(names[len(parts) :], networks, strict=True)
    }
    found = groups(dict.fromkeys(names, "oid"), Bearing({}, {}, {}, spans, inside))
    return [[int(path) for path in group.parts] for group in found]


@given(_PARTS, _NETWORKS)
def test_networks_inside_clusters_are_with_what_they_meet_and_never_bring_each_other_together(
    parts: list[list[Span]], networks: list[list[Span]]
) -> None:
    found = grouped(parts, networks)
    group_of = {number: group for group in found for number in group}
    meeting = set()
    for at, mine in enumerate(networks, len(parts)):
        for other, theirs in enumerate(parts):
            if any(bear_on_each_other(one, it) for one in mine for it in theirs):
                assert other in group_of[at]
                meeting.add(at)
    assert all(group_of[at] == [at] for at in range(len(parts), len(group_of)) if at not in meeting)
    if not meeting:
        assert found[: len(brute(parts))] == brute(parts)


@given(_PARTS, st.lists(_INSIDE, max_size=3), _PARTS, st.lists(_INSIDE, max_size=3))
def test_groups_that_bear_on_each_other_are_found_when_one_of_them_is_left_out(
    ours: list[list[Span]], pods: list[Span], theirs: list[list[Span]], other_pods: list[Span]
) -> None:
    read = Bearing(
        {}, {}, {}, {str(at): mine for at, mine in enumerate(ours)}, {"pods": dict.fromkeys(pods)}
    )
    group = Group(spans=list(chain(*theirs)), inside=dict.fromkeys(other_pods))
    pairs = [
        *product(chain(*ours), chain(*theirs)),
        *product(chain(*ours), other_pods),
        *product(pods, chain(*theirs)),
    ]
    assert Reach(read).meets(group) == any(bear_on_each_other(one, it) for one, it in pairs)


@given(st.lists(_SPAN, max_size=8), _SPAN)
def test_what_overlaps_is_what_the_definition_says(spans: list[Span], item: Span) -> None:
    assert Spans(spans).overlap(item) == any(bear_on_each_other(it, item) for it in spans)


Ranges = list[tuple[Blocked, tuple[str, ...]]]
_SOME = st.lists(st.sampled_from("abc"), max_size=3, unique=True).map(tuple)
_RANGES = st.lists(st.tuples(_SPAN, _SOME), max_size=10)


def meet(one: tuple[Blocked, tuple[str, ...]], other: tuple[Blocked, tuple[str, ...]]) -> bool:
    """The definition: of two ranges in use without a record."""
    (left, mine), (right, theirs) = one, other
    is_beside = not mine or not theirs or not set(mine).isdisjoint(theirs)
    return left.title != right.title and is_beside and left.range.overlaps(right.range)


@given(_RANGES)
@example([(span("", 4, 0, 9), ("a",)), (span("", 4, 0, 5), ("b",)), (span("", 4, 2, 1), ())])
@example(
    [(span("", 4, 0, 9), ("a", "b")), (span("", 4, 1, 1), ("c",)), (span("", 4, 2, 1), ("b",))]
)
def test_each_range_that_meets_others_has_one_of_them(
    some: list[tuple[Span, tuple[str, ...]]],
) -> None:
    ranges: Ranges = [
        (Blocked(item.range, f"t/{number}", Location("t")), spaces)
        for number, (item, spaces) in enumerate(some)
    ]
    found = neighbours(ranges)
    spaces_of = {item.title: spaces for item, spaces in ranges}
    for entry in ranges:
        title = entry[0].title
        assert (title in found) == any(meet(entry, other) for other in ranges)
        if title in found:
            assert meet(entry, (found[title], spaces_of[found[title].title]))
