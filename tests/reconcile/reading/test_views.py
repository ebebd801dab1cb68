"""A revision as it was read at another time."""

import pytest

from reconciler.planning.read import as_of
from tests.memory import MemorySource


@pytest.mark.parametrize(
    ("clock", "ahead", "passed"), [(150, None, 150), (50, None, 100), (50, 100, 50)]
)
def test_a_time_that_has_passed_is_that_of_the_line_unless_it_was_ahead_then(
    clock: int, ahead: int | None, passed: int
) -> None:
    assert as_of(MemorySource({}, 100), clock, ahead).passed() == passed
