"""Moves as they are told: what a plan moves, and what people moved by their own hand."""

from msgspec.structs import replace

from reconciler.report.moves import moves_of, range_of, room_of
from reconciler.report.text.plan import plan_text
from reconciler.report.text.table import Painter
from tests.engine.outcome import without
from tests.moving import KEY, LEAVING, OLD, moving
from tests.test_comparison import compared
from tests.world import evaluation_of, reconciled

PLAIN = Painter(is_on=False)


def test_a_record_that_people_removed_frees_its_range_at_once() -> None:
    head = without(LEAVING, OLD)
    evaluation = compared(LEAVING, head)
    (move,) = moves_of(evaluation)
    assert (str(move.claim), move.old.path, move.stays) == (KEY, OLD, False)
    lines = plan_text(evaluation, PLAIN).splitlines()
    assert lines[1] == "1 moves"
    assert lines[3] == "  10.40.0.0-10.40.0.7: free at once, whoever uses it"


def test_the_room_of_a_pool_that_is_gone_is_not_told() -> None:
    evaluation = moving(LEAVING, KEY)
    (move,) = moves_of(evaluation)
    assert room_of(evaluation, move.old.pool) == "3.1% of 256, 248 free"
    assert room_of(evaluation, move.old.pool._replace(name="gone")) == "not in the repository"
    assert range_of(move.old) == "10.40.0.0-10.40.0.7"
    assert range_of(replace(move.old, range=None)) == "nothing"


def test_where_nothing_moves_nothing_is_told() -> None:
    evaluation = evaluation_of(reconciled(LEAVING))
    assert moves_of(evaluation) == []
    assert moves_of(replace(moving(LEAVING, KEY), moves={})) == []
