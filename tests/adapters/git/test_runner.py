"""GitPython's runner is loaded without the rest, where it goes alone."""

import os
import shutil
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from reconciler.adapters.git import config, starting
from reconciler.adapters.git.process import GitProcess
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


@pytest.mark.parametrize("shell", ["sh", "bash", "dash"])
def test_of_an_environment_git_gets_nothing_that_is_not_ours_whatever_its_names(
    shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shells keep some variables, stumble over others, and take functions from more."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "sh").symlink_to(found)
    (tmp_path / "git").write_text(f'#!{sys.executable}\nimport os; print("\\n".join(os.environ))\n')
    (tmp_path / "git").chmod(0o755)
    odd = (
        *("GIT_DIR", "GIT_CONFIG_PARAMETERS", "LD_X", "_", "IFS", "ENV", "BASH_ENV"),
        *(
            "POSIXLY_CORRECT",
            "OPTIND",
            "UID",
            "EUID",
            "PPID",
            "SHELLOPTS",
            "BASHOPTS",
            "BASH_VERSINFO",
            "PS4",
        ),
        *("A-B", "1A", "BASH_FUNC_exec%%", "BASH_FUNC_ulimit%%", "BASH_FUNC_unset%%", "ä", "a b"),
    )
    for name in odd:
        monkeypatch.setenv(name, "() { echo odd; }" if "FUNC" in name else "x")
    git = GitProcess(tmp_path, {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    done = git.run("version")
    assert (done.status, done.err) == (0, "")
    of_a_shell = {"PWD", "OLDPWD", "SHLVL", "_"}
    got = {name for name in done.out.decode().split() if not name.startswith("GIT_CONFIG_")}
    ours = {*config.ENVIRONMENT, "PATH", "GIT_ALLOW_PROTOCOL", "LC_CTYPE"}
    assert got - of_a_shell <= ours
    assert "GIT_CONFIG_PARAMETERS" not in done.out.decode()


def test_what_the_runner_needs_none_of_is_loaded_once_somebody_asks_for_it() -> None:
    script = (
        "from reconciler.adapters.git.starting import runner; import sys; runner();"
        " assert 'gitdb.util' in sys.modules; assert 'gitdb.db' not in sys.modules;"
        " import gitdb; assert gitdb.LooseObjectDB; assert 'gitdb.db' in sys.modules;"
        " assert gitdb.util is sys.modules['gitdb.util']; assert not hasattr(gitdb, 'nothing');"
        " import git; git.Repo.init(sys.argv[1]).close()"
    )
    with TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", script, folder], check=True, env=PYTHON)
