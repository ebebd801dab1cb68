import pytest

from reconciler.addresses import IPRange


def v4(first: int, last: int) -> IPRange:
    return IPRange(4, first, last)


def v6(first: int, last: int) -> IPRange:
    return IPRange(6, first, last)


def test_a_range_counts_both_of_its_ends() -> None:
    assert v4(10, 10).size == 1
    assert v4(10, 19).size == 10
    assert v6(0, (1 << 128) - 1).size == 1 << 128


def test_ranges_sort_by_version_then_first_then_last() -> None:
    ranges = [v6(0, 1), v4(5, 6), v4(5, 5), v4(1, 9)]
    assert sorted(ranges) == [v4(1, 9), v4(5, 5), v4(5, 6), v6(0, 1)]


@pytest.mark.parametrize(
    ("inner", "covered"),
    [
        (v4(10, 20), True),
        (v4(10, 10), True),
        (v4(20, 20), True),
        (v4(9, 15), False),
        (v4(15, 21), False),
        (v4(0, 100), False),
        (v6(12, 13), False),
    ],
)
def test_a_range_covers_what_lies_wholly_in_it(inner: IPRange, covered: bool) -> None:
    assert v4(10, 20).covers(inner) is covered


@pytest.mark.parametrize(
    ("other", "shared"),
    [
        (v4(0, 9), None),
        (v4(0, 10), v4(10, 10)),
        (v4(12, 13), v4(12, 13)),
        (v4(20, 30), v4(20, 20)),
        (v4(21, 30), None),
        (v4(0, 99), v4(10, 20)),
        (v6(10, 20), None),
    ],
)
def test_ranges_share_what_is_in_both(other: IPRange, shared: IPRange | None) -> None:
    assert v4(10, 20).shared(other) == shared
    assert other.shared(v4(10, 20)) == shared
    assert v4(10, 20).overlaps(other) is (shared is not None)


@pytest.mark.parametrize(
    ("item", "prefix"),
    [
        (v4(0, (1 << 32) - 1), 0),
        (v4(80, 87), 29),
        (v4(7, 7), 32),
        (v4(81, 88), None),  # eight addresses, but from no border of eight
        (v4(80, 86), None),  # from a border, but no power of two
        (v6(0, (1 << 128) - 1), 0),
        (v6(1 << 96, (1 << 97) - 1), 32),
        (v6(5, 5), 128),
    ],
)
def test_a_range_has_a_prefix_only_when_it_is_one_block(item: IPRange, prefix: int | None) -> None:
    assert item.prefix() == prefix
