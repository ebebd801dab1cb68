"""A loop outlives whatever befalls one of its runs, and says each failure in one line."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.cli import reconcile as verb
from reconciler.cli import run
from reconciler.gitio.processes import SignalReceived
from reconciler.model.errors import ClusterError, GateError, GitError, HistoryError, UsageError
from reconciler.reconcile.reconcile import Reconciled, reconcile
from tests.world import SMALL, commit, git, reconciled, repository, write

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
EVERY = ["--interval", "60s"]


class Pauses:
    """Between runs something happens; after the last it is interrupted."""

    def __init__(self, *happen: object) -> None:
        self.waited: list[float] = []
        self._happen = iter(happen)

    def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)
        doing = next(self._happen, None)
        if doing is None:
            raise KeyboardInterrupt
        assert callable(doing)
        doing()


def pausing(monkeypatch: Patch, *happen: object) -> Pauses:
    pauses = Pauses(*happen)
    monkeypatch.setattr("reconciler.cli.reconcile.pause", pauses)
    return pauses


def nothing() -> None:
    """Nothing happens."""


FAILURES = {
    "Git": (GitError("cannot reach the remote"), "cannot reach the remote"),
    "gate": (GateError("no record is left", "bring them back"), "no record is left; bring them back"),
    "history": (HistoryError("it was rewritten", "accept it"), "it was rewritten; accept it"),
    "usage": (UsageError("not committed: x", "commit it"), "not committed: x; commit it"),
    "cluster": (ClusterError("it refuses"), "it refuses"),
    "system": (
        OSError(28, "No space left on device", "/cache/x"),
        "No space left on device /cache/x; mend that and run it again; what was published stays",
    ),
    "bug": (
        KeyError("x"),
        "a bug: KeyError: 'x'; run it again with --debug and report it with what that prints",
    ),
    "memory": (
        MemoryError(),
        "a bug: MemoryError: ; run it again with --debug and report it with what that prints",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("failure", "line"), FAILURES.values(), ids=FAILURES)
def test_a_loop_outlives_any_failure_of_a_run(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture, failure: Exception, line: str
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    failing: Iterator[bool] = iter([False, True, True, False])

    def sometimes(*words: object, **more: object) -> Reconciled:
        if next(failing):
            raise failure
        return reconcile(*words, **more)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(verb, "run_reconcile", sometimes)
    pauses = pausing(monkeypatch, nothing, nothing, nothing)
    assert run(["reconcile", "--repo", str(folder), *EVERY, "-o", "json"]) == 130
    assert pauses.waited == [60, 60, 60, 60]
    out, err = capsys.readouterr()
    said = f"ipam: {line}; next try in 60s\n"
    each = "Nothing was applied to clusters: none is named.\n"
    assert err.startswith(each + said * 2 + each)
    assert err.count("\n") == 6  # and the two of the interruption
    assert out.count("\n") == 2


def test_a_remote_that_is_down_at_the_start_is_waited_for(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    remote = tmp_path / "remote"

    def come() -> None:
        git(repository(remote, SMALL), "config", "receive.denyCurrentBranch", "ignore")

    pausing(monkeypatch, nothing, come)
    assert run(["reconcile", "--remote", f"file://{remote}", *EVERY]) == 130
    out, err = capsys.readouterr()
    assert err.count("; next try in 60s\n") == 2
    assert err.count("cannot reach the remote") == 2
    assert "and published it: branch main of the remote." in out


def test_wrong_usage_at_the_start_ends_it(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    pauses = pausing(monkeypatch)
    write(folder, {"tenants/new.yaml": "x: 1\n"})
    for words in (
        ["--repo", str(tmp_path / "none")],
        ["--remote", "git://example.com/r"],
        ["--repo", str(folder)],
        ["--repo", str(folder), "--author", "nobody"],
    ):
        assert run(["reconcile", *words, *EVERY]) == 64
    assert pauses.waited == []
    assert "next try" not in capsys.readouterr().err


def test_somebodys_dirty_file_is_waited_for(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", SMALL)

    def spoil() -> None:
        write(folder, {"tenants/new.yaml": "x: 1\n"})

    pausing(monkeypatch, spoil, (folder / "tenants/new.yaml").unlink)
    assert run(["reconcile", "--repo", str(folder), *EVERY]) == 130
    out, err = capsys.readouterr()
    assert err.count("; next try in 60s\n") == 1
    assert "not committed: tenants/new.yaml" in err
    assert out.count("Nothing to commit") == 1


def test_a_brake_and_vanished_records_do_not_end_it(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", reconciled(SMALL))
    git(folder, "commit", "-q", "--amend", "-m", f"x\n\nIpam-Plan: sha256:{'0' * 64}")

    def remove_the_tenant() -> None:
        git(folder, "rm", "-r", "-q", "tenants")
        commit(folder)

    def remove_the_records() -> None:
        write(folder, {"tenants/one.yaml": SMALL["tenants/one.yaml"]})
        git(folder, "rm", "-r", "-q", "allocations")
        commit(folder)

    def rewrite() -> None:
        git(folder, "reset", "-q", "--hard", "HEAD~2")
        git(folder, "commit", "-q", "--allow-empty", "-m", "rewritten")

    pausing(monkeypatch, remove_the_tenant, remove_the_records, rewrite, nothing)
    assert run(["reconcile", "--repo", str(folder), *EVERY]) == 130
    out, err = capsys.readouterr()
    assert ". A brake holds all releases back." in out
    assert err.count("no record is left in allocations/") == 1
    assert err.count("which refs/ipam/last names as reconciled") == 2  # until a person accepts it


def test_a_reader_of_messages_that_went_away_does_not_end_it(
    tmp_path: Path, monkeypatch: Patch
) -> None:
    folder = repository(tmp_path / "repo", SMALL)

    def tell(_: str) -> None:
        raise BrokenPipeError(32, os.strerror(32))

    monkeypatch.setattr("reconciler.cli.reconcile.tell", tell)
    pauses = pausing(monkeypatch, nothing, nothing)
    monkeypatch.setattr("reconciler.cli.reconcile.open_branch", lambda *_: 1 / 0)
    assert run(["reconcile", "--repo", str(folder), *EVERY]) == 130
    assert len(pauses.waited) == 3


def test_a_signal_ends_it_with_its_number(
    tmp_path: Path, monkeypatch: Patch, capsys: Capture
) -> None:
    folder = repository(tmp_path / "repo", SMALL)

    def end(_: float) -> None:
        raise SignalReceived(15)

    monkeypatch.setattr("reconciler.cli.reconcile.pause", end)
    monkeypatch.setattr("reconciler.cli.entry._farewells", iter([0]))
    assert run(["reconcile", "--repo", str(folder), *EVERY]) == 143
    assert capsys.readouterr().err.endswith(
        "ended by SIGTERM; run it again, and it goes on from here\n"
    )
