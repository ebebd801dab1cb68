import pytest

from reconciler.report.markup import IN_VIEW, Section, bar, code, fitted, prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pools/a.yaml:1", "`pools/a.yaml:1`"),
        ("a`b", "`` a`b ``"),
        ("``", "``` `` ```"),
        ("a|b", "`a\\u007cb`"),
        ("x" * 201, f"`{'x' * 200}…`"),
        ("", "` `"),
    ],
)
def test_a_code_span_holds_any_text(text: str, expected: str) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("needs 235 addresses; 95.0% used", "needs 235 addresses; 95.0% used"),
        ("of team-a/one (loadbalancer)", "of `team-a/one` (loadbalancer)"),
        ("'10.0.0.1/24' has host bits", "`10.0.0.1/24` has host bits"),
        ("write `kind: x`", "write 'kind: x'"),
        ("see https://evil.example.", "see `https://evil.example`."),
        ("@org/team, #12 and :tada:", "`@org/team`, `#12` and `:tada`:"),
        ("<b>x</b>  a|b", "`<b>x</b>` `a\\u007cb`"),
        ("sha 6513875e61b3 1234567", "sha `6513875e61b3` `1234567`"),
        ("é ✓", "`é` `✓`"),
        ("", ""),
    ],
)
def test_in_prose_all_but_words_and_numbers_stands_in_code_spans(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_a_very_long_message_is_cut() -> None:
    assert prose("a " * 2_000).count("a") == 500


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (0.0, 0.1, "▓" + "░" * 19),
        (50.0, 75.0, "█" * 10 + "▓" * 5 + "░" * 5),
        (75.0, 50.0, "█" * 10 + "▒" * 5 + "░" * 5),
        (99.9, 99.9, "█" * 19 + "░"),
        (100.0, 120.0, "█" * 20),
    ],
)
def test_a_bar_shows_use_before_and_after(before: float, after: float, expected: str) -> None:
    assert bar(before, after) == f"`{expected}`"


def rows(count: int) -> list[str]:
    return [f"- {number:03}" for number in range(count)]


@pytest.mark.parametrize("room", [100, 230, 300, 1_000, 2_000])
def test_rows_that_do_not_fit_are_counted(room: int) -> None:
    text = Section("T", "head\n", rows(500)).rendered(room)
    shown = text.count("\n- ")
    assert f"*{500 - shown} more do not fit here" in text
    assert text.count("<details>") == text.count("</details>") == (shown > IN_VIEW)
    assert len(text) <= max(room, 200)


def test_what_a_short_section_leaves_the_long_ones_get() -> None:
    sections = (("A", 900), ("B", 1), ("C", 900))
    long, short, other = fitted([Section(it, "", rows(count)) for it, count in sections], 6_000)
    assert short == "#### B\n\n- 000\n"
    assert 2_600 < len(long) <= len(other) <= 3_200
