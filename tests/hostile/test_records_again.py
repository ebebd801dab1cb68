"""What frees addresses as a removal does is braked as one; and what only seems to be one is told."""

import re
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.world import CLOCK, SMALL, commit, git, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge/team-a"
OTHER = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {records: elsewhere}\n"
)
THIEF = f"{FOLDER.replace('team-a', 'team-b')}/aaa-thief.loadbalancer.yaml"
COUNT = 12
LATE = {"tenants/late.yaml": tenant("aaa-thief", "team-b", networking="{lbPoolSize: 64}")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve tenants with their records."""
    tenants = {f"tenants/t{n}.yaml": tenant(f"t{n}") for n in range(COUNT)}
    return given_out(
        tmp_path / "repo",
        {
            "pools/edge.yaml": SMALL["pools/edge.yaml"],
            "providers/default.yaml": SMALL["providers/default.yaml"],
            **tenants,
        },
    )


def edit_all(folder: Path) -> None:
    """Give each record another range that is free."""
    for path in sorted((folder / FOLDER).iterdir()):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"10\.40\.0\.(\d+)", lambda it: f"10.40.0.{int(it[1]) + 128}", text)
        path.write_text(text, encoding="utf-8")


def said(
    folder: Path, capsys: pytest.CaptureFixture[str], verb: str, *more: str
) -> tuple[int, str]:
    capsys.readouterr()
    code = run([verb, "--repo", str(folder), *more])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_records_that_are_removed_while_their_folder_moves_are_told_and_braked(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = [f"{FOLDER}/t{n}.loadbalancer.yaml" for n in range(5)]
    git(folder, "rm", "-q", *gone)
    git(folder, "mv", "allocations", "elsewhere")
    write(folder, {"ipam.yaml": OTHER, **LATE})
    commit(folder, "tidy", clock=CLOCK + 60)
    for verb in ("check", "reconcile"):
        code, text = said(folder, capsys, verb)
        assert code == 3
        assert "5 of 12 live records (41.7%), 5 of them removed by hand" in text
        for path in gone:
            assert (
                f"{path.replace('allocations', 'elsewhere')}:1:1: warning record-put-back" in text
            )
    for path in gone:
        was = git(folder, "show", f"main~2:{path}")
        assert git(folder, "show", f"main:{path.replace('allocations', 'elsewhere')}") == was
    assert said(folder, capsys, "verify")[0] == 0
    assert said(folder, capsys, "check")[0] == 0


def test_records_that_only_move_with_their_folder_are_no_news(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "mv", "allocations", "elsewhere")
    write(folder, {"ipam.yaml": OTHER, **LATE})
    head = commit(folder, "tidy", clock=CLOCK + 60)
    code, text = said(folder, capsys, "check")
    assert (code, "record-" in text) == (0, False)
    assert said(folder, capsys, "reconcile")[0] == 0
    assert git(folder, "rev-parse", "main") != head


def test_what_merged_edits_freed_past_the_brake_is_not_given_away(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit_all(folder)
    write(folder, LATE)
    head = commit(folder, "tidy", clock=CLOCK + 60)
    code, text = said(folder, capsys, "reconcile")
    assert code == 1
    assert "everything: 12 of 12 live records (100.0%), 12 of them edited by hand" in text
    assert "none of that is carried out" in text
    assert git(folder, "diff", "--stat", f"{head}^", "main", "--", f"{FOLDER}/t*") == ""
    assert "phase: Allocated" in git(folder, "show", f"main:{THIEF}")
    assert said(folder, capsys, "check")[0] == 0


def test_a_base_that_is_behind_is_told_in_the_hint_and_stays_an_error(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "branch", "old")
    for number, name in enumerate(("one", "two"), start=1):
        write(folder, {f"tenants/{name}.yaml": tenant(name)})
        commit(folder, clock=CLOCK + 60 * number)
        assert said(folder, capsys, "reconcile")[0] == 0
    made = git(folder, "rev-parse", "main")[:12]
    git(folder, "switch", "-qc", "change")
    write(folder, {"tenants/mine.yaml": tenant("mine")})
    commit(folder, clock=CLOCK + 200)
    hint = f"git fetch, then --base origin/main (commit {made} says that reconcile made it)"
    code, text = said(folder, capsys, "check", "--base", "old")
    assert code == 1
    assert f"if old is behind: {hint}; else remove it: records" in text
    assert said(folder, capsys, "check", "--base", "main")[0] == 0
    edit_all(folder)
    code, text = said(folder, capsys, "check", "--worktree", "--base", "main")
    assert (code, "origin/main" in text) == (1, False)
    assert hint in said(folder, capsys, "check", "--worktree", "--base", "old")[1]


def test_render_writes_nothing_while_records_are_edited(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    edit_all(folder)
    commit(folder, "edit", clock=CLOCK + 60)
    code, told = said(folder, capsys, "render", "--out", str(tmp_path / "out"))
    assert code == 1
    assert "error record-edited" in told
    assert not (tmp_path / "out").exists()


def lets_pass(folder: Path, *names: str) -> None:
    """Merge an Override for each of some tenants' records."""
    for name in names:
        text = (
            "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Override\n"
            f"metadata: {{name: 2026-02-15-{name}}}\nspec:\n  kind: record\n"
            f"  scope: {FOLDER}/{name}.loadbalancer.yaml\n"
            '  reason: it moves\n  expires: "2026-03-01T00:00:00Z"\n'
        )
        write(folder, {f"overrides/2026-02-15-{name}.yaml": text})
    commit(folder, "Overrides", clock=CLOCK + 30)


def test_a_removal_that_an_override_lets_pass_is_not_braked_and_hides_no_other(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    four = ["t0", "t1", "t2", "t3"]
    lets_pass(folder, *four)
    git(folder, "switch", "-qc", "change")
    git(folder, "rm", "-q", *(f"{FOLDER}/{name}.loadbalancer.yaml" for name in four))
    commit(folder, "they move", clock=CLOCK + 60)
    assert said(folder, capsys, "check", "--base", "main")[0] == 0
    others = [f"{FOLDER}/t{n}.loadbalancer.yaml" for n in range(4, 8)]
    git(folder, "rm", "-q", *others)
    commit(folder, "so do these", clock=CLOCK + 90)
    code, text = said(folder, capsys, "check", "--base", "main")
    assert code == 1
    assert "4 of 12 live records (33.3%), 4 of them removed by hand" in text
    git(folder, "reset", "-q", "--hard", "HEAD^")
    git(folder, "switch", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    assert said(folder, capsys, "reconcile")[0] == 0
    assert all((folder / FOLDER / f"{name}.loadbalancer.yaml").is_file() for name in four)
