"""`ipam schema --codeowners`: whose folder is whose, for a forge."""

from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.planning.test_guard import settings
from tests.planning.test_ownership import HOSTILE, team, world
from tests.world import commit, repository, write

ARGUMENTS = ("schema", "--codeowners", "--repo")
TWO = world(
    a={"folders": "tenants/b/inner tenants/a", "owners": "@acme/a person@example.com"},
    b={"folders": "tenants/b tenants/a", "owners": "@acme/b"},
    c={"namespaces": "team-c"},
)
LINES = [
    "/tenants/a/ @acme/a @acme/b person@example.com",
    "/tenants/b/ @acme/b",
    "/tenants/b/inner/ @acme/a person@example.com",
]


def test_each_folder_has_a_line_and_the_inner_one_stands_last(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", TWO)
    ran = ipam(capsys, *ARGUMENTS, folder)
    head, *lines = ran.out.splitlines()
    assert (ran.code, lines) == (0, LINES)
    assert head.startswith("# ")


def test_a_root_with_a_name_that_means_more_there_is_refused(
    tmp_path: Path, capsys: Capture
) -> None:
    files = {f"a #b/{path}": text for path, text in TWO.items()}
    files["a #b/ipam.yaml"] = settings(gate="warning")
    folder = repository(tmp_path / "repo", files)
    ran = ipam(capsys, *ARGUMENTS, folder / "a #b")
    assert (ran.code, ran.out) == (64, "")


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"folders": "tenants/a"}, "no owners are set for the folders of a"),
        ({"owners": "@acme/a"}, "no team has a folder"),
    ],
)
def test_what_nobody_owns_is_told_and_no_line_is_written(
    tmp_path: Path, capsys: Capture, says: dict[str, str], words: str
) -> None:
    ran = ipam(capsys, *ARGUMENTS, repository(tmp_path / "repo", world(a=says)))
    assert (ran.code, ran.out) == (64, "")
    assert words in ran.err


@pytest.mark.parametrize(("name", "text"), HOSTILE)
def test_no_line_is_made_of_what_cannot_be_read_for_sure(
    tmp_path: Path, capsys: Capture, name: str, text: str
) -> None:
    says = {"folders": "tenants/a", "owners": "@acme/a"} | {name: text}
    folder = repository(tmp_path / "repo", world(a={"folders": "x", "owners": "@acme/a"}))
    write(folder, {"teams/a.yaml": team("a", **says)})
    commit(folder)
    ran = ipam(capsys, *ARGUMENTS, folder)
    assert (ran.code, ran.out) == (1, "")
    assert "annotation-invalid" in ran.err


def test_it_goes_with_no_kind(tmp_path: Path, capsys: Capture) -> None:
    assert ipam(capsys, "schema", "Team", "--codeowners").code == 64
    assert ipam(capsys, "schema", "--out", tmp_path / "out", "--codeowners").code == 64
    assert not (tmp_path / "out").exists()
