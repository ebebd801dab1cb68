"""One revision gives the same bytes, whatever was parsed before and under any hash seed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.gitio.interface import Parsed
from reconciler.planning.read import evaluate_source
from tests.examples import scaled
from tests.memory import MemorySource, evaluation_after
from tests.properties.histories import ISLANDS, breakages, edits, island, shown
from tests.properties.trees import Files
from tests.world import CLOCK, carried


@given(st.data())
@settings(max_examples=scaled(100))
def test_what_was_parsed_before_changes_no_plan(data: st.DataObject) -> None:
    files: Files = {}
    for number in range(ISLANDS):
        files |= island(number)
    parsed: Parsed = {}
    clock, before = CLOCK, list[Files]()
    for _ in range(data.draw(st.integers(2, 6))):
        fresh = evaluation_after(before, files, clock)
        for _ in range(2):
            source = MemorySource(files, clock, before)
            source.parsed = parsed
            assert shown(evaluate_source(source)) == shown(fresh)
        before.append(files)
        if data.draw(st.booleans()):
            files, clock = carried(files, fresh), clock + 60
        if data.draw(st.integers(0, 3)):
            files = data.draw(edits(files))
        if data.draw(st.integers(0, 3)) == 0:
            files = data.draw(breakages(files))
