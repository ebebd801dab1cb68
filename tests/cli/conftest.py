"""A checkout whose claims move."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.running import Ran, given_out, ipam
from tests.world import CLOCK, commit, git, write

Files = Mapping[str, str | bytes]


class Moves:
    """A repository that was reconciled, its verbs, and the time that these go by."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch
    ) -> None:
        self.folder, self.capsys, self.time = folder, capsys, CLOCK
        patch.setattr("reconciler.cli.options.now", lambda: float(self.time))

    def __call__(self, *words: str) -> Ran:
        return ipam(self.capsys, *words, "--repo", self.folder)

    def reconcile(self, *words: str, later: int = 0) -> Ran:
        self.time += later
        ran = self("reconcile", *words)
        git(self.folder, "reset", "-q", "--hard", "main")
        return ran

    def commit(self, files: Files | None = None) -> None:
        self.time += 10
        write(self.folder, files or {})
        commit(self.folder, "change", self.time)

    def checked(self, *overrides: str) -> Ran:
        """The check of a move that was written, once its Overrides were merged by themselves."""
        git(self.folder, "add", *(f"overrides/2026-02-15-move-{it}.yaml" for it in overrides))
        self.time += 10
        git(self.folder, "commit", "-qm", "let it", clock=self.time)
        self.commit()
        return self("check", "--base", "HEAD~1")

    def status(self) -> list[str]:
        listed = git(self.folder, "status", "--porcelain", "-uall").splitlines()
        return [line.strip() for line in listed]

    def live(self) -> dict[str, str]:
        """The texts of allocated records, by pool and name."""
        texts = {it: it.read_text("utf-8") for it in self.folder.glob("allocations/*/*/*/*.yaml")}
        return {
            f"{path.parts[-3].removeprefix('butler-system.')}/{path.stem}": text
            for path, text in sorted(texts.items())
            if "phase: Allocated" in text
        }


@pytest.fixture
def moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Files], Moves]:
    return lambda files: Moves(given_out(tmp_path / "repo", files), capsys, monkeypatch)
