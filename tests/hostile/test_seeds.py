"""Inputs on which a reader once failed, or nearly did."""

from pathlib import Path

import pytest

from tests.hostile.readers import READERS

FILES = sorted(path for path in (Path(__file__).parent / "seeds").rglob("*") if path.is_file())


@pytest.mark.parametrize("seed", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_reader_answers_with_findings_or_refusals(seed: Path) -> None:
    READERS[seed.parent.name](seed.read_bytes())
