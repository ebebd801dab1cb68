"""The check at the end of a run: what tests leave in the checkout fails the run by name."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.caches import PYTHON
from tests.checkout import files
from tests.world import ENVIRONMENT, write

CLEAN = "def test_it(tmp_path):\n    (tmp_path / 'x').write_text('x')\n"
LEAVES = "from pathlib import Path\ndef test_it():\n    Path('sub/left.pyc').write_text('x')\n"


def suite(folder: Path, test: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a suite of one test with the check, in a checkout of its own."""
    own = {"pytest.ini": "[pytest]\n", ".gitignore": "*.pyc\n", "sub/old": "", "test_it.py": test}
    write(folder, own)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.checkout", "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={**ENVIRONMENT, **PYTHON},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_that_leaves_a_file_fails_and_names_it(tmp_path: Path, workers: str) -> None:
    done = suite(tmp_path, LEAVES, "-n", workers)
    assert done.returncode == 1, done.stdout
    assert "these files were not there when the tests began:\nsub/left.pyc\n" in done.stdout
    assert "1 passed, 1 error" in done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_that_leaves_nothing_passes(tmp_path: Path, workers: str) -> None:
    done = suite(tmp_path, CLEAN, "-n", workers)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "error" not in done.stdout


def test_a_run_that_fails_says_so_beside_what_it_leaves(tmp_path: Path) -> None:
    done = suite(tmp_path, f"{LEAVES}    assert False\n")
    assert done.returncode == 1
    assert "1 failed, 1 error" in done.stdout


def test_what_was_there_before_is_not_told_again(tmp_path: Path) -> None:
    assert suite(tmp_path, LEAVES).returncode == 1
    assert suite(tmp_path, LEAVES).returncode == 0


def test_git_and_a_virtual_environment_may_write(tmp_path: Path) -> None:
    write(tmp_path, {".git/index": "", "own/pyvenv.cfg": "", "own/bin/x": "", "a/b": "", "c": ""})
    assert files(tmp_path) == {"a/b", "c"}


SKIPS = """import pytest
@pytest.fixture
def server():
    pytest.skip("no server: make server")
def test_a(server): pass
def test_b(server): pass
@pytest.mark.skip(reason="too old")
def test_c(): pass
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_what_is_skipped_is_told_in_one_line_a_reason(tmp_path: Path, workers: str) -> None:
    told = suite(tmp_path, SKIPS, "-p", "tests.skips", "-n", workers).stdout
    assert told.count("2 tests skipped: no server: make server\n") == 1
    assert told.count("1 test skipped: too old\n") == 1
    assert "SKIPPED" not in told
