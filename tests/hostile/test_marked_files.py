"""Work trees in which git does not look at all files: sparse checkouts, files marked as unchanged."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.world import SMALL, git, tenant

TENANTS = {f"tenants/{team}/one.yaml": tenant("one", namespace=team) for team in ("a", "b")}
RECORD = "allocations/NetworkPool/butler-system.edge/a/one.loadbalancer.yaml"
CHECK = "check beside a base"
VERBS = {
    CHECK: ("check", "--worktree", "--base", "main"),
    "check": ("check", "--worktree"),
    "plan": ("plan", "--worktree"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = given_out(tmp_path / "repo", {**SMALL, **TENANTS, "docs/a.md": "a", "docs/b.md": "b"})
    git(made, "update-index", "-q", "--refresh")  # sparse-checkout keeps files of unknown age
    return made


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        *((name, "--cone") for name in VERBS),
        *((CHECK, at) for at in ("--no-cone", "--sparse-index")),
    ],
)
def test_a_sparse_checkout_is_not_taken_for_one_with_removed_files(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, mode: str
) -> None:
    verb = VERBS[name]
    git(folder, "sparse-checkout", "set", mode, "pools", "providers", "tenants/a")
    assert not (folder / RECORD).exists()
    capsys.readouterr()
    assert run([*verb, "--repo", str(folder)]) == 64
    said = capsys.readouterr()
    assert "removed" not in said.out
    assert "allocations/" in said.err
    assert "git sparse-checkout disable" in said.err
    git(folder, "sparse-checkout", "disable")
    assert run([*verb, "--repo", str(folder)]) == 0


@pytest.mark.parametrize("mark", ["--skip-worktree", "--assume-unchanged"])
def test_a_file_that_is_marked_as_unchanged_is_not_told_as_removed(
    folder: Path, capsys: pytest.CaptureFixture[str], mark: str
) -> None:
    path = RECORD if mark == "--skip-worktree" else "tenants/a/one.yaml"
    git(folder, "update-index", mark, path)
    (folder / path).unlink()
    assert git(folder, "status", "--short") == ""
    capsys.readouterr()
    assert run([*VERBS[CHECK], "--repo", str(folder)]) == 64
    said = capsys.readouterr().err
    assert path in said
    assert mark.replace("--", "--no-") in said
