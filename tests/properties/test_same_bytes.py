"""One revision gives the same bytes, whatever was parsed before and under any hash seed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.gitio.interface import Parsed
from reconciler.planning import cache
from reconciler.planning.read import evaluate_source
from tests.examples import scaled
from tests.memory import MemorySource, evaluation_after
from tests.properties.histories import ISLANDS, breakages, edits, island, shown
from tests.properties.trees import Files
from tests.world import CLOCK, carried


class Kept:
    """A cache file in memory."""

    data = b""

    def read(self) -> bytes:
        return self.data

    def write(self, data: bytes) -> None:
        self.data = data


@pytest.fixture(autouse=True)
def _small_revisions_use_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MIN_FILES", 0)


@given(st.data())
@settings(max_examples=scaled(100))
def test_what_was_parsed_before_changes_no_plan(data: st.DataObject) -> None:
    files: Files = {}
    for number in range(ISLANDS):
        files |= island(number)
    parsed = Parsed()
    kept: Any = Kept()
    clock, before = CLOCK, list[Files]()
    for _ in range(data.draw(st.integers(2, 6))):
        fresh = evaluation_after(before, files, clock)
        for known in (parsed, parsed, Parsed()):
            source = MemorySource(files, clock, before)
            source.parsed = known
            source.parsed.kept = kept
            assert shown(evaluate_source(source)) == shown(fresh)
        before.append(files)
        if data.draw(st.booleans()):
            files, clock = carried(files, fresh), clock + 60
        if data.draw(st.integers(0, 3)):
            files = data.draw(edits(files))
        if data.draw(st.integers(0, 3)) == 0:
            files = data.draw(breakages(files))
