"""Random histories in several worlds; `python -m tests.long.worlds` plays more of them."""

from tests.examples import scaled
from tests.long.worlds import worlds


def test_each_world_gives_the_same_bytes() -> None:
    with worlds() as differences:
        assert [it for seed in range(scaled(50)) for it in differences(seed)] == []
