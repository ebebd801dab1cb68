"""Inputs that were worth keeping, of those that `fuzz.py` found or began with."""

from pathlib import Path

import pytest

from tests.hostile.fuzz import READERS as NAMES
from tests.hostile.fuzz import SEEDS
from tests.hostile.readers import READERS

FILES = sorted(path for path in SEEDS.rglob("*") if path.is_file())


def test_each_reader_has_seeds_and_they_are_few_and_small() -> None:
    assert {path.parent.name for path in FILES} == set(NAMES) == set(READERS)
    assert len(FILES) <= 60
    assert max(path.stat().st_size for path in FILES) <= 2048


@pytest.mark.parametrize("seed", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_reader_answers_with_findings_or_refusals(seed: Path) -> None:
    READERS[seed.parent.name](seed.read_bytes())
