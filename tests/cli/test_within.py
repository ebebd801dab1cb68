"""A change within the limits of one team needs no review. Any other change does."""

from pathlib import Path
from typing import Any

import pytest

from tests.changes_of_teams import PASSES, STOPS, TEAMS, Change
from tests.cli.running import Capture, given_out, ipam
from tests.planning.outcome import Files
from tests.planning.test_guard import settings
from tests.test_output_schemas import validated
from tests.world import CLOCK, commit, git, repository, tenant, write


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("within")
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        return given_out(home / "repo", TEAMS)


def clone(made: Path, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "-q", str(made), "repo")
    return tmp_path / "repo"


def changed(repo: Path, files: Change) -> str:
    git(repo, "switch", "-q", "-C", "change")
    for path, text in files.items():
        if text is None:
            (repo / path).unlink()
        else:
            write(repo, {path: text})
    return commit(repo, "change", clock=CLOCK + 60)


def judged(capsys: Capture, repo: Path) -> tuple[int, Any]:
    ran = ipam(capsys, "check", "--base", "main", "--repo", repo, "-o", "json")
    return ran.code, validated("check.json", ran.out)["withinContract"]


@pytest.mark.parametrize("files", PASSES.values(), ids=PASSES)
def test_what_a_team_does_with_its_own_is_within_its_contract(
    files: Change, made: Path, tmp_path: Path, capsys: Capture
) -> None:
    repo = clone(made, tmp_path)
    changed(repo, files)
    assert judged(capsys, repo) == (0, {"team": "a", "reasons": []})


@pytest.mark.parametrize("files", STOPS.values(), ids=STOPS)
def test_everything_else_is_not(files: Change, made: Path, tmp_path: Path, capsys: Capture) -> None:
    repo = clone(made, tmp_path)
    changed(repo, files)
    _, found = judged(capsys, repo)
    assert (found["team"], bool(found["reasons"])) == (None, True)


def test_a_tenant_of_its_own_that_comes_back_is(tmp_path: Path, capsys: Capture) -> None:
    files = {**TEAMS, "tenants/a/back.yaml": tenant("back")}
    repo = given_out(tmp_path / "repo", files)
    (repo / "tenants/a/back.yaml").unlink()
    commit(repo, "gone", clock=CLOCK + 30)
    assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    changed(repo, {"tenants/a/back.yaml": tenant("back")})
    assert judged(capsys, repo) == (0, {"team": "a", "reasons": []})


def test_without_folders_nothing_is_said(tmp_path: Path, capsys: Capture) -> None:
    files: Files = {path: text for path, text in TEAMS.items() if not path.startswith("teams/")}
    repo = given_out(tmp_path / "repo", files)
    changed(repo, {"tenants/a/new.yaml": tenant("new")})
    assert judged(capsys, repo) == (0, None)
    assert "contract" not in ipam(capsys, "check", "--base", "main", "--repo", repo).out


def test_a_link_and_a_program_in_the_teams_folder_are_not(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    repo = clone(made, tmp_path)
    git(repo, "switch", "-q", "-c", "change")
    (repo / "tenants/a/link.yaml").symlink_to("../../pools/edge.yaml")
    commit(repo, "change", clock=CLOCK + 60)
    _, found = judged(capsys, repo)
    why = "'tenants/a/link.yaml' is not a plain file that ipam reads"
    assert (found["team"], found["reasons"][0]) == (None, why)


def test_a_change_whose_base_moved_is_judged_as_it_will_be_merged(
    made: Path, tmp_path: Path, capsys: Capture
) -> None:
    repo = clone(made, tmp_path)
    changed(repo, {"tenants/a/new.yaml": tenant("new")})
    git(repo, "switch", "-q", "main")
    write(repo, {"README.md": "more"})
    commit(repo, "other", clock=CLOCK + 90)
    git(repo, "switch", "-q", "change")
    assert judged(capsys, repo) == (0, {"team": "a", "reasons": []})
    git(repo, "switch", "-q", "main")
    write(repo, {"tenants/b/new.yaml": tenant("new", "team-b")})
    commit(repo, "other", clock=CLOCK + 90)
    git(repo, "switch", "-q", "change")
    code, found = judged(capsys, repo)
    why = "the change affects team-b/new (loadbalancer)"  # it would have got these
    assert (code, found) == (0, {"team": None, "reasons": [why]})


def test_beside_a_root_nothing_is_known(tmp_path: Path, capsys: Capture) -> None:
    every = {**TEAMS, "ipam.yaml": settings(gate="warning")}
    files = {f"net/{path}": text for path, text in every.items()}
    repo = repository(tmp_path / "repo", files)
    changed(repo, {"net/tenants/a/new.yaml": tenant("new"), "deploy.sh": "rm -rf /"})
    _, found = judged(capsys, repo / "net")
    assert found == {"team": None, "reasons": ["files outside the root are not checked"]}
