"""The action says whether a change stays within what one team may do, for a job that merges by it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.changes_of_teams import PASSES, STOPS, TEAMS, Change
from tests.cli.running import given_out
from tests.forges.commenting import pushed, told
from tests.forges.forge import Forge
from tests.forges.running import Used
from tests.forges.test_actions import merged, runner
from tests.world import SMALL, commit, git, tenant, write


def checked(folder: Path, base: Mapping[str, str | bytes], change: Change) -> Used:
    """The action, on the merge commit of a change."""
    first = given_out(folder / "first", base)
    bare = folder / "forge.git"
    git(folder, "clone", "-q", "--bare", str(first), str(bare))
    person = folder / "person"
    git(folder, "clone", "-q", str(bare), str(person))
    git(person, "switch", "-q", "-c", "change")
    for path in (path for path, text in change.items() if text is None):
        (person / path).unlink()
    write(person, {path: text for path, text in change.items() if text is not None})
    commit(person, "change")
    git(person, "push", "-q", "origin", "change")
    merged(folder, bare)
    return runner(folder, bare, "refs/pull/1/merge").use("check")


def test_a_change_of_a_team_names_the_team(tmp_path: Path) -> None:
    used = checked(tmp_path, TEAMS, PASSES["a tenant"])
    assert (used.code, used.outputs["exit-code"]) == (0, "0")
    assert (used.outputs["within-contract"], used.outputs["team"]) == ("true", "a")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a file beside", "0"),
        ("another team's namespace", "1"),
        ("more than a gate lets pass", "3"),
    ],
)
def test_every_other_one_names_none(name: str, code: str, tmp_path: Path) -> None:
    used = checked(tmp_path, TEAMS, STOPS[name])
    assert used.outputs["exit-code"] == code
    assert (used.outputs["within-contract"], used.outputs["team"]) == ("false", "")


def test_the_action_that_comments_says_it_too(tmp_path: Path, forge: Forge) -> None:
    bare = tmp_path / "acme" / "addresses"
    git(tmp_path, "clone", "-q", "--bare", str(given_out(tmp_path / "first", TEAMS)), str(bare))
    inside = {path: text for path, text in PASSES["a tenant"].items() if text is not None}
    head = pushed(tmp_path, bare, inside)
    forge.pull(head)
    outputs = told(tmp_path, forge, head).outputs
    assert (outputs["exit-code"], outputs["changed"]) == ("0", "true")
    assert (outputs["within-contract"], outputs["team"]) == ("true", "a")


def test_where_no_team_has_a_folder_it_names_none(tmp_path: Path) -> None:
    used = checked(tmp_path, SMALL, {"tenants/two.yaml": tenant("two")})
    assert (used.outputs["within-contract"], used.outputs["team"]) == ("false", "")
