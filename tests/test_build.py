"""A build knows the commit that it was made from, is the same each time, and holds what runs need."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from hatch_build import commit_of
from reconciler import __version__
from reconciler.documents.validators import module_name, shipped_file
from reconciler.planning.documents import schema_files
from tests.caches import PYTHON, ROOT
from tests.world import commit, git, write

LEFT_OUT = (".git", ".venv", "tests", "benchmarks", "docs", "deploy", "dist", "__pycache__")


def copied(folder: Path) -> Path:
    """A copy of the source tree, without files that a build does not need."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


def built(tree: Path, out: Path, kind: str, home: str = "") -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    environment = {"PATH": os.environ["PATH"], "PROJECT_URL": home, **PYTHON}
    subprocess.run(command, cwd=tree, check=True, capture_output=True, env=environment)
    (made,) = out.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


def describe(wheel: Path, folder: Path) -> dict[str, str | None]:
    """What `ipam version -o json` of a wheel says; and that `--version` says the same."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    environment = {**PYTHON, "PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}

    def said(*words: str) -> str:
        command = [sys.executable, "-m", "reconciler", *words]
        done = subprocess.run(
            command, cwd=folder, check=True, capture_output=True, text=True, env=environment
        )
        return done.stdout

    found: dict[str, str | None] = json.loads(said("version", "-o", "json"))
    short = f" ({found['commit'][:12]})" if found["commit"] else ""
    line = f"ipam {__version__}{short}\n"
    assert (said("version"), said("--version")) == (line, line)
    return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(tmp_path_factory.mktemp("build") / "tree")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "all of it")
    return folder


def test_a_wheel_tells_the_commit_that_it_was_built_from(tree: Path, tmp_path: Path) -> None:
    head = git(tree, "rev-parse", "HEAD")
    wheel = built(tree, tmp_path / "first", "wheel")
    found = describe(wheel, tmp_path / "unpacked")
    assert (found["version"], found["commit"]) == (__version__, head)
    again = built(tree, tmp_path / "again", "wheel")
    assert again.read_bytes() == wheel.read_bytes(), "one commit, one wheel"


def test_a_wheel_of_a_source_archive_is_that_of_the_checkout(tree: Path, tmp_path: Path) -> None:
    archive = built(tree, tmp_path / "sdist", "sdist")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("gitops_ipam-*")
    assert (unpacked / "COMMIT").read_text() == f"{git(tree, 'rev-parse', 'HEAD')}\n"
    wheel = built(unpacked, tmp_path / "wheel", "wheel")
    straight = built(tree, tmp_path / "straight", "wheel")
    assert wheel.read_bytes() == straight.read_bytes()


def test_a_wheel_has_the_code_of_every_schema_and_the_checkout_stays_clean(
    tree: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(built(tree, tmp_path, "wheel")) as archive:
        names = set(archive.namelist())
        # Workflows install the dependencies with it.
        lock = archive.read("reconciler/shipped/requirements.lock")
    assert lock == (ROOT / "requirements.lock").read_bytes()
    for schema in set(schema_files().values()):
        name = module_name(shipped_file(schema))
        assert f"reconciler/_validators/{name}.py" in names
    assert git(tree, "status", "--porcelain") == ""


def test_what_a_forge_hands_to_an_action_tells_its_commit_without_any_history(
    tree: Path, tmp_path: Path
) -> None:
    git(tree, "archive", "-o", str(tmp_path / "fetched.tar"), "HEAD")
    fetched = tmp_path / "fetched"
    with tarfile.open(tmp_path / "fetched.tar") as opened:
        opened.extractall(fetched, filter="data")
    wheel = built(fetched, tmp_path / "out", "wheel")
    assert describe(wheel, tmp_path / "unpacked")["commit"] == git(tree, "rev-parse", "HEAD")
    straight = built(tree, tmp_path / "straight", "wheel")
    assert wheel.read_bytes() == straight.read_bytes()


def test_files_that_no_commit_has_are_of_no_commit(tree: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed"
    git(tree, "clone", "-q", ".", str(changed))
    assert commit_of(changed) == f"{git(tree, 'rev-parse', 'HEAD')}\n"
    write(changed, {"LICENSE": "mine"})
    assert commit_of(changed) == ""
    shutil.rmtree(changed / ".git")
    assert commit_of(changed) == ""
    wheel = built(changed, tmp_path / "out", "wheel")
    assert describe(wheel, tmp_path / "unpacked")["commit"] is None
    write(changed, {"COMMIT": "no commit at all\n"})
    assert commit_of(changed) == ""


def test_a_checkout_tells_its_commit_unless_it_was_changed(tree: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tree, "clone", "-q", ".", str(clone))

    def told() -> str | None:
        command = [sys.executable, "-m", "reconciler", "version", "-o", "json"]
        done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=True)
        found: dict[str, str | None] = json.loads(done.stdout)
        return found["commit"]

    assert told() == git(tree, "rev-parse", "HEAD")
    write(clone, {"schemas/butler/NetworkPool.json": "{}"})
    assert told() is None
