import shlex
from pathlib import Path

import click
import pytest

from reconciler.cli.commands import ipam as group
from tests.cli.running import Capture, ipam
from tests.world import AHEAD, SMALL, commit, reconciled, repository, tenant, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


def test_two_is_changes_pending_when_asked_for(repo: Path, capsys: Capture) -> None:
    assert ipam(capsys, "plan", "--repo", repo).code == 0
    assert ipam(capsys, "plan", "--repo", repo, "--detailed-exitcode").code == 2
    write(repo, reconciled(SMALL))
    commit(repo)
    assert ipam(capsys, "plan", "--repo", repo, "--detailed-exitcode").code == 0


def test_three_is_a_gate(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}")})
    for verb in (("check",), ("plan", "--detailed-exitcode")):
        assert ipam(capsys, *verb, "--worktree", "--repo", repo).code == 3
    assert ipam(capsys, "simulate", "--tenants", "99", "--repo", repo).code == 3


def test_three_is_a_pool_up_to_its_gate_too_though_all_is_committed(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/two.yaml": tenant("two", networking="{lbPoolSize: 240}")})
    commit(repo, "two")
    ran = ipam(capsys, "reconcile", "--no-apply", "--repo", repo)
    assert ran.code == 3
    assert [line.split(": ")[1] for line in ran.err.splitlines()[::2][:1]] == ["exceeded capacity"]
    assert "2 to allocate" in ran.out
    again = ipam(capsys, "reconcile", "--no-apply", "--repo", repo)
    assert again.code == 0  # nothing fills it more


def test_three_is_a_commit_from_the_future_too_and_each_verb_says_so(
    repo: Path, capsys: Capture
) -> None:
    commit(repo, clock=AHEAD)
    for verb in (["check"], ["plan"], ["plan", "--worktree"], ["reconcile", "--no-apply"]):
        ran = ipam(capsys, *verb, "--repo", repo)
        assert ran.code == 3
        word = "held" if "reconcile" in verb else "refused"
        assert (
            f".: {word} clock-ahead: the commit is dated 2099-01-01T00:00:00Z," in ran.err + ran.out
        )
    assert ipam(capsys, "check", "--repo", repo).code == 0  # reconcile commits have a fixed date


@pytest.mark.parametrize(
    "line",
    [
        "nosuch", "check --nosuch", "get nosuch", "get", "simulate", "simulate --tenants 0",
        "apply --default-port 65536", "apply --require-all", "simulate --tenants 100001",
        "check -o xml", "check --color pink", "completion tcsh", "explain", "explain absent",
        "schema Nosuch", "check --worktree --rev HEAD~1", "reconcile --interval 0s",
        "reconcile --interval soon", "reconcile --output-file json=x --watch",
        "reconcile --metrics-file /nowhere/a.prom", "reconcile --author absent",
        "reconcile --author 'A <a@b> c'", "reconcile --author 'A\n <a@b>'",
    ],
)  # fmt: skip
def test_sixty_four_is_wrong_usage(repo: Path, capsys: Capture, line: str) -> None:
    arguments = shlex.split(line)
    known = len(arguments) > 1 and arguments[0] not in ("completion", "schema", "nosuch")
    ran = ipam(capsys, *arguments, *(["--repo", str(repo)] if known else []))
    assert (ran.code, ran.out) == (64, "")
    assert ran.err
    assert "Traceback" not in ran.err


def test_a_folder_that_is_none_is_wrong_usage(tmp_path: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "status", "--repo", tmp_path / "none")
    assert ran.code == 64
    assert "hint: pass a Git repository with --repo" in ran.err


def broken(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(group, "main", fail)


def test_seventy_is_a_bug_with_a_line_on_how_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    broken(monkeypatch, ValueError("odd\x1b[2J"))
    ran = ipam(capsys, "check")
    assert (ran.code, ran.out) == (70, "")
    assert ran.err == (
        "ipam: internal error: ValueError: odd\\u001b[2J\n"
        "  hint: run the command again with --debug, and report its output\n"
    )


@pytest.mark.parametrize(("value", "shown"), [("1", True), ("0", False), ("no", False)])
def test_a_traceback_is_shown_with_debug_only(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, value: str, shown: bool
) -> None:
    broken(monkeypatch, ValueError("odd"))
    assert "Traceback" in ipam(capsys, "check", "--debug").err
    monkeypatch.setenv("IPAM_DEBUG", value)
    assert ("Traceback" in ipam(capsys, "check").err) is shown


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), click.Abort()])
def test_an_interrupt_is_one_hundred_and_thirty(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture, failure: BaseException
) -> None:
    broken(monkeypatch, failure)
    ran = ipam(capsys, "check")
    assert ran.code == 130
    assert "interrupted" in ran.err


def test_an_error_of_the_system_is_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    broken(monkeypatch, PermissionError(13, "Permission denied", "/etc/x"))
    ran = ipam(capsys, "check")
    assert ran.code == 4
    assert ran.err.startswith("ipam: Permission denied /etc/x\n")
    broken(monkeypatch, OSError("odd"))
    assert ipam(capsys, "check").err.startswith("ipam: odd\n")


def test_without_a_verb_the_help_is_shown(capsys: Capture) -> None:
    ran = ipam(capsys)
    assert (ran.code, "Review:" in ran.err) == (64, True)
