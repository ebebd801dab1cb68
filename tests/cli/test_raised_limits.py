"""Each verb reads a repository that is larger than the default limits, if its Settings permit it."""

from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.model.settings import Limits
from tests.world import CLOCK, SMALL, commit, repository, settings_text, tenant, write


@pytest.mark.parametrize(
    "words", [["plan"], ["plan", "--base", "HEAD~1"], ["check", "--base", "HEAD~1"], ["verify"]]
)
def test_a_raised_limit_counts_for_all_reads(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = lambda files=5, bytes=1 << 20: Limits(files, bytes)  # noqa: E731, A006
    monkeypatch.setattr("reconciler.gitio.revision.Limits", small)
    settings = {"ipam.yaml": settings_text("{limits: {files: 100}}")}
    many = {f"tenants/t{number}.yaml": tenant(f"t{number}") for number in range(6)}
    folder = repository(tmp_path / "work", {**SMALL, **settings, **many})
    assert run(["reconcile", "--no-apply", "--repo", str(folder)]) == 0
    write(folder, {"tenants/more.yaml": tenant("more")})
    commit(folder, "more", CLOCK + 60)
    assert run([words[0], "--repo", str(folder), *words[1:]]) == 0
