"""One revision gives one plan: hash seed, locale, time zone, clock, folder and order do not matter.

Each run is a process of its own, because the hash seed is set when Python starts.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.caches import PYTHON

WORLDS = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "POSIX", "TZ": "America/St_Johns"},
)


def describe(world: dict[str, str], folder: Path, *arguments: str) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.cases", *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **PYTHON, **world},
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return describe(WORLDS[0], tmp_path_factory.mktemp("first"))


@pytest.mark.parametrize("world", WORLDS[1:], ids=lambda world: str(world["PYTHONHASHSEED"]))
def test_another_world_gives_the_same_bytes(
    world: dict[str, str], first: bytes, tmp_path: Path
) -> None:
    assert describe(world, tmp_path) == first


def test_another_order_of_files_gives_the_same_bytes(first: bytes, tmp_path: Path) -> None:
    assert describe(WORLDS[1], tmp_path, "--reversed") == first


def test_the_outcome_is_of_every_golden_tree(first: bytes) -> None:
    assert first.count(b'"plan.json"') >= 8
