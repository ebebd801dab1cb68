"""Remotes by file URL, reports through symlinks, and branches with odd names."""

import subprocess
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.world import CLOCK, commit, git, tenant, write


def test_a_file_url_means_one_folder_to_every_process(folder: Path, tmp_path: Path) -> None:
    evil, marker = folder / "evil.git", tmp_path / "ran"
    subprocess.run(["git", "clone", "-q", "--bare", str(folder), str(evil)], check=True)
    hook = evil / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    (folder / ".git" / "info").mkdir(exist_ok=True)
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
    assert run(["check", "--repo", str(folder), "--output-file", f"markdown={where}"]) == 64
    assert (outside / "report.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["feature/#12-web", "für-team", "a@2", "fix+more"])
def test_what_is_only_read_may_stand_on_a_branch_of_any_name(folder: Path, name: str) -> None:
    git(folder, "switch", "-q", "-c", name)
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, "new", CLOCK + 100)
    assert run(["check", "--repo", str(folder), "--base", "main"]) == 0
    assert run(["reconcile", "--repo", str(folder)]) == 64
