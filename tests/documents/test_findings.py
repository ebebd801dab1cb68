import pytest

from reconciler.codes import CODES
from reconciler.documents.findings import (
    SHOWN_CHARACTERS,
    Location,
    article_list,
    error,
    meant,
    ordered,
    shown,
    warning,
)

PLACE = Location("pools/a.yaml", 7, 9, "/spec/cidr")


def test_findings_are_sorted_by_place_and_shown_once() -> None:
    later = error("pool-empty", PLACE._replace(line=8), "b")
    sooner = warning("pool-overlap", PLACE, "a")
    other_file = error("pool-overlap", Location("a.yaml"), "c")
    assert ordered([later, sooner, other_file, later]) == (other_file, sooner, later)


def test_a_long_value_is_cut_and_its_length_told() -> None:
    assert shown("x" * SHOWN_CHARACTERS) == f"'{'x' * SHOWN_CHARACTERS}'"
    assert shown("x" * 10_000) == f"'{'x' * SHOWN_CHARACTERS}…(10000 characters)'"
    assert shown(7) == "'7'"


@pytest.mark.parametrize(
    ("words", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")],
)
def test_a_list_of_words_reads_like_a_sentence(words: list[str], text: str) -> None:
    assert article_list(words) == text


def test_a_list_of_words_may_end_with_another_word() -> None:
    assert article_list(iter(["a", "b"]), "and") == "a and b"


def test_every_code_is_words_with_one_line_of_help() -> None:
    for code, help_line in CODES.items():
        assert code == code.lower()
        assert " " not in code
        assert help_line.endswith(".")
        assert "\n" not in help_line


def test_what_a_person_may_have_meant_is_told_where_something_is_near() -> None:
    names = ["NetworkPool", "NetworkPools", "TenantCluster"]
    assert meant("NetworkPol", names) == "did you mean NetworkPool?"
    assert meant("NetworkPol", names, likeness=0.99) == ""
