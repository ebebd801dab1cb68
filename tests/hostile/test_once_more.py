"""What a third attacker found: each attempt for real."""

import subprocess
from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.cli.shared.opening import open_source
from reconciler.commands.last_made import last_made
from tests.world import CLOCK, commit, git, tenant, write

SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  sources: [pools, providers, tenants]
"""
FORGED = """ipam: allocate 1

Ipam-Plan: sha256:{digest}
Ipam-Base: {base}
Ipam-Version: 0.1.0"""


def test_a_commit_in_the_past_whose_base_is_too_large_stops_nobody(folder: Path) -> None:
    write(folder, {"ipam.yaml": SETTINGS})
    commit(folder, "settings", CLOCK + 99)
    write(folder, {"ipam.yaml": f"{SETTINGS}  limits: {{files: 1}}\n"})
    base = commit(folder, "small", CLOCK + 100)
    record = next((folder / "allocations").rglob("t1.*.yaml"), None) or next(
        (folder / "allocations").rglob("*.yaml")
    )
    text = record.read_text()
    record.write_text(text + "# x\n")
    commit(folder, FORGED.format(digest="0" * 64, base=base), CLOCK + 101)
    record.write_text(text)
    write(folder, {"ipam.yaml": SETTINGS})
    commit(folder, "back", CLOCK + 102)
    assert run(["check", "--repo", str(folder)]) == 0


def test_a_work_tree_of_a_shallow_clone_is_as_shallow(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"notes.txt": "x"})
    commit(folder, "notes", CLOCK + 100)
    clone, tree = tmp_path / "clone", tmp_path / "tree"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", f"file://{folder}", str(clone)], check=True
    )
    git(clone, "remote", "remove", "origin")
    git(clone, "worktree", "add", "-q", "-b", "other", str(tree))
    for record in list((tree / "allocations").rglob("*.yaml"))[:10]:
        record.unlink()
    write(tree, {"tenants/new.yaml": tenant("new")})
    commit(tree, "gone", CLOCK + 200)
    capsys.readouterr()
    assert run(["reconcile", "--repo", str(tree), "--branch", "other", "--any-branch"]) == 4
    assert "unshallow" in capsys.readouterr().err


def test_a_file_url_means_one_folder_to_every_process(folder: Path, tmp_path: Path) -> None:
    evil, marker = folder / "evil.git", tmp_path / "ran"
    subprocess.run(["git", "clone", "-q", "--bare", str(folder), str(evil)], check=True)
    hook = evil / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    (folder / ".git" / "info" / "exclude").write_text("evil.git\n")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "new", CLOCK + 100)
    subprocess.run(["git", "-C", str(evil), "fetch", "-q", str(folder), "+main:main"], check=True)
    git(folder, "remote", "add", "origin", "file:///proc/self/cwd/../evil.git")
    assert run(["reconcile", "--repo", str(folder)]) != 0
    assert not marker.exists()


@pytest.mark.parametrize("where", ["report.md", "out/report.md"])
def test_a_link_of_the_change_leads_no_report_elsewhere(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.chdir(folder)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "report.md").write_text("mine")
    link = folder / where.partition("/")[0]
    link.symlink_to(outside if "/" in where else outside / "report.md")
    assert run(["check", "--repo", str(folder), "--out", f"markdown={where}"]) == 64
    assert (outside / "report.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["feature/#12-web", "für-team", "a@2", "fix+more"])
def test_what_is_only_read_may_stand_on_a_branch_of_any_name(folder: Path, name: str) -> None:
    git(folder, "switch", "-q", "-c", name)
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "new", CLOCK + 100)
    assert run(["check", "--repo", str(folder), "--base", "main"]) == 0
    assert run(["reconcile", "--repo", str(folder)]) == 64


def test_the_newest_commit_of_reconcile_is_so_by_history_and_not_by_date(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "late")
    write(folder, {"notes.txt": "late"})
    commit(folder, "notes", CLOCK + 900)
    git(folder, "switch", "-q", "main")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "new", CLOCK + 300)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    newest = git(folder, "rev-parse", "HEAD")
    write(folder, {"notes/old.txt": "by a clock that is behind"})
    commit(folder, "old", CLOCK - 900)
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "late", clock=CLOCK + 1_000)
    repository = open_source(folder, "HEAD", worktree=False).repository
    assert repository is not None
    assert last_made(repository, repository.resolve("HEAD")).commit == newest


def test_after_a_history_was_rewritten_removed_records_are_told_all_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "filter-branch", "-f", "--env-filter", "export GIT_AUTHOR_EMAIL=new@x", "main")
    for record in list((folder / "allocations").rglob("*.yaml"))[:10]:
        record.unlink()
    write(folder, {"tenants/a.yaml": tenant("a")})
    commit(folder, "tidy", CLOCK + 100)
    capsys.readouterr()
    assert run(["check", "--repo", str(folder)]) == 3
    assert "commit-unproven" not in capsys.readouterr().out
    now = git(folder, "rev-parse", "HEAD")
    assert run(["reconcile", "--repo", str(folder), "--accept-history", now]) == 3
    assert "brake" in capsys.readouterr().out
