"""`check` where nothing is to be checked: a wrong folder is not fine."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import repository

STRANGE = {"README.md": "another repository\n", "deploy/app.yaml": "a: b\n"}


def test_a_repository_without_any_folder_that_is_read_is_wrong_unless_a_person_expects_it(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", STRANGE)
    ran = ipam(capsys, "check", "--repo", repo)
    assert (ran.code, "--allow-empty" in ran.out) == (1, True)
    assert ran.out.startswith(".: error nothing-to-check: nothing to check: no file in pools/")
    ran = ipam(capsys, "check", "--allow-empty", "--repo", repo, "-o", "json")
    (found,) = json.loads(ran.out)["findings"]
    assert (ran.code, found["code"], found["severity"]) == (0, "nothing-to-check", "info")


@pytest.mark.parametrize("how", [[], ["--worktree"]])
def test_a_repository_that_was_only_begun_is_fine_and_says_so(
    how: list[str], tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", {"pools/.gitkeep": ""})
    ran = ipam(capsys, "check", *how, "--repo", repo)
    assert ran.code == 0
    assert "info nothing-to-check: nothing to check yet: no document" in ran.out


def test_a_folder_that_is_no_repository_is_told_with_both_ways_out(
    tmp_path: Path, capsys: Capture
) -> None:
    ran = ipam(capsys, "plan", "--repo", tmp_path)
    assert ran.code == 4
    assert "hint: pass --repo DIR or ipam -C DIR, or run ipam init DIR to create one" in ran.err
