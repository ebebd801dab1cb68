"""Random histories in several environments. `python -m tests.long.worlds` runs more of them."""

import pytest

from tests.long.worlds import worlds


@pytest.mark.parametrize("first", range(0, 50, 10))
def test_each_world_gives_the_same_bytes(first: int) -> None:
    with worlds() as differences:
        assert [it for seed in range(first, first + 10) for it in differences(seed)] == []
