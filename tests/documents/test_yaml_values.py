"""Strict YAML: values, lines, and locations."""

from decimal import Decimal
from typing import Any

import pytest

from reconciler.documents import yaml
from reconciler.documents.yaml import Places, YamlReading, places, read


def value(text: str) -> Any:
    reading = read(text.encode())
    assert reading.problems == ()
    (parsed,) = reading.documents
    return parsed.value


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("null", None), ("~", None), ("Null", None), ("", None),
        ("true", True), ("TRUE", True), ("False", False),
        ("0", 0), ("-0", 0), ("42", 42), ("-7", -7), ("9223372036854775807", 2**63 - 1),
        ("4.0", Decimal("4.0")), ("1e3", Decimal("1e3")), (".5", Decimal("0.5")),
        ("+1.5", Decimal("1.5")), ("1.", Decimal(1)), ("10.10", Decimal("10.10")),
        (".inf", Decimal("Infinity")), ("-.INF", Decimal("-Infinity")),
        # YAML 1.1 would read these as numbers, dates or booleans.
        ("no", "no"), ("on", "on"), ("y", "y"), ("=", "="), ("1:30", "1:30"), ("0777", "0777"),
        ("0o17", "0o17"), ("0x10", "0x10"), ("1_0", "1_0"), ("+12", "+12"), ("0b1", "0b1"),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"), ("2001:10:20:30:40:50:11:12",) * 2,
        ("2024-01-01",) * 2, ("2024-02-30",) * 2, ("2026-02-15T10:00:30Z",) * 2,
        ("10.0.0.1",) * 2, ("2001:db8::1",) * 2, ("nULL", "nULL"), ("1e", "1e"),
        ('"4"', "4"), ("'no'", "no"), ('""', ""), ("a b", "a b"), ("a#b", "a#b"),
    ],
)  # fmt: skip
def test_a_scalar_is_what_the_core_schema_says_and_nothing_else(text: str, wanted: object) -> None:
    found = value(f"k: {text}\n")["k"]
    assert found == wanted
    assert type(found) is type(wanted)


@pytest.mark.parametrize("text", ["'no'", '"0777"', "10.0.0.1", "2001:db8::1", "abc", "4", "0o17x"])
def test_a_quoted_or_plain_string_is_no_doubt(text: str) -> None:
    assert read(f"k: {text}\n".encode()).doubts == ()


def test_a_file_holds_any_number_of_documents() -> None:
    text = b"---\n# nothing\n---\na: 1\n---\n- x\n---\n~\n---\ntext\n---\n"
    reading = read(text)
    assert [(parsed.value, parsed.line) for parsed in reading.documents] == [
        ({"a": 1}, 4),
        (["x"], 6),
        (None, 8),
        ("text", 10),
    ]


@pytest.mark.parametrize("text", [b"", b"# only a comment\n", b"---\n", b"---\n---\n", b"\n\n"])
def test_a_text_may_hold_no_document(text: bytes) -> None:
    assert read(text) == YamlReading((), (), ())


TEXT = b"a: 1\nb:\n  - c: 2\n  - [3, {d: 4}]\n---\n---\n  e:\n    f: 5\n"


def places_of(data: bytes, index: int) -> Places:
    document = read(data).documents[index]
    return places(data, document.line, document.span)


def test_every_key_and_value_has_a_place() -> None:
    found = places_of(TEXT, 0)
    assert found.of(()) == (1, 1)
    assert found.of(("a",)) == (1, 4)
    assert found.of(("a",), key=True) == (1, 1)
    assert found.of(("b", 0, "c")) == (3, 8)
    assert found.of(("b", 0, "c"), key=True) == (3, 5)
    assert found.of(("b", 1, 1, "d")) == (4, 13)


def test_what_is_not_there_has_the_place_of_what_is_around_it() -> None:
    found = places_of(TEXT, 0)
    assert found.of(("b", 0, "x", "y")) == (3, 5)
    assert found.of(("x",), key=True) == (1, 1)


def test_an_empty_document_does_not_shift_the_places_of_the_next() -> None:
    found = places_of(TEXT, 1)
    assert found.of(()) == (7, 3)
    assert found.of(("e", "f")) == (8, 8)


def test_places_of_later_documents_count_the_lines_before_them() -> None:
    data = "\ufeff# é\n--- {a: é}\n...\n---\n# x\n  b:\n    - é: 1\n\n--- [c, d]\n".encode()
    assert places_of(data, 0).of(("a",)) == (2, 9)
    assert places_of(data, 1).of(("b", 0, "é")) == (7, 10)
    assert places_of(data, 1).of(("b",), key=True) == (6, 3)
    assert places_of(data, 2).of((1,)) == (9, 9)


def test_of_two_equal_keys_the_first_counts() -> None:
    reading = read(b"a: 1\na: 2\n")
    assert reading.documents[0].value == {"a": 1}
    assert places_of(b"a: {b: 1}\na: {b: 2}\n", 0).of(("a",)) == (1, 4)


def test_mappings_that_differ_in_type_or_order_only_stay_different() -> None:
    texts = ("1", "true", '"1"', "null", "{b: 1, c: 2}", "{c: 2, b: 1}", "[1]", '["1"]')
    read = [yaml.read(f"spec:\n  a: {text}\n".encode()).documents[0].value for text in texts]
    expected = [1, True, "1", None, {"b": 1, "c": 2}, {"c": 2, "b": 1}, [1], ["1"]]
    assert repr(read) == repr([{"spec": {"a": value}} for value in expected])
