"""A removal that an Override let pass settles nothing where its history leaves a doubt."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.hostile.test_freed_before import OVERRIDE, alone, change, codes, ended, let_go
from tests.hostile.test_odd_history import literally
from tests.hostile.test_records import BOTH, VICTIM, checked
from tests.world import CLOCK, commit, git, tenant, write

Capture = pytest.CaptureFixture[str]
OTHER = VICTIM.replace("one.", "other.")


@pytest.fixture
def main(tmp_path: Path) -> Path:
    """A victim and a thief with their records."""
    return given_out(tmp_path / "repo", BOTH)


def taken(main: Path, capsys: Capture) -> list[str]:
    """What is told of who takes the addresses."""
    change(main, {"tenants/new.yaml": tenant("new", "aa-team")})
    return codes(checked(main, capsys)["findings"])


def removed_by(main: Path, committer: str) -> None:
    """The removal of the victim, by a commit that is written byte by byte."""
    git(main, "rm", "-q", VICTIM)
    tree, parent = git(main, "write-tree"), git(main, "rev-parse", "HEAD")
    who = f"A Person <a@example.com> {CLOCK + 30} +0000"
    head = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {committer}\n\ngone\n"
    git(main, "update-ref", "refs/heads/main", literally(main, "commit", head.encode()))


def standing(main: Path) -> None:
    """The Override alone, which reconcile went over."""
    write(main, {"overrides/2026-02-15-one.yaml": OVERRIDE})
    commit(main, "let it go", clock=CLOCK + 10)
    assert run(["reconcile", "--repo", str(main)]) == 0
    (main / "tenants/one.yaml").unlink()
    commit(main, "no tenant", clock=CLOCK + 20)


def test_what_was_moved_before_it_was_removed_is_not_settled(main: Path, capsys: Capture) -> None:
    standing(main)
    git(main, "mv", VICTIM, OTHER)
    commit(main, "moved", clock=CLOCK + 30)
    (main / OTHER).unlink()
    commit(main, "gone", clock=CLOCK + 35)
    ended(main)
    assert taken(main, capsys) == ["error freed-by-hand tenants/new.yaml"]


@pytest.mark.parametrize(
    ("committer", "found"),
    [
        (f"A Person <a@example.com> {CLOCK + 30} +0000", []),
        ("A Person <a@example.com> never", ["error freed-by-hand tenants/new.yaml"]),
    ],
    ids=["dated", "without a date"],
)
def test_a_commit_that_nobody_can_read_settles_nothing(
    committer: str, found: list[str], main: Path, capsys: Capture
) -> None:
    standing(main)
    removed_by(main, committer)
    ended(main)
    assert taken(main, capsys) == found


def test_what_an_override_let_go_longer_ago_than_is_looked_at_is_not_settled(
    main: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go(main)
    ended(main)
    capsys.readouterr()
    assert alone(main, capsys) == []
    monkeypatch.setattr("reconciler.commands.let_go.MOST_STEPS", 1)
    assert [it["code"] for it in alone(main, capsys)] == ["record-removed"]
