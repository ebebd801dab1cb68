"""A pushed tag or branch cannot change the revisions that `--base` and `--rev` select."""

from pathlib import Path

import pytest

from tests.cli.running import Checked, Said
from tests.world import CLOCK, SMALL, commit, git, pool, repository, settings, write

WIDE = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/23")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Main has a pool of a /23; the change makes it smaller."""
    made = repository(tmp_path / "repo", WIDE)
    git(made, "checkout", "-q", "-b", "change")
    write(made, {"pools/edge.yaml": pool()})
    commit(made, "shrink", CLOCK + 1)
    return made


def test_a_tag_that_shadows_the_branch_of_the_base_is_refused(
    folder: Path, checked: Checked, said: Said
) -> None:
    assert "pool-shrunk" in checked("--base", "main")[1]
    git(folder, "tag", "main", "change")  # a hostile base would hide it
    for verb in ("check", "plan"):
        code, text = said(verb, "--base", "main")
        assert (code, text.startswith("ipam: ")) == (64, True)
        assert "'main' is ambiguous: refs/tags/main and refs/heads/main" in text
        assert "write refs/tags/main or refs/heads/main, or a commit ID" in text
    assert "pool-shrunk" in checked("--base", "refs/heads/main")[1]
    assert checked("--base", "refs/tags/main")[1] == []


def test_a_tag_or_a_branch_that_shadows_a_remote_branch_is_refused(
    folder: Path, said: Said
) -> None:
    git(folder, "update-ref", "refs/remotes/origin/main", "main")
    assert said("check", "--base", "origin/main")[0] == 1
    git(folder, "branch", "origin/main", "change")
    code, text = said("check", "--base", "origin/main")
    assert code == 64
    assert "refs/heads/origin/main and refs/remotes/origin/main" in text


@pytest.mark.parametrize("name", ["main", "träger"])
def test_a_tag_that_shadows_a_branch_that_only_remotes_have_is_refused(
    folder: Path, checked: Checked, said: Said, name: str
) -> None:
    git(folder, "update-ref", f"refs/remotes/origin/{name}", "main")
    git(folder, "branch", "-q", "-D", "main")  # as in the checkout of a job
    git(folder, "tag", name, "change")
    git(folder, "tag", "v1", "change")
    code, text = said("check", "--base", f"{name}~1")
    assert code == 64
    assert f"'{name}~1' is ambiguous: refs/tags/{name} and refs/remotes/origin/{name}" in text
    assert f"write refs/tags/{name}~1 or refs/remotes/origin/{name}~1, or a commit ID" in text
    assert "pool-shrunk" in checked("--base", f"refs/remotes/origin/{name}")[1]
    assert checked("--base", f"refs/tags/{name}")[1] == []
    assert checked("--base", "v1")[1] == []


def test_a_tag_is_not_the_branch_that_a_clone_lacks(
    folder: Path, checked: Checked, said: Said
) -> None:
    git(folder, "checkout", "-q", "--detach")
    git(folder, "tag", "main", "change")
    git(folder, "branch", "-q", "-D", "main", "change")  # as in a clone of one commit
    code, text = said("check", "--base", "main")
    assert (code, "'main' is a tag, and this clone has no branches" in text) == (64, True)
    assert "or write refs/tags/main" in text
    assert checked("--base", "refs/tags/main")[1] == []


def test_the_upstream_of_a_branch_is_what_its_configuration_says(
    folder: Path, checked: Checked
) -> None:
    git(folder, "branch", "-q", "--set-upstream-to", "main", "change")
    git(folder, "tag", "main", "change")
    git(folder, "tag", "change", "change")
    for base in ("@{u}", "@{upstream}", "change@{upstream}", "HEAD@{u}"):
        assert "pool-shrunk" in checked("--base", base)[1], base


@pytest.mark.parametrize(
    "name",
    [
        "--help", "-n", "", " ", "main ", "a\nb", "main\x1b[2J", "main^{tree}", "main:ipam.yaml",
        ":pools/edge.yaml", ":/first", "main^{/first}", "main@{yesterday}", "main@{1}", "@{-1}",
        "main..change", "main...change", "^main", "main^@", "main^!", "../main", "/main", "main/",
        "a//b", ".main", "ma*n", "[m]ain", "main\\", "main\u2028x", "main.lock", "x" * 70_000 + "^{",
    ],
)  # fmt: skip
def test_what_is_no_name_of_a_commit_is_refused_before_git_sees_it(said: Said, name: str) -> None:
    for option in ("--base", "--rev"):
        code, text = said("check", f"{option}={name}")
        assert (code, text.startswith("ipam: ")) == (64, True), text
        assert "is not a revision" in text
        assert "\x1b" not in text


def test_a_work_tree_is_compared_with_what_its_head_changed_too(
    folder: Path, checked: Checked
) -> None:
    found = checked("--worktree", "--base", "main")[1]
    assert found == checked("--base", "main")[1]
    assert "pool-shrunk" in found
    write(folder, WIDE)
    assert checked("--worktree", "--base", "main")[1] == []
    write(folder, {"ipam.yaml": settings("{gate: never}")})
    assert checked("--worktree", "--base", "main")[1] == ["settings-changed"]


def test_a_work_tree_without_a_commit_cannot_be_compared(folder: Path, said: Said) -> None:
    git(folder, "checkout", "-q", "--orphan", "empty")
    code, text = said("check", "--worktree", "--base", "main")
    assert (code, text.startswith("ipam: ")) == (4, True)
