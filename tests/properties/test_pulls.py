"""Random pull requests. `python -m tests.long.pulls` runs more of them."""

import pytest

from tests.examples import scaled
from tests.long.pulls import play


@pytest.mark.parametrize("seed", range(min(scaled(25), 13)))
def test_a_green_change_loses_moves_doubles_and_stops_nothing(seed: int) -> None:
    play(seed)


@pytest.mark.parametrize("seed", range(1_001, 1_001 + min(scaled(12), 6)))
def test_a_green_change_of_plain_kinds_keeps_the_same_promises(seed: int) -> None:
    play(seed, is_plain=True)
