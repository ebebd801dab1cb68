"""Lines of the annals: what a commit says of itself."""

import pytest

from reconciler.gitio.interface import Touch, request_of, row_of

PLAN = f"ipam: allocate 1\n\nIpam-Plan: sha256:{'a' * 64}\n"
ABOUT = ("b" * 40, 7, "A <a@b>")


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("Merge pull request #12 from x/y\n\nAdd search", "#12"),
        ("Merge branch 'x' into 'main'\n\nAdd search\n\nSee merge request group/ipam!34\n", "!34"),
        ("Merge branch 'x' into 'main'\n\nSee merge request !34", "!34"),
        ("Add search (#56)\n\nbody", "#56"),
        ("Add search (!56)", "!56"),
        ("Merged in search (pull request #7)\n\nAdd search", "#7"),
        ("Merged PR 89: Add search", "#89"),
        ("Add search\n\nlike (#56)", ""),
        ("Fix #56 in search", ""),
        ("Revert Merge pull request #12 from x/y", ""),
        ("", ""),
    ],
)
def test_the_pull_request_is_told_where_the_message_of_a_merge_names_it(
    message: str, named: str
) -> None:
    assert request_of(message) == named


def test_a_commit_that_says_it_is_of_reconcile_is_told_apart() -> None:
    row = row_of(ABOUT, PLAN, (), is_cut=False)
    assert (row.subject, row.is_plan, row.request) == ("ipam: allocate 1", True, "")
    assert not row_of(ABOUT, "Merge x\n\nIpam-Plan: soon", (), is_cut=False).is_plan


def test_what_a_commit_without_its_parents_touched_cannot_be_told() -> None:
    touched = (Touch("pools/a.yaml", "", "c"),)
    assert row_of(ABOUT, "first", touched, is_cut=True).touched == ()
    assert row_of(ABOUT, "first", touched, is_cut=False).touched == touched
