"""Ranges that overlap are found, and what many claims ask for is worked out once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.addresses import IPRange, IPSet
from reconciler.model.pool import Pool
from reconciler.planning.space import Holdings, Lookup, Space
from tests.planning.outcome import outcome
from tests.world import SMALL, pool, tenant

RANGES = st.builds(
    lambda version, first, size: IPRange(version, first, first + size),
    st.sampled_from((4, 6)),
    st.integers(0, 30),
    st.integers(0, 12),
)


@given(st.lists(RANGES, max_size=12), RANGES)
def test_exactly_what_overlaps_is_found_in_the_order_it_was_given(
    ranges: list[IPRange], item: IPRange
) -> None:
    entries = list(zip(ranges, range(len(ranges)), strict=True))
    wanted = [entry for entry in entries if entry[0].overlaps(item)]
    assert Lookup(entries).overlapping(item) == wanted


def test_the_room_of_a_full_pool_is_worked_out_once_for_all_refused_claims(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []
    free = Space.free

    def counted(self: Space, of: Pool) -> IPSet:
        asked.append(of.key)
        return free(self, of)

    monkeypatch.setattr(Space, "free", counted)
    many = {f"tenants/t{number}.yaml": tenant(f"t{number}") for number in range(40)}
    found = outcome({**SMALL, **many, "pools/edge.yaml": pool(cidr="10.40.0.0/28")})
    assert sum(text.startswith("refuse") for text in found.values()) == 39
    assert len(asked) == 2  # its free runs, and its room


def test_ranges_whose_pool_is_gone_are_joined_once() -> None:
    holdings = Holdings({}, ())
    assert holdings.live("any") is holdings.live("other")
