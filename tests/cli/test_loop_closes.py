"""A loop leaves no connection behind: each round closes its own."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.kube.kubeconfigs import kubeconfig
from tests.kube.server import serving, status
from tests.world import SMALL, repository


def test_each_round_of_a_loop_closes_its_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    closed: list[bool] = []
    with serving(status(403, "forbidden", "Forbidden")) as server:
        path = tmp_path / "kubeconfig"
        path.write_text(json.dumps(kubeconfig(server.url)), encoding="utf-8")

        def sleep(_seconds: int) -> None:
            closed.append(server.closed.acquire(timeout=10))
            if len(closed) == 3:
                raise KeyboardInterrupt

        monkeypatch.setattr("reconciler.cli.reconcile.pause", sleep)
        words = ["reconcile", "--repo", str(folder), "--kubeconfig", str(path)]
        assert run([*words, "--interval", "60s"]) == 130
        assert server.connections == 3
    assert closed == [True] * 3
