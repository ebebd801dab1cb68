"""Messages of `check` and `plan` about uncommitted files, which they do not read."""

from pathlib import Path

import pytest

from tests.cli.running import Capture, ipam
from tests.world import SMALL, git, repository, tenant, write

VERBS = pytest.mark.parametrize("verb", [["check"], ["plan"], ["check", "--base", "HEAD"]])


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", {**SMALL, ".gitignore": "*.swp\n"})


@VERBS
def test_files_that_are_not_committed_are_named_with_the_way_to_have_them_read(
    verb: list[str], repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/two.yaml": tenant("two"), "tenants/one.yaml": tenant("one", replicas=9)})
    ran = ipam(capsys, *verb, "--repo", repo)
    assert ran.err == (
        "note: 2 files are not committed, and were not read: tenants/one.yaml and"
        " tenants/two.yaml; to read the work tree, pass --worktree\n"
    )
    assert "two" not in ran.out


def test_what_is_staged_or_removed_counts_and_what_no_verb_reads_does_not(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/two.yaml": tenant("two"), "README.md": "x", "tenants/.one.swp": "x"})
    git(repo, "add", "tenants/two.yaml")
    (repo / "tenants" / "one.yaml").unlink()
    ran = ipam(capsys, "check", "--repo", repo / "pools")
    assert ran.err.startswith("note: 2 files are not committed")
    assert "README" not in ran.err


def test_a_configuration_that_names_a_hook_is_not_followed_and_stops_no_look(
    repo: Path, capsys: Capture
) -> None:
    git(repo, "config", "hook.mine.command", "touch mark")
    write(repo, {"tenants/two.yaml": tenant("two")})
    ran = ipam(capsys, "check", "--repo", repo)
    assert (ran.code, ran.err) == (0, "")
