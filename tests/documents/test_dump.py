"""Canonical text: the same value for every reader, quoted only where it must be."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import yaml as pyyaml

from reconciler.documents.yaml import dump, is_plain, read, scalar, text


def ours(written: str) -> Any:
    reading = read(written.encode())
    assert (reading.problems, reading.doubts) == ((), ())
    return reading.documents[0].value


READERS: list[Callable[[str], Any]] = [
    pyyaml.safe_load,
    lambda written: pyyaml.load(written, Loader=pyyaml.CSafeLoader),
    ours,
]

PLAIN = [
    "a", "abc", "team-a", "10.40.0.80", "10.40.0.80/29", "10.0.0.1-10.0.0.9", "2001:db8::1",
    "a:b", "a#b", "a b", "butler/TenantCluster/team/one/nodes", "gitops-ipam.dev/claim", "x=y",
    "8 IPs allocated from vlan40-pool", "needs 8; 4 free, in a row", "Zürich", "東京", "😀", "a'b",
    'a"b', "a\\b", "nULL", "yES", "1e", "1.2.3", "0o", "0xg", "::1", "-a", "?a", ":a", "a,b",
    "a [b]", "a{b}", "--a", "..a", "1:60", "v1.30", "12ab", "--", "a--- b", "a\u00adb", "_1",
    "{{x}}"[2:3], "a&b", "a*b", "a!b", "a|b", "a>b", "a%b", "a@b", "a`b", "ab:cd", "::ffff:0:1",
]  # fmt: skip
QUOTED = [
    # YAML 1.1 and 1.2 words
    "", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "yes", "Yes", "NO", "no",
    "on", "On", "off", "OFF", "y", "Y", "n", "N", "=", "<<",
    # numbers of either version
    "0", "7", "-7", "+7", "007", "0777", "0o17", "0x1F", "0b11", "1_000", "4.0", ".5", "5.", "1e3",
    "-1E-3", "+.5", ".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1.5e3", "1_0.5", ".", "0_", "12e03",
    # sexagesimals, dates, addresses that look like either
    "1:30", "190:20:30", "190:20:30.15", "-1:30", "1:2:3:4:5:6:7:8", "2001:10:20:30:40:50:11:12",
    "2024-01-01", "2024-02-30", "2026-02-15T10:00:30Z", "2001-12-14 21:59:43.10 -5", "2001:db8::",
    "::", "fe80::", "2001-1-1t1:59:43.1-05:00",
    # indicators
    "-", "- a", "?", "? a", ":", ": a", ",a", "[a", "]", "{a", "}", "#a", "&a", "*a", "!a", "|a",
    ">a", "'a", '"a', "%a", "@a", "`a", "---", "--- a", "...", "... a", "---a", "-,", "?[", ":{",
    # colons, comments and blanks
    "a:", "a: b", "a #b", " a", "a ", " ", "a\tb", "\ta", "a\nb", "a\n", "\n", "a:\tb", "a\t#b",
    # invisible characters
    "a\rb", "a\x00b", "a\x07", "\x1b[2J", "a\x7fb", "a\x85b", "a\xa0b", "a\u2028b", "a\u2029b",
    "a\u202eb", "a\u200eb", "a\u2066b", "\ufeffa", "a\ufffe", "a\u3000b", "a\x1cb",
]  # fmt: skip


@pytest.mark.parametrize("hostile", PLAIN + QUOTED, ids=ascii)
def test_every_reader_reads_the_string_and_the_key_that_were_written(hostile: str) -> None:
    body = {"k": hostile, "l": [hostile, {"m": hostile}], "z": {"n": [[hostile]]}}
    for read_back in READERS:
        assert read_back(dump(body)) == body
        assert read_back(dump({hostile: 1})) == {hostile: 1}


@pytest.mark.parametrize("word", PLAIN)
def test_a_string_that_needs_no_quotes_has_none(word: str) -> None:
    assert is_plain(word)
    assert dump({"k": word}) == f"k: {word}\n"


@pytest.mark.parametrize("word", QUOTED, ids=ascii)
def test_a_string_that_would_read_otherwise_is_quoted(word: str) -> None:
    assert not is_plain(word)
    written = text(word)
    assert written.startswith('"')
    assert written.endswith('"')
    assert written.replace("\xa0", " ").replace("\u3000", " ").isprintable()


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"), (False, "false"), (None, "null"), (0, "0"), (-7, "-7"), (1 << 128,
        "340282366920938463463374607431768211456"), ("a", "a"), ("1", '"1"'),
        (Decimal("4.0"), "4.0"), (Decimal(4), "4.0"), (Decimal("1E+3"), "1E+3"),
        (Decimal("nan"), ".nan"), (Decimal("Infinity"), ".inf"), (Decimal("-Infinity"), "-.inf"),
    ],
)  # fmt: skip
def test_each_scalar_has_one_text(value: object, written: str) -> None:
    assert scalar(value) == written


@pytest.mark.parametrize("value", ["4.0", "1E+3", ".inf", "-.inf"])
def test_a_number_reads_back_as_the_same_text(value: str) -> None:
    assert scalar(ours(f"k: {value}\n")["k"]) == value


@pytest.mark.parametrize("value", [1.5, object(), b"a", {1, 2}])
def test_a_value_that_yaml_has_no_place_for_is_a_bug(value: object) -> None:
    with pytest.raises(TypeError):
        scalar(value)


def test_nested_containers_read_back() -> None:
    body = {"a": [[{"b": [{"c": {}}, [[], {"d": None}]]}]], "e": {"f": {"g": [True]}}}
    for read_back in READERS:
        assert read_back(dump(body)) == body
