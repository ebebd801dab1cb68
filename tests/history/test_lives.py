"""The history of ranges, from current records backward."""

from msgspec.structs import replace

from reconciler.gitio.interface import CommitRow, Touch
from reconciler.history.events import lives
from reconciler.model.claim import Allocation
from tests.history.pasts import RECORD, ROW, version

KNOWN: dict[tuple[str, str], Allocation | None] = {
    ("1", RECORD): version(),
    ("2", RECORD): version("Released"),
    ("3", RECORD): version(first=8),
    ("4", RECORD): version("Failed"),
    ("same", RECORD): replace(version(), name="another-name"),
}


def row(number: int, old: str, new: str) -> CommitRow:
    return ROW._replace(id=f"{number:040d}", touched=(Touch(RECORD, old, new),))


def describe(*rows: CommitRow, most: int = 100) -> list[tuple[Allocation, str, str]]:
    """Return the history of a claim without a record. Rows are newest first."""
    found, _ = lives((), rows, KNOWN, most)
    ids = [
        ["" if it is None else it.id.lstrip("0") for it in (one.begins, one.ends)] for one in found
    ]
    return [(one.record, begins, ends) for one, (begins, ends) in zip(found, ids, strict=True)]


def test_what_nobody_sees_ends_no_life() -> None:
    rows = [row(3, "same", ""), row(2, "1", "same"), row(1, "", "1")]
    assert describe(*rows) == [(KNOWN["same", RECORD], "1", "3")]


def test_a_history_that_is_cut_or_too_long_ends_before_that() -> None:
    rows = [row(3, "2", ""), row(2, "1", "2"), row(1, "", "1")]
    cut = rows[2]._replace(is_cut=True, touched=())
    assert describe(rows[0], rows[1], cut) == [
        (version("Released"), "2", "3"),
        (version(), "", "2"),
    ]
    found, reach = lives((), rows, KNOWN, 2)
    assert (len(found), reach) == (2, 2)
