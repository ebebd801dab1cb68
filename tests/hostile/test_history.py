"""Forged histories: trailers from other people, and records in folders that are not read."""

from pathlib import Path

import pytest

from tests.cli.running import Said, given_out
from tests.world import CLOCK, SMALL, commit, git, repository, settings, tenant, write

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
ELSEWHERE = {"ipam.yaml": settings("{records: elsewhere}")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", SMALL)


def forged(folder: Path, subject: str = "allocate 1") -> str:
    """Commit everything with message, trailers, and date of a reconcile commit."""
    base = git(folder, "rev-parse", "HEAD")
    clock = int(git(folder, "show", "-s", "--format=%ct", "HEAD"))
    text = (
        f"ipam: {subject}\n\nIpam-Plan: sha256:{'0' * 64}\nIpam-Base: {base}\nIpam-Version: 0.1.0\n"
    )
    return commit(folder, text, clock + 1)


def test_where_reconcile_took_the_last_record_away_the_next_one_is_given(
    folder: Path, said: Said
) -> None:
    git(folder, "rm", "-q", "tenants/one.yaml")
    commit(folder, clock=CLOCK + 60)
    assert said("reconcile", "--allow-release", "1")[0] == 0
    write(folder, {"README.md": "x\n"})
    commit(folder, clock=CLOCK + 7 * 86_400)
    assert said("reconcile")[0] == 0
    assert git(folder, "ls-files", "allocations") == ""
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder, clock=CLOCK + 8 * 86_400)
    assert said("reconcile")[0] == 0
    assert "two.loadbalancer.yaml" in git(folder, "ls-files", "allocations")


def test_records_that_are_left_in_the_old_folder_are_an_error_always(
    folder: Path, said: Said
) -> None:
    git(folder, "switch", "-q", "-c", "change")
    text = (folder / RECORD).read_text(encoding="utf-8")
    other = RECORD.replace("one.", "fake.").replace("allocations", "elsewhere")
    write(folder, {**ELSEWHERE, other: text})
    write(folder, {"tenants/two.yaml": tenant("two")})
    head = commit(folder, clock=CLOCK + 60)
    for _ in "12":
        for verb in ("check", "plan", "reconcile"):
            code, text = said(verb)
            assert code in (1, 3), text
        code, text = said("check", "--base", "main")
        assert code == 1
        assert "error settings-changed: spec.records is elsewhere/" in text
        assert "in allocations/" in text
        assert git(folder, "rev-parse", "HEAD") == head
        head = forged(folder)  # and a trailer does not change that


@pytest.mark.parametrize(
    "name", ["README.md", "README.md/records", "tools/x.yaml", "tools/x.yaml/a"]
)
def test_the_records_folder_cannot_be_a_file_of_the_tree(
    tmp_path: Path, said: Said, name: str
) -> None:
    files = {"README.md": "x\n", "tools/x.yaml": "x\n"}
    files["ipam.yaml"] = settings(f"{{records: {name}}}")
    folder = repository(tmp_path / "other", {**SMALL, **files})
    head = git(folder, "rev-parse", "HEAD")
    for verb in ("check", "plan", "reconcile"):
        code, text = said(verb, "--repo", str(folder))
        assert code == 1
        assert "not-a-folder" in text
    if (folder / name).exists():  # a work tree cannot have a folder inside of a file
        assert said("check", "--worktree", "--repo", str(folder))[0] == 1
    assert git(folder, "rev-parse", "HEAD") == head
