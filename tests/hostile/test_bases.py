"""`--base` and `--rev`: whoever may push a tag or a branch does not choose what is compared."""

import json
from pathlib import Path

import pytest

from tests.cli.running import Ran, ipam
from tests.world import CLOCK, SMALL, commit, git, pool, repository, write

WIDE = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/23")}
Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """Main has a pool of a /23; the change makes it smaller."""
    made = repository(tmp_path / "repo", WIDE)
    git(made, "checkout", "-q", "-b", "change")
    write(made, {"pools/edge.yaml": pool()})
    commit(made, "shrink", CLOCK + 1)
    return made


def check(capsys: Capsys, repo: Path, *options: str) -> Ran:
    return ipam(capsys, "check", "--repo", repo, *options)


def codes(ran: Ran) -> list[str]:
    return [item["code"] for item in json.loads(ran.out)["findings"]]


def test_a_tag_that_shadows_the_branch_of_the_base_is_refused(capsys: Capsys, repo: Path) -> None:
    assert "pool-shrunk" in codes(check(capsys, repo, "--base", "main", "-o", "json"))
    git(repo, "tag", "main", "change")  # what a hostile base would hide
    for verb in ("check", "plan"):
        ran = ipam(capsys, verb, "--repo", repo, "--base", "main")
        assert (ran.code, ran.out) == (64, "")
        assert "'main' is ambiguous: refs/tags/main and refs/heads/main" in ran.err
        assert "write refs/tags/main or refs/heads/main, or a commit id" in ran.err
    assert "pool-shrunk" in codes(check(capsys, repo, "--base", "refs/heads/main", "-o", "json"))
    assert codes(check(capsys, repo, "--base", "refs/tags/main", "-o", "json")) == []


def test_a_tag_or_a_branch_that_shadows_a_remote_branch_is_refused(
    capsys: Capsys, repo: Path
) -> None:
    git(repo, "update-ref", "refs/remotes/origin/main", "main")
    assert check(capsys, repo, "--base", "origin/main").code == 1
    git(repo, "branch", "origin/main", "change")
    ran = check(capsys, repo, "--base", "origin/main")
    assert ran.code == 64
    assert "refs/heads/origin/main and refs/remotes/origin/main" in ran.err


def test_the_upstream_of_a_branch_is_what_its_configuration_says(
    capsys: Capsys, repo: Path
) -> None:
    git(repo, "branch", "-q", "--set-upstream-to", "main", "change")
    git(repo, "tag", "main", "change")
    git(repo, "tag", "change", "change")
    for base in ("@{u}", "@{upstream}", "change@{upstream}", "HEAD@{u}"):
        assert "pool-shrunk" in codes(check(capsys, repo, "--base", base, "-o", "json")), base


@pytest.mark.parametrize(
    "name",
    [
        "--help", "-n", "", " ", "main ", "a\nb", "main\x1b[2J", "main^{tree}", "main:ipam.yaml",
        ":pools/edge.yaml", ":/first", "main^{/first}", "main@{yesterday}", "main@{1}", "@{-1}",
        "main..change", "main...change", "^main", "main^@", "main^!", "../main", "/main", "main/",
        "a//b", ".main", "ma*n", "[m]ain", "main\\", "main\u2028x", "main.lock", "x" * 70_000 + "^{",
    ],
)  # fmt: skip
def test_what_is_no_name_of_a_commit_is_refused_before_git_sees_it(
    capsys: Capsys, repo: Path, name: str
) -> None:
    for option in ("--base", "--rev"):
        ran = check(capsys, repo, f"{option}={name}")
        assert ran.code == 64, ran
        assert ran.out == ""
        assert "is not a revision" in ran.err
        assert "\x1b" not in ran.err


def test_a_work_tree_is_compared_with_what_its_head_changed_too(capsys: Capsys, repo: Path) -> None:
    found = codes(check(capsys, repo, "--worktree", "--base", "main", "-o", "json"))
    assert found == codes(check(capsys, repo, "--base", "main", "-o", "json"))
    assert "pool-shrunk" in found
    write(repo, WIDE)
    assert codes(check(capsys, repo, "--worktree", "--base", "main", "-o", "json")) == []
    write(repo, {"ipam.yaml": "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec: {gate: never}\n"})  # fmt: skip
    ran = check(capsys, repo, "--worktree", "--base", "main", "-o", "json")
    assert codes(ran) == ["settings-changed"]


def test_a_work_tree_without_a_commit_cannot_be_compared(capsys: Capsys, repo: Path) -> None:
    git(repo, "checkout", "-q", "--orphan", "empty")
    ran = check(capsys, repo, "--worktree", "--base", "main")
    assert ran.code == 4
    assert ran.out == ""
