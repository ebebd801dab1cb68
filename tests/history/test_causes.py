"""The edit behind a reconcile commit."""

import pytest

from reconciler.gitio.interface import CommitRow, Touch, request_of
from reconciler.history.commits import CommitCause, cause_in, documents_of, removal_in
from tests.history.pasts import ROW, happened, version
from tests.world import tenant

(ITEM,) = happened(None, version())
ONE = Touch("tenants/one.yaml", "", "1")
TWO = Touch("tenants/two.yaml", "", "2")
TEXTS = {"1": tenant("one").encode(), "2": tenant("two").encode()}


def describe(*rows: CommitRow) -> list[tuple[CommitRow, list[Touch]]]:
    """Return rows with the documents that can be a cause."""
    return [(row, documents_of(row, "allocations", 50)) for row in rows]


def person(*touched: Touch, number: int = 1) -> CommitRow:
    return ROW._replace(id=f"{number:040d}", is_plan=False, touched=touched)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("metadata: {name: one, namespace: team-a}", 1),
        ('metadata:\n  name: "one"\n', 2),
        ("metadata:\n  name: 'one' # the first\n", 2),
        ("metadata:\n  name: one-more\n", 0),
        ("metadata:\n  surname: one\n", 0),
    ],
)
def test_a_name_is_told_in_either_form_of_yaml(text: str, line: int) -> None:
    found = cause_in(ITEM, describe(person(ONE)), {"1": text.encode()})
    assert found is not None
    assert found.line == line


def gone(*rows: CommitRow) -> CommitCause | None:
    documents = [(row, documents_of(row, "allocations", 2)) for row in rows]
    return removal_in(ITEM, documents, {**TEXTS, "3": tenant("one", "team-b").encode()})


def test_a_document_went_in_the_newest_commit_after_which_nothing_names_it() -> None:
    went = person(Touch("tenants/one.yaml", "1", ""), TWO, number=3)
    found = CommitCause(went, "tenants/one.yaml", 3)
    edited = person(Touch("tenants/one.yaml", "1", "3"), number=2)
    moved = person(Touch("a.yaml", "1", ""), Touch("b.yaml", "", "1"), number=4)
    assert gone(ROW, person(TWO, number=9), ROW, moved, edited, went) == found
    assert gone(person(Touch("tenants/one.yaml", "1", "2"))) is not None


def test_one_that_came_since_or_is_there_still_did_not_go() -> None:
    went = person(Touch("tenants/one.yaml", "1", ""), number=3)
    assert gone(ROW, person(ONE, number=5), went) is None
    assert gone(ROW, person(TWO)) is None
    assert gone(went._replace(is_plan=True), went._replace(is_cut=True)) is None
    assert gone(person(Touch("tenants/one.yaml", "1", ""), TWO, TWO)) is None


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("Merge pull request #12 from x/y\n\nAdd search", "#12"),
        ("Merge branch 'x' into 'main'\n\nAdd search\n\nSee merge request group/ipam!34\n", "!34"),
        ("Add search (#56)\n\nbody", "#56"),
        ("Add search (!56)", "!56"),
        ("Merged in search (pull request #7)\n\nAdd search", "#7"),
        ("Merged PR 89: Add search", "#89"),
        ("Add search\n\nlike (#56)", ""),
        ("Fix #56 in search", ""),
        ("Revert Merge pull request #12 from x/y", ""),
    ],
)
def test_the_pull_request_is_told_where_the_message_of_a_merge_names_it(
    message: str, named: str
) -> None:
    assert request_of(message) == named
