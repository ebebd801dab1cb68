"""Machines that lack what every other one has: whatever is missing, no run ends as a bug."""

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
    """A folder that any user may read; taken away by a program that no depth ends."""
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


def deep(root: Path, name: str, levels: int) -> None:
    """Folders in folders, made from within: no path is long enough to name the last one."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("x.yaml", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_a_work_tree_deeper_than_any_recursion_is_read(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    deep(repo / "tenants", "d", 1_900)
    ran = run("check", "--repo", repo, "--worktree", environment={"HOME": str(folder)})
    assert ran.returncode == ExitCode.WRONG, ran.stderr
    assert "document-empty" in ran.stdout, "the file at the bottom was found"


def test_one_that_no_path_reaches_the_bottom_of_is_a_finding(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    deep(repo / "tenants", "d" * 100, 60)
    ran = run("check", "--repo", repo, "--worktree", environment={"HOME": str(folder)})
    assert ran.returncode == ExitCode.WRONG, ran.stderr
    assert "the path is too long to be read" in ran.stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
@pytest.mark.parametrize("verb", ["check", "plan", "status", "doctor"])
def test_a_user_without_a_home_and_without_a_name(verb: str, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    repo.chmod(0o755)
    ran = run(verb, "--repo", repo, is_nobody=True)
    assert ran.returncode in (ExitCode.OK, ExitCode.GIT, ExitCode.CLUSTER), ran.stderr
    assert "Traceback" not in ran.stderr
    if verb != "doctor":
        assert ran.returncode == ExitCode.OK, ran.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
def test_a_mirror_needs_a_place_and_the_message_names_it(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    ran = run("reconcile", "--remote", f"file://{repo}", "--no-apply", is_nobody=True)
    assert ran.returncode == ExitCode.USAGE, ran.stderr
    assert "XDG_CACHE_HOME" in ran.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become somebody else")
def test_a_key_in_a_home_that_is_nowhere_is_no_bug(folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    repo.chmod(0o755)
    ran = run("reconcile", "--repo", repo, "--no-apply", "--sign", "~/key", is_nobody=True)
    assert ran.returncode == ExitCode.GIT, ran.stderr
    assert "cannot sign" in ran.stderr


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
    assert "git is not installed" in ran.stderr


@pytest.mark.parametrize("umask", [0o777, 0o000])
def test_a_umask_that_nobody_has(umask: int, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    git(repo, "checkout", "-q", "--detach")
    for verb in ("check", "reconcile"):
        rest = ["--branch", "main", "--no-apply"] if verb == "reconcile" else []
        ran = run(verb, "--repo", repo, *rest, umask=umask, environment={"HOME": str(folder)})
        assert ran.returncode in (ExitCode.OK, ExitCode.GIT), ran.stderr


@pytest.mark.parametrize("verb", ["plan", "reconcile", "doctor"])
def test_a_token_that_is_no_text_is_refused_in_words(verb: str, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    ran = run(verb, "--repo", repo, environment={"HOME": str(folder), "IPAM_GIT_TOKEN": "a\udcff"})
    assert ran.returncode in (ExitCode.USAGE, ExitCode.GIT), ran
    assert "IPAM_GIT_TOKEN is not text in UTF-8" in ran.stdout + ran.stderr
    assert "udcff" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("files", [24, 32])
def test_so_few_files_may_be_open_that_git_cannot_be_run(files: int, folder: Path) -> None:
    repo = repository(folder / "repo", SMALL)
    home = {"HOME": str(folder)}
    for verb in ("check", "reconcile"):
        ran = run(verb, "--repo", repo, environment=home, files=files)
        assert ran.returncode in (ExitCode.OK, ExitCode.GIT), ran
        if ran.returncode == ExitCode.GIT:
            assert "Too many open files" in ran.stderr


def test_a_file_without_end_in_the_place_of_a_repository_is_not_read(folder: Path) -> None:
    (folder / "inner").mkdir()
    with (folder / ".git").open("wb") as file:
        file.truncate(1 << 40)
    ran = run("check", "--repo", folder / "inner", environment={"HOME": str(folder)})
    assert ran.returncode == ExitCode.GIT, ran
