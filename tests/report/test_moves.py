"""Moves as they are told: what a plan moves, and what people moved by their own hand."""

from msgspec.structs import replace

from reconciler.report.text.plan import moves_of, pool_usage, range_of
from tests.moving import KEY, LEAVING, moving


def test_the_room_of_a_pool_that_is_gone_is_not_told() -> None:
    evaluation = moving(LEAVING, KEY)
    (move,) = moves_of(evaluation)
    assert pool_usage(evaluation, move.old.pool) == "3.1% of 256, 248 free"
    assert pool_usage(evaluation, move.old.pool._replace(name="gone")) == "not in the repository"
    assert range_of(move.old) == "10.40.0.0-10.40.0.7"
    assert range_of(replace(move.old, range=None)) == "nothing"
