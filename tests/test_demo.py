"""`ipam demo` tells the whole job, and needs nothing of the person's own Git."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.caches import PYTHON
from tests.world import git, write


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A first run as a person with an empty environment sees it: its folder and its text."""
    folder = tmp_path_factory.mktemp("told") / "demo"
    return folder, run_bare(folder)


def run_bare(folder: Path) -> str:
    """Run the demo without HOME, without Git configuration, without a terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "reconciler", "demo", folder.name],
        cwd=folder.parent,
        env={"PATH": os.environ["PATH"], **PYTHON, "XDG_CACHE_HOME": str(folder.parent / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_it_leaves_nothing_but_its_folder_and_a_cache(told: tuple[Path, str]) -> None:
    folder, _ = told
    assert {path.name for path in folder.parent.iterdir()} <= {folder.name, "cache"}


def test_the_new_tenant_gets_its_addresses_and_a_record(told: tuple[Path, str]) -> None:
    folder, text = told
    assert text.count("team-payments/refunds   loadbalancer   dc1-edge   2") == 3
    record = (
        "allocations/NetworkPool/butler-system.dc1-edge/team-payments/refunds.loadbalancer.yaml"
    )
    stored = git(folder / "remote.git", "show", f"main:{record}")
    assert "cidr" not in stored, "two addresses that begin at an odd one are no block"
    assert "startAddress: 10.92.90.65" in stored


def test_the_remote_has_the_commit_with_both_trailers(told: tuple[Path, str]) -> None:
    folder, text = told
    message = git(folder / "remote.git", "log", "-1", "--format=%B", "main")
    merge = git(folder / "remote.git", "rev-parse", "main^")
    assert message.startswith("ipam: allocate 1\n")
    assert f"Ipam-Base: {merge}" in message
    found = re.search(r"Ipam-Plan: (sha256:[0-9a-f]{64})", message)
    assert found is not None
    assert text.count(found.group(1)) == 4, "branch, merge, reconcile and commit name one plan"


def test_what_it_makes_is_the_same_everywhere(told: tuple[Path, str], tmp_path: Path) -> None:
    assert run(["demo", str(tmp_path / "other")]) == 0
    ids = [git(at / "remote.git", "rev-parse", "main") for at in (told[0], tmp_path / "other")]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("kept", ["note.txt", "repo/README.md", "folder/x"])
def test_a_folder_that_holds_something_else_is_left_alone(
    kept: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {kept: "mine"})
    assert run(["demo", str(tmp_path)]) == 64
    assert "is not empty" in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / kept]


def test_variables_of_the_person_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("IPAM_REV", "nowhere")
    monkeypatch.setenv("IPAM_OUTPUT", "json")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert run(["demo", str(tmp_path / "demo")]) == 0
    assert os.environ["IPAM_REV"] == "nowhere"
    assert " to main and pushed it." in capsys.readouterr().out
