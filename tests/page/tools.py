"""Chromium and a type checker for tests of the page."""

import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import pytest

NODE = Path(__file__).parent / "node"
REQUIRED = "PAGE_REQUIRED"
"""With this variable something that is missing fails the tests instead of skipping them."""
_FOUND: dict[str, Path | None] = {}


def find() -> None:
    """Remember where they are, before a test gets another cache folder."""
    _FOUND["chromium"] = chromium()
    _FOUND["tsc"] = tsc()


def chromium() -> Path | None:
    if (named := os.environ.get("CHROMIUM")) is not None:
        return Path(named) if named and Path(named).is_file() else None
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return Path(found) if found else None


def types_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    lock = (NODE / "package-lock.json").read_bytes()
    return base / "gitops-ipam" / "page" / sha256(lock).hexdigest()[:16]


def tsc() -> Path | None:
    """Return the path of the type checker, or None if it is not installed."""
    found = types_folder() / "node_modules" / "typescript" / "bin" / "tsc"
    return found if found.is_file() and shutil.which("node") else None


def needed(name: str) -> Path:
    """Return the path of a tool, or skip the test."""
    found = _FOUND[name]
    return found if found is not None else _missing(name)


def _missing(name: str) -> NoReturn:
    reason = f"there is no {name}; make browser brings it"
    if os.environ.get(REQUIRED):
        pytest.fail(reason)
    pytest.skip(reason)
