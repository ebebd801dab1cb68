"""A loop outlives whatever befalls one of its runs, and says each failure in one line."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reconciler.cli import reconcile as verb
from reconciler.cli import run
from reconciler.model.errors import GateError, GitError
from reconciler.reconcile.reconcile import Reconciled, reconcile
from tests.cli.running import Capture
from tests.kube.kubeconfigs import kubeconfig
from tests.kube.server import serving, status
from tests.world import SMALL, git, repository, write

Patch = pytest.MonkeyPatch
EVERY = ["--interval", "60s"]


def pausing(monkeypatch: Patch, *happen: Callable[[], object]) -> list[float]:
    """Call functions between runs, and interrupt after the last. Return the length of each pause."""
    waited: list[float] = []
    rest = iter(happen)

    def pause(seconds: float) -> None:
        waited.append(seconds)
        doing = next(rest, None)
        if doing is None:
            raise KeyboardInterrupt
        doing()

    monkeypatch.setattr("reconciler.cli.reconcile.pause", pause)
    return waited


def nothing() -> None:
    """Nothing happens."""


@pytest.mark.parametrize(
    ("failure", "line"),
    [
        (GitError("cannot reach the remote"), "cannot reach the remote"),
        (GateError("no record is left", "bring them back"), "no record is left; bring them back"),
        (OSError(28, "No space left", "/x"), "No space left /x; fix this, then run the command again; published commits stay"),
        (KeyError("x"), "internal error: KeyError: 'x'; run the command again with --debug, and report its output"),
    ],
)  # fmt: skip
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
    assert pauses == [60, 60, 60, 60]
    out, err = capsys.readouterr()
    said = f"ipam: {line}; next try in 60s\n"
    each = "Not applied: no cluster configured.\n"
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
    assert " to main and pushed it." in out


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
    assert pauses == []
    assert "next try" not in capsys.readouterr().err


def test_each_round_of_a_loop_closes_its_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    closed: list[bool] = []
    with serving(status(403, "forbidden", "Forbidden")) as server:
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(kubeconfig(server.url)), encoding="utf-8")

        def sleep(_seconds: int) -> None:
            closed.append(server.closed.acquire(timeout=60))
            if len(closed) == 3:
                raise KeyboardInterrupt

        monkeypatch.setattr("reconciler.cli.reconcile.pause", sleep)
        words = ["reconcile", "--repo", str(folder), "--kubeconfig", str(path)]
        assert run([*words, "--interval", "60s"]) == 130
        assert server.connections == 3
    assert closed == [True] * 3
