"""A file that is too large to read."""

from reconciler.documents.text import MAX_BYTES, Unread, decode
from tests.memory import evaluation_after
from tests.world import SMALL


def test_it_is_refused_with_its_size() -> None:
    _, problem = decode(Unread(MAX_BYTES + 1))
    assert problem is not None
    assert problem.message == "file of 262145 bytes, limit 262144"


def test_without_a_readable_version_nothing_new_is_given() -> None:
    huge: dict[str, str | bytes] = {**SMALL, "tenants/huge.yaml": Unread(MAX_BYTES + 1)}
    changes = evaluation_after([SMALL], huge).changes
    assert all("_unplaced" in change.path for change in changes)
    before = {**SMALL, "tenants/huge.yaml": "# nothing\n"}
    assert evaluation_after([before], huge).tree.last_good.halted
