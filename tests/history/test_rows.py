"""Pull requests that messages of commits name."""

import pytest

from reconciler.gitio.interface import request_of


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
