"""GitPython's runner is loaded without the rest, where it goes alone."""

import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from reconciler.adapters.git import starting
from tests.caches import PYTHON


def test_who_asks_for_the_rest_gets_it_and_it_has_the_same_runner() -> None:
    script = (
        "from reconciler.adapters.git.starting import runner; import sys; found = runner();"
        " assert 'git' not in sys.modules; assert 'git.objects' not in sys.modules;"
        " import git; assert git.Git is found; assert git.Repo"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=PYTHON)


def test_where_all_of_it_is_loaded_already_the_runner_is_that_one() -> None:
    script = (
        "import git; from reconciler.adapters.git.starting import runner;"
        " assert runner() is git.Git; import sys; assert sys.modules['git'] is git"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=PYTHON)


@pytest.mark.parametrize("code", ["import git.nowhere", "import git\ngit.nowhere"])
def test_a_runner_that_does_not_go_alone_is_loaded_with_the_rest(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cmd.py").write_text(code)
    other = ModuleSpec("git", None, is_package=True)
    other.submodule_search_locations = [str(tmp_path)]
    for name in ("git", "git.cmd"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(starting, "find_spec", lambda _: other)
    assert starting._runner_alone() is None
    assert "git" not in sys.modules
    monkeypatch.setattr(starting, "find_spec", lambda _: None)
    assert starting._runner_alone() is None
