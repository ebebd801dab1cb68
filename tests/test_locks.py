"""What CI and the image install is named by version and hash, as `constraints.txt` has it."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.audit import LOCKS, PARTS

ROOT = Path(__file__).resolve().parents[1]
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ;[^\\]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.MULTILINE)  # fmt: skip


def _named(text: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!; ]", text)[0]).lower()


def pins(lock: str) -> dict[str, str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return {_named(found[1]): found[2] for found in _PIN.finditer(text)}


def project() -> dict[str, list[str]]:
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        "build": about["build-system"]["requires"],
        "docs": ["mkdocs-material"],
        "dependencies": about["project"]["dependencies"],
        **about["project"]["optional-dependencies"],
    }


def _asked(lock: str) -> list[str]:
    has = {
        "requirements.lock": ("dependencies", "clusters"),
        "requirements-check.lock": ("dependencies",),
        "requirements-build.lock": ("build",),
        "requirements-docs.lock": ("docs",),
        "requirements-dev.lock": ("dependencies", "clusters", "dev", "audit"),
    }
    found = project()
    return [item for name in has[lock] for item in found[name]]


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_all_that_the_project_asks_for_each_with_its_hashes(lock: str) -> None:
    found = pins(lock)
    assert {_named(item) for item in _asked(lock)} <= found.keys()
    text = (ROOT / lock).read_text(encoding="utf-8")
    named = [line for line in text.splitlines() if line[:1] not in ("#", " ", "")]
    assert len(named) == len(found), "each line is a package with hashes"
    assert "://" not in text
    assert "make lock" in text


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_the_versions_of_the_constraints(lock: str) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    held = {_named(line): line.partition("==")[2] for line in lines}
    found = pins(lock)
    assert {name: found[name] for name in found if name in held} == {
        name: held[name] for name in found if name in held
    }


def test_what_a_check_installs_is_a_part_of_what_the_image_installs() -> None:
    lean, whole = pins("requirements-check.lock"), pins("requirements.lock")
    assert lean.items() < whole.items() < pins("requirements-dev.lock").items()
    assert [lock for lock in LOCKS if lock in PARTS] == ["requirements-check.lock"]


def test_ci_and_the_image_install_by_hash_and_ci_runs_the_audit() -> None:
    image = (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r /tmp/install/requirements.lock" in image
    assert "--no-deps --no-index /tmp/install/*.whl" in image
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = re.findall(r"@\$\((?:PIP|UV)\) (.*)", make)
    assert installs
    assert all("--require-hashes -r " in line or "--no-deps" in line for line in installs)
    assert "\nmake audit\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
