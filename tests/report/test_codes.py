"""Examples of codes."""

from reconciler.codes import CODES
from reconciler.report.ci import examples
from tests.bad_input.examples import FILE, text


def test_the_examples_are_what_check_says_of_the_bad_input_table() -> None:
    assert FILE.read_text(encoding="utf-8") == text()


def test_each_code_has_an_example() -> None:
    assert set(examples()) == set(CODES)


def test_what_clusters_lose_has_an_example_though_it_takes_a_base() -> None:
    for code in ("announcement-lost", "announcement-moved"):
        assert code in examples()[code]["finding"]
        assert examples()[code]["hint"]
