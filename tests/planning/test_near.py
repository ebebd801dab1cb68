"""What a claim adds is placed touching the last range: behind it, else before it, else nowhere."""

from typing import cast

from reconciler.addresses import IPRange, IPSet
from reconciler.model.claim import Near
from reconciler.model.pool import Pool
from reconciler.planning.space import Space, find_near
from tests.world import SMALL, evaluation_of

(EDGE,) = evaluation_of(SMALL).state.pools.values()


class Room:
    """A space of which some is taken; it notes what is taken besides."""

    def __init__(self, *taken: IPRange) -> None:
        self.held, self.noted = IPSet.of(taken), list[IPRange]()

    def is_free(self, item: IPRange, mine: object) -> bool:
        del mine
        return not self.held.overlapping(item)

    def take(self, pool: Pool, item: IPRange) -> None:
        assert pool == EDGE
        self.noted.append(item)


def found(room: Room, first: int, *, take: bool = True) -> IPRange | None:
    near = Near(EDGE.key, IPRange(4, first, first + 7), 8)
    said = find_near(near, 8, [EDGE], lambda _: cast("Space", room), take=take)
    return None if said is None else said[1]


def test_it_is_behind_the_last_range_or_before_it_or_nowhere() -> None:
    start = next(iter(EDGE.usable)).first
    behind, before = IPRange(4, start + 24, start + 31), IPRange(4, start + 8, start + 15)
    assert found(Room(), start + 16) == behind
    assert found(Room(behind), start + 16) == before
    assert found(Room(behind, before), start + 16) is None


def test_it_is_only_found_where_nobody_takes_it() -> None:
    start, room = next(iter(EDGE.usable)).first, Room()
    assert found(room, start, take=False) == IPRange(4, start + 8, start + 15)
    assert room.noted == []
    found(room, start)
    assert room.noted == [IPRange(4, start + 8, start + 15)]


def test_nothing_lies_before_the_first_addresses_of_all() -> None:
    assert found(Room(), 0) is None
