"""`ipam demo` shows all steps, without the Git configuration of the user."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.caches import PYTHON, ROOT
from tests.world import git, write

# Read before a test gets its own cache folder.
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "uv"
# `.ci/run` sets it. Packages that no cache has are then downloaded.
_REQUIRED = bool(os.environ.get("DEMO_REQUIRED"))
_LEFT_OUT = (".git", ".venv", "tests", "benchmarks", "docs", "deploy", "__pycache__")


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
    assert "cidr" not in stored, "two addresses from an odd one have no CIDR"
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


def test_make_demo_shows_each_step_of_the_installation_in_a_new_checkout(tmp_path: Path) -> None:
    checkout, tools = tmp_path / "checkout", str(Path(sys.executable).parent)
    shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    path = os.pathsep.join((tools, os.environ["PATH"]))
    if shutil.which("uv", path=path) is None:
        pytest.skip("no uv: make test installs it")
    environment = {"UV_CACHE_DIR": str(_CACHE), **os.environ, "PATH": path}
    # Variables of the `make` that runs the tests.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "VIRTUAL_ENV"):
        environment.pop(name, None)
    if not _REQUIRED:
        environment["UV_OFFLINE"] = "1"

    def made() -> tuple[str, str]:
        """Return the steps of the installation, and the text of the demo."""
        command = ["make", "demo", "DEMO=shown"]
        # With all packages in the cache it takes about 5 s, and 30 s are promised.
        done = subprocess.run(
            command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=180
        )
        if done.returncode and not _REQUIRED and "network was disabled" in done.stderr:
            pytest.skip("packages of make demo are not in the cache of uv: run make demo once")
        assert done.returncode == 0, done.stderr
        steps, begin, text = done.stdout.partition("1. The repository\n")
        assert begin
        return steps, text

    steps, text = made()
    named = re.findall(r"\.venv|[\w-]+\.lock|this checkout", steps)
    assert named == [".venv", "requirements-build.lock", "requirements.lock", "this checkout"]
    assert "Its remote is shown/remote.git." in " ".join(text.split())
    again, text = made()
    assert again.split() == []
    assert "Its remote is shown-2/remote.git." in " ".join(text.split())
