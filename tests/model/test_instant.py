import re

import pytest

from reconciler.model.instant import DAY, format_instant, parse_duration, parse_instant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_771_149_630, "2026-02-15T10:00:30Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_799, "2000-02-29T23:59:59Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ],
)
def test_an_instant_is_written_and_read_back(seconds: int, text: str) -> None:
    assert format_instant(seconds) == text
    assert parse_instant(text) == seconds


def test_every_day_of_four_centuries_reads_back_and_follows_the_day_before() -> None:
    texts = [format_instant(day * DAY) for day in range(-30_000, 116_097, 7)]
    assert texts == sorted(texts)
    assert [parse_instant(text) for text in texts] == [
        day * DAY for day in range(-30_000, 116_097, 7)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-02-15",
        "2026-02-15T10:00:30",
        "2026-02-15T10:00:30+00:00",
        "2026-02-15 10:00:30Z",
        "2026-02-15T10:00:30.5Z",
        "2026-02-15T24:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-02-15T10:00:30Z\n",
        "202\u0666-02-15T10:00:30Z",
    ],
)
def test_any_other_text_is_no_instant(text: str) -> None:
    assert parse_instant(text) is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("10m", 600), ("24h", 86_400), ("7d", 604_800), ("0s", 0)]
)
def test_a_duration_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "24", "h", "1h30m", "-1h", "1.5h", "1w", "24h\n", "\u0663h"])
def test_any_other_text_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(text)}$"):
        parse_duration(text)
