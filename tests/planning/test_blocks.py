"""Free aligned blocks, compared with a search among all of them."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.planning.blocks import FreeBlocks, count_blocks, longest_block

BASE = 0x0A000000
BITS = 6


class Searched:
    """The definition: of the maximal free aligned blocks that fit, the smallest, then lowest."""

    def __init__(self, free: set[int]) -> None:
        self.free = free

    def blocks(self, exponent: int) -> list[int]:
        size = 1 << exponent
        starts = range(BASE, BASE + (1 << BITS), size)
        return [it for it in starts if self.free.issuperset(range(it, it + size))]

    def allocate(self, exponent: int) -> int | None:
        for size in range(exponent, BITS + 1):
            larger = self.blocks(size + 1) if size < BITS else []
            maximal = [
                it for it in self.blocks(size) if it >> (size + 1) << (size + 1) not in larger
            ]
            if maximal:
                self.free -= set(range(maximal[0], maximal[0] + (1 << exponent)))
                return maximal[0]
        return None


def ranges(free: set[int]) -> IPSet:
    return IPSet.of(IPRange(4, it, it) for it in free)


def compared(free: set[int], steps: list[tuple[bool, int, int]]) -> None:
    searched, made = Searched(set(free)), FreeBlocks(ranges(free))
    for is_block, one, other in steps:
        if is_block:
            assert made.allocate(one) == searched.allocate(one)
        else:
            first, last = BASE + min(one, other), BASE + max(one, other)
            made.take(first, last)
            searched.free -= set(range(first, last + 1))
        left = ranges(searched.free)
        assert made.largest() == max(
            (1 << it for it in range(BITS + 1) if searched.blocks(it)), default=0
        )
        for exponent in range(BITS + 1):
            assert count_blocks(left, 32 - exponent) == len(searched.blocks(exponent))
        longest = longest_block(left)
        assert (1 << (32 - longest) if longest is not None else 0) == made.largest()


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just(True), st.integers(0, BITS), st.just(0)),
        st.tuples(st.just(False), st.integers(0, 63), st.integers(0, 63)),
    ),
    max_size=12,
)


@given(st.sets(st.integers(BASE, BASE + 63)), STEPS)
def test_blocks_are_taken_as_a_search_among_all_of_them_takes_them(
    free: set[int], steps: list[tuple[bool, int, int]]
) -> None:
    compared(free, steps)


def equal_to_search(count: int) -> None:
    chance = random.Random(381)
    for _ in range(count):
        free: set[int] = set()
        for _ in range(chance.randrange(1, 4)):
            one, other = chance.randrange(64), chance.randrange(64)
            free |= set(range(BASE + min(one, other), BASE + max(one, other) + 1))
        searched, made = Searched(set(free)), FreeBlocks(ranges(free))
        for _ in range(4):
            exponent = chance.choice((0, 0, 1, 2, 3, 4))
            assert made.allocate(exponent) == searched.allocate(exponent)


def test_random_pools_of_some_ranges_equal_the_search() -> None:
    equal_to_search(100_000)


BASE6 = 0x20010DB8 << 96


def test_a_large_pool_gives_blocks_and_takes_pins_fast() -> None:
    """CPU time, with a fifth of the promised speed, for slow machines."""
    chance = random.Random(6)
    blocks = FreeBlocks([IPRange(4, 10 << 24, (11 << 24) - 1)])
    pinned = FreeBlocks([IPRange(6, BASE6, BASE6 + (1 << 96) - 1)])
    shifts = [chance.choice((0, 32, 64, 72, 80)) for _ in range(40_000)]
    firsts = [BASE6 + (chance.randrange(1 << 96 - it) << it) for it in shifts]
    started = time.process_time()
    for at in range(40_000):
        assert blocks.allocate(at % 7) is not None
    for first, shift in zip(firsts, shifts, strict=True):
        pinned.take(first, first + (1 << shift) - 1)
        pinned.find(64)
    assert time.process_time() - started < 3
