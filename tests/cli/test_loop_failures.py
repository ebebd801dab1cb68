from pathlib import Path
from typing import NoReturn

import pytest

from reconciler.cli import operate, run
from reconciler.ports import GitError
from tests.world import SMALL, repository


def test_a_loop_outlives_a_remote_that_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    slept: list[int] = []

    def fail(*_: object, **__: object) -> NoReturn:
        raise GitError("cannot reach the remote")

    def sleep(seconds: int) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(operate, "run_reconcile", fail)
    monkeypatch.setattr(operate, "pause", sleep)
    assert run(["reconcile", "--repo", str(folder), "--interval", "60s"]) == 130
    assert slept == [60, 60, 60]
    assert capsys.readouterr().err.count("cannot reach the remote; next try in 60s") == 3
