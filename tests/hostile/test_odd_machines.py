"""Machines without usual programs or folders: no run ends with a traceback."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from reconciler.model.errors import ExitCode
from tests.caches import PYTHON
from tests.world import SMALL, git, repository

NOBODY = 54_321
"""A user that no machine knows."""

# The effective user stays: it has to get at Python itself.
AS_NOBODY = f"import os; os.setreuid({NOBODY}, 0); from reconciler.cli import main; main()"
MODULE = ("-m", "reconciler")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that all users can read. `rm` removes it, because its depth exceeds Python's limit."""
    made = Path(tempfile.mkdtemp(prefix="ipam-odd-"))
    made.chmod(0o755)
    yield made
    subprocess.run(["rm", "-rf", str(made)], check=True)


def run(
    *arguments: str | Path,
    environment: Mapping[str, str] = MappingProxyType({}),
    is_nobody: bool = False,
    umask: int = -1,
    files: int = 0,
) -> subprocess.CompletedProcess[str]:
    variables = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **PYTHON, **environment}
    return subprocess.run(
        [sys.executable, *(["-c", AS_NOBODY] if is_nobody else MODULE), *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        errors="surrogateescape",
        umask=umask,
        cwd="/",
        env=variables,
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        if files
        else None,
    )


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to run as another user")
@pytest.mark.parametrize("verb", ["check", "plan", "status", "doctor"])
def test_a_user_without_a_home_and_without_a_name(verb: str, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    repo.chmod(0o755)
    ran = run(verb, "--repo", repo, is_nobody=True)
    assert ran.returncode in (ExitCode.OK, ExitCode.GIT, ExitCode.CLUSTER), ran.stderr
    assert "Traceback" not in ran.stderr
    if verb != "doctor":
        assert ran.returncode == ExitCode.OK, ran.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to run as another user")
def test_a_mirror_needs_a_place_and_the_message_names_it(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    ran = run("reconcile", "--remote", f"file://{repo}", "--no-apply", is_nobody=True)
    assert ran.returncode == ExitCode.USAGE, ran.stderr
    assert "XDG_CACHE_HOME" in ran.stderr


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_PYTHON_GIT_EXECUTABLE": "/nowhere/git"},
        {"GIT_PYTHON_REFRESH": "nonsense", "GIT_PYTHON_GIT_EXECUTABLE": ""},
        {"GIT_PYTHON_TRACE": "nonsense"},
        {"TMPDIR": "/nowhere"},
        {"XDG_CACHE_HOME": "/proc/nowhere"},
        {"XDG_CACHE_HOME": "not/absolute\n"},
        {"HOME": "/nowhere", "LC_ALL": "nonsense"},
    ],
    ids=lambda variables: " ".join(variables),
)
def test_variables_that_mislead(variables: Mapping[str, str], folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    for verb in ("check", "plan"):
        ran = run(verb, "--repo", repo, environment={"HOME": str(folder), **variables})
        assert ran.returncode == ExitCode.OK, ran.stderr


def test_without_git_the_message_says_so(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    (folder / "bin").mkdir()
    (folder / "bin" / "env").symlink_to("/usr/bin/env")
    ran = run(
        "check", "--repo", repo, environment={"HOME": str(folder), "PATH": str(folder / "bin")}
    )
    assert ran.returncode == ExitCode.GIT, ran.stderr
    assert "Git is not installed" in ran.stderr


@pytest.mark.parametrize("umask", [0o777, 0o000])
def test_a_umask_that_nobody_has(umask: int, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    git(repo, "checkout", "-q", "--detach")
    for verb in ("check", "reconcile"):
        rest = ["--branch", "main", "--no-apply"] if verb == "reconcile" else []
        ran = run(verb, "--repo", repo, *rest, umask=umask, environment={"HOME": str(folder)})
        assert ran.returncode in (ExitCode.OK, ExitCode.GIT), ran.stderr


@pytest.mark.parametrize("verb", ["reconcile", "doctor"])
def test_a_token_that_is_no_text_is_refused_in_words(verb: str, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    ran = run(verb, "--repo", repo, environment={"HOME": str(folder), "IPAM_GIT_TOKEN": "a\udcff"})
    assert ran.returncode in (ExitCode.USAGE, ExitCode.GIT), ran
    assert "IPAM_GIT_TOKEN is not valid UTF-8" in ran.stdout + ran.stderr
    assert "udcff" not in ran.stdout + ran.stderr
