import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.model.instant import format_instant, parse_duration, parse_instant


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (1_771_149_630, "2026-02-15T10:00:30Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ],
)
def test_an_instant_is_written_and_read_back(seconds: int, text: str) -> None:
    assert format_instant(seconds) == text
    assert parse_instant(text) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (253_402_300_800, "10000-01-01T00:00:00Z"),
        (2**63, "292277026596-12-04T15:30:08Z"),
        (-62_167_219_201, "-001-12-31T23:59:59Z"),
    ],
)
def test_an_instant_that_git_may_hold_is_written_though_no_record_may(
    seconds: int, text: str
) -> None:
    assert format_instant(seconds) == text
    assert parse_instant(text) is None


@given(st.integers(-62_167_219_200, 253_402_300_799))
def test_an_instant_of_four_digits_is_read_back_to_the_second(seconds: int) -> None:
    assert parse_instant(format_instant(seconds)) == seconds


@given(
    st.one_of(
        st.text(st.sampled_from("0123456789-:TZ+.W "), max_size=24),
        st.from_regex(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(Z|\+00:00|z)?", fullmatch=True),
    )
)
def test_a_text_is_read_only_as_it_would_be_written(text: str) -> None:
    found = parse_instant(text)
    assert found is None or format_instant(found) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-02-15T10:00:30+00:00",
        "2026-02-15T10:00:30.5Z",
        "2026-02-15T24:00:00Z",
        "2100-02-29T00:00:00Z",
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
