"""Which moment a person means."""

import pytest

from reconciler.history.who import moment_of
from reconciler.model.instant import format_instant
from tests.world import CLOCK


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-03-02", "2026-03-02T00:00:00Z", "2026-03-02T23:59:59Z"),
        ("2026-03-02T14:00Z", "2026-03-02T14:00:00Z", "2026-03-02T14:00:59Z"),
        ("2026-03-02T14:00:30Z", "2026-03-02T14:00:30Z", "2026-03-02T14:00:30Z"),
        ("1d", "2026-02-14T10:00:30Z", "2026-02-14T10:00:30Z"),
    ],
)
def test_a_day_is_all_of_it(text: str, start: str, end: str) -> None:
    first, last = (moment_of(text, CLOCK, is_end=it) for it in (False, True))
    assert first is not None
    assert last is not None
    assert (format_instant(first), format_instant(last)) == (start, end)
