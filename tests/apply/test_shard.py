"""Shards: every cluster in exactly one, the same on every machine and in every release."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.apply.fleet import is_in_shard


@given(st.text(), st.integers(1, 40))
def test_every_cluster_is_in_exactly_one_shard(cluster: str, count: int) -> None:
    assert sum(is_in_shard(cluster, (index, count)) for index in range(count)) == 1


@pytest.mark.parametrize(
    ("cluster", "of_three", "of_sixteen"),
    [
        ("team-a/web", 1, 3),
        ("team-a/shop", 0, 2),
        ("team-b/web", 1, 12),
        ("edge", 1, 10),
        ("", 1, 4),
    ],
)
def test_a_cluster_stays_in_its_shard(cluster: str, of_three: int, of_sixteen: int) -> None:
    """Two jobs of two releases must not both work on a cluster, nor neither."""
    assert is_in_shard(cluster, (of_three, 3))
    assert is_in_shard(cluster, (of_sixteen, 16))
