"""Fixtures for attacks: the real command, a checkout, and a checkout with records."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import Checked, Said, given_out, ipam
from tests.gitio.conftest import author as author
from tests.gitio.conftest import command as command
from tests.world import SMALL, tenant

# Enough tenants that the release limit holds back a change to ten of them.
TENANTS = {f"tenants/t{at}.yaml": tenant(f"t{at}") for at in range(11)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", {**SMALL, **TENANTS})


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    """Runs a verb on the folder: the exit code, and all that it says."""

    def ran(verb: str, *more: str) -> tuple[int, str]:
        capsys.readouterr()
        code = run([verb, "--repo", str(folder), *more])
        told = capsys.readouterr()
        return code, told.out + told.err

    return ran


@pytest.fixture
def checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> Checked:
    """Runs `check` on the folder: the exit code, and the codes of all findings and gates."""

    def ran(*more: str) -> tuple[int, list[str]]:
        done = ipam(capsys, "check", "--repo", folder, "-o", "json", *more)
        document = json.loads(done.out)
        return done.code, sorted(it["code"] for it in (*document["findings"], *document["gates"]))

    return ran
