"""Commits that only say that reconcile made them, and what was done by hand before: it is told."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.hostile.test_records import BOTH, VICTIM, checked
from tests.world import CLOCK, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
QUOTED = f"notes\n\nIpam-Plan: sha256:{'0' * 64}\n"
NOTES = {"notes.md": "x\n"}
BESIDE_RECORDS = {"allocations/notes.md": "x\n"}
SETTINGS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: default}\n"
    "spec: {brakes: {maxReleasePercent: %d, minRecords: 2}}\n"
)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A victim and a thief with their records."""
    return given_out(tmp_path / "repo", BOTH)


def merged(main: Path, files: dict[str, str], message: str, how: str) -> None:
    """A change whose commit, or whose squash alone, has the message."""
    git(main, "switch", "-qc", "notes")
    write(main, files)
    commit(main, message if how == "no-ff" else "notes", clock=CLOCK + 40)
    git(main, "switch", "-q", "main")
    if how == "no-ff":
        git(main, "merge", "-q", "--no-ff", "-m", "merge", "notes")
    else:
        git(main, "merge", "-q", "--squash", "notes")
        commit(main, message, clock=CLOCK + 50)


@pytest.mark.parametrize("how", ["no-ff", "squash"])
@pytest.mark.parametrize("files", [NOTES, BESIDE_RECORDS])
def test_a_message_that_quotes_reconcile_hides_nothing_that_was_removed_before(
    files: dict[str, str], how: str, main: Path, capsys: Capture
) -> None:
    (main / VICTIM).unlink()
    commit(main, "gone", clock=CLOCK + 30)
    merged(main, files, QUOTED, how)
    git(main, "switch", "-qc", "change")
    write(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    commit(main, "change", clock=CLOCK + 60)
    document = checked(main, capsys)
    assert document["exitCode"] == 1
    assert [it["code"] for it in document["findings"]] == ["freed-by-hand"]


def test_nor_does_one_whose_files_only_have_another_mode(main: Path, capsys: Capture) -> None:
    (main / VICTIM).unlink()
    commit(main, "gone", clock=CLOCK + 30)
    (kept,) = (main / "allocations").rglob("*.yaml")
    kept.chmod(0o755)
    commit(main, QUOTED, clock=CLOCK + 40)
    git(main, "switch", "-qc", "change")
    write(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    commit(main, "change", clock=CLOCK + 60)
    assert "freed-by-hand" in [it["code"] for it in checked(main, capsys)["findings"]]


def test_settings_that_a_quoting_change_loosened_do_not_judge_the_next_one(
    tmp_path: Path, capsys: Capture
) -> None:
    many = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(5)}
    files = {**BOTH, **many, "ipam.yaml": SETTINGS % 10}
    main = given_out(tmp_path / "repo", files)
    merged(main, {"ipam.yaml": SETTINGS % 100}, QUOTED, "squash")
    git(main, "switch", "-qc", "change")
    for at in range(5):
        (main / f"tenants/t{at}.yaml").unlink()
    commit(main, "change", clock=CLOCK + 60)
    assert checked(main, capsys)["exitCode"] == 3


@pytest.mark.parametrize(("depth", "code"), [(2, 0), (4, 0), (5, 0), (20, 1)])
def test_in_a_clone_that_ends_too_early_an_older_one_beside_the_line_is_not_the_newest(
    depth: int, code: int, main: Path, tmp_path: Path, capsys: Capture
) -> None:
    git(main, "branch", "feature")
    write(main, {"tenants/vic.yaml": tenant("vic")})
    commit(main, "vic", clock=CLOCK + 10)
    assert run(["reconcile", "--repo", str(main)]) == 0, capsys.readouterr().err
    (made,) = (main / "allocations").rglob("vic.loadbalancer.yaml")
    made.unlink()
    (main / "tenants/vic.yaml").unlink()
    commit(main, "gone", clock=CLOCK + 20)
    for at in range(4):
        write(main, {"notes.md": f"{at}\n"})
        commit(main, "notes", clock=CLOCK + 21 + at)
    git(main, "switch", "-q", "feature")
    write(main, {"feature.md": "x\n"})
    commit(main, "feature", clock=CLOCK + 30)
    git(main, "switch", "-q", "main")
    git(main, "merge", "-q", "--no-ff", "-m", "merge", "feature")
    git(main, "switch", "-qc", "change")
    write(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    commit(main, "change", clock=CLOCK + 60)
    git(main, "switch", "-q", "main")
    git(main, "merge", "-q", "--no-ff", "-m", "merge", "change")
    git(tmp_path, "clone", "-q", f"--depth={depth}", f"file://{main}", "cut")
    document = checked(tmp_path / "cut", capsys, base="HEAD^1")
    told = [it["code"] for it in document["findings"]]
    assert document["exitCode"] == code, told
    assert ("history-cut" in told) is (code == 0)
