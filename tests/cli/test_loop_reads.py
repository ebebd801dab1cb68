from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.commands.looking import run as asking
from reconciler.commands.reading.reader import evaluate_source
from reconciler.evaluate import Evaluation
from reconciler.ports import Source
from tests.world import SMALL, commit, repository, tenant, write


def test_a_loop_reads_a_revision_once_and_another_one_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = repository(tmp_path / "repo", SMALL)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("", encoding="utf-8")
    read: list[str] = []
    applied: list[str | None] = []
    real = evaluate_source

    def evaluated(source: Source) -> Evaluation:
        revision = source.revision()
        assert revision is not None
        read.append(revision.id)
        return real(source)

    def apply(evaluation: Evaluation, *_: object) -> list[object]:
        applied.append(evaluation.tree.revision)
        return []

    def sleep(_seconds: int) -> None:
        if len(applied) == 2:
            write(folder, {"tenants/two.yaml": tenant("two")})
            commit(folder)
        if len(applied) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(asking, "evaluate_source", evaluated)
    monkeypatch.setattr(asking, "apply_fleet", apply)
    monkeypatch.setattr("reconciler.cli.shared.loop.pause", sleep)
    words = ["reconcile", "--repo", str(folder), "--interval", "60s"]
    assert run([*words, "--kubeconfig", str(kubeconfig)]) == 130
    assert len(applied) == 4
    assert applied[0] == applied[1] != applied[2] == applied[3]
    assert read == [applied[0], applied[2]]
