"""What stands for a file that is too large to be looked at."""

import pickle

from reconciler.documents.text import MAX_BYTES, Unread, decode
from tests.memory import evaluation_after
from tests.world import SMALL


def test_it_is_empty_and_knows_the_size_also_in_another_process() -> None:
    unread = pickle.loads(pickle.dumps(Unread(MAX_BYTES + 1)))
    assert (bytes(unread), unread.size) == (b"", MAX_BYTES + 1)
    _, problem = decode(unread)
    assert problem is not None
    assert problem.message == "file of 262145 bytes, limit 262144"


def test_while_one_never_could_be_looked_at_nothing_new_is_given() -> None:
    huge = {"tenants/huge.yaml": Unread(MAX_BYTES + 1)}
    assert not evaluation_after([SMALL], {**SMALL, **huge}).changes or all(
        "_unplaced" in change.path
        for change in evaluation_after([SMALL], {**SMALL, **huge}).changes
    )
    before = {**SMALL, "tenants/huge.yaml": "# nothing\n"}
    assert evaluation_after([before], {**SMALL, **huge}).tree.last_good.halted
