"""What is told of a code."""

import pytest

from reconciler.codes import CODES
from reconciler.report.ci import code_document, examples, likely
from reconciler.report.text.queries import code_text
from reconciler.report.text.table import Painter
from tests.bad_input.examples import FILE, text


def test_the_examples_are_what_check_says_of_the_bad_input_table() -> None:
    assert FILE.read_text(encoding="utf-8") == text()


def test_a_code_is_told_with_its_meaning_an_example_and_what_to_do() -> None:
    lines = code_text(code_document("range-reversed"), Painter(is_on=False)).splitlines()
    assert lines[:3] == ["range-reversed", f"  {CODES['range-reversed']}", "  for example"]
    assert "error range-reversed: " in lines[3]
    assert lines[4].startswith("      hint: ")


@pytest.mark.parametrize(
    ("said", "meant"), [("pool-overlaps", "pool-overlap"), ("checkuot", "checkout"), ("zzz", None)]
)
def test_a_word_that_is_neither_leads_to_the_nearest(said: str, meant: str | None) -> None:
    assert next(iter(likely(said, ["checkout"])), None) == meant


def test_what_clusters_lose_has_an_example_though_it_takes_a_base() -> None:
    for code in ("announcement-lost", "announcement-moved"):
        assert code in examples()[code]["finding"]
        assert examples()[code]["hint"]
