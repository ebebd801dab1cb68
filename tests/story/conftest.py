"""A stage for stories: a folder, a clock, and no configuration of the user."""

from pathlib import Path

import pytest

from tests.cli.running import Ran, ipam
from tests.story.stage import Stage


@pytest.fixture
def stage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    pytestconfig: pytest.Config,
) -> Stage:
    def within(arguments: list[str]) -> Ran:
        monkeypatch.chdir(made.place)
        monkeypatch.setattr("reconciler.cli.options.now", lambda: float(made.clock))
        return ipam(capsys, *arguments)

    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "A Person")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "person@example.com")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("COLUMNS", "100")
    made = Stage(tmp_path, within, updates=pytestconfig.getoption("--update-golden"))
    return made
