"""Every text that is refused, with line and column."""

import pytest

from reconciler.documents.text import Problem
from reconciler.documents.yaml import MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, read


def problems(text: str | bytes) -> tuple[Problem, ...]:
    return read(text if isinstance(text, bytes) else text.encode()).problems


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        pytest.param("a: {b: 1\nc: 2\n", "yaml-syntax", 2, 2, id="mapping not closed"),
        pytest.param("*a : b\n", "yaml-key", 1, 1, id="A09 alias as a key"),
        pytest.param("a: &a {b: 1}\n", "yaml-anchor", 1, 4, id="A10 anchor on a mapping"),
        pytest.param("&a k: 1\n", "yaml-anchor", 1, 1, id="A10 anchor on a key"),
        pytest.param("a: &\n", "yaml-anchor", 1, 5, id="anchor without a name"),
        pytest.param("a: 1\r\n||||||| base\r\n", "merge-conflict", 2, 1, id="diff3 with CR LF"),
        pytest.param("a: !own 1\n", "yaml-tag", 1, 4, id="own tag"),
        pytest.param("!!str k: 1\n", "yaml-tag", 1, 1, id="tag on a key"),
        pytest.param("a: !u!x 1\n", "yaml-tag", 1, 4, id="tag handle that is not declared"),
        pytest.param("a: !<> 1\n", "yaml-tag", 1, 6, id="broken tag"),
        pytest.param("%YAML 1.2\n---\na: 1\n", "yaml-directive", 1, 1, id="A21 known version"),
        pytest.param("a: \x07\n", "control-character", 1, 4, id="A30 BEL"),
        pytest.param("a: \ufffe\n", "control-character", 1, 4, id="noncharacter"),
        pytest.param("a: 1\u2029b: 2\n", "line-break", 1, 5, id="A36 PS"),
        pytest.param("a: 1\n...\nb: 2\n", "yaml-syntax", 3, 1, id="A38 next line"),
        pytest.param("a: 1e99999999999999999999\n", "yaml-number", 1, 4, id="A41 exponent"),
        pytest.param("true: a\n", "yaml-key", 1, 1, id="boolean key"),
        pytest.param("{{a: 1}: b}\n", "yaml-key", 1, 2, id="mapping as a key"),
        pytest.param("a: @x\n", "yaml-syntax", 1, 4, id="reserved indicator"),
        pytest.param("a:\n  b: 1\n c: 2\n", "yaml-syntax", 3, 2, id="indentation"),
        pytest.param("- a\nb: 1\n", "yaml-syntax", 2, 1, id="mapping after a list"),
        pytest.param("a: 1\nb\nc: 2\n", "yaml-syntax", 2, 1, id="key without a colon"),
    ],
)
def test_a_text_that_is_not_strict_yaml_is_refused_at_its_place(
    text: str, code: str, line: int, column: int
) -> None:
    first = problems(text)[0]
    assert (first.code, first.line, first.column) == (code, line, column)
    assert first.hint
    assert len(first.message) < 500


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: {b: 1\nc: 2\n", "flow mapping not closed (opened on line 1)"),
        ("a: 1\nb: 1\n  c: 2\n", "the line is indented deeper than the one before it"),
        ("a: 1\n  text\n  b: 2\n", "second ':' in one value"),
        ('a: "\\q"\n', "unknown escape"),
    ],
)
def test_libyamls_errors_are_told_in_words_that_mend_them(text: str, words: str) -> None:
    assert words in problems(text)[0].message


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("a: 1\nb:\n  name one\n  place: x\n", (3, 3), "write `key: value`"),
        ("a: 1\nb:\n  - name one\n    place: x\n", (3, 5), "write `key: value`"),
        ("a: 1\r\nb:\r\n  name one\r\n  place: x\r\n", (3, 3), "write `key: value`"),
        ("name one\nplace: x\n", (1, 1), "write `key: value`"),
        ("a:\n  b: 1\n  name one\n  place: x\n", (3, 3), "write `key: value`"),
        ("a:\n  b: 1\n  name one\nc: 2\n", (3, 3), "write `key: value`"),
        ("a:\n  b: 1\n    c: 2\n", (3, 5), "indent it like the lines around it"),
        ("- a: 1\n    c: 2\n", (2, 5), "indent it like the lines around it"),
        ("a: 1\nb: x: y\n", (2, 5), "quote the value"),
        ("a: of\n  many\n  lines\n  two: x\n", (4, 6), "quote the value"),
        ("---\nname one\nplace: x\n", (2, 1), "write `key: value`"),
        ("a: of\n  two: x: y\n", (2, 3), "indent it like the lines around it"),
    ],
)
def test_a_colon_that_is_missing_and_a_line_too_deep_are_told_where_they_are(
    text: str, place: tuple[int, int], hint: str
) -> None:
    first = problems(text)[0]
    assert ((first.line, first.column), first.hint) == (place, hint)


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        pytest.param(b"\xfe\xff\0a", "not-utf8", 1, id="A32 big endian"),
        pytest.param(b"a: \xed\xa0\x80\n", "not-utf8", 1, id="surrogate"),
        pytest.param(b'"a' + b"a" * (1 << 20), "file-too-large", 0, id="A48 one long line"),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes, code: str, line: int) -> None:
    (problem,) = problems(data)
    assert (problem.code, problem.line) == (code, line)
    assert len(problem.message) < 500


def test_no_message_repeats_what_a_hostile_text_says() -> None:
    for text in ("<html><script>alert(1)</script>", "token: [secret\n", '"secret', "@secret"):
        assert not any("secret" in found.message + found.hint for found in problems(text))


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_a_document_may_nest_so_deep_and_no_deeper(opened: str, closed: str) -> None:
    core = "1" if closed != "]" else ""
    text = opened * MAX_DEPTH + core + closed * MAX_DEPTH + "\n"
    assert problems(text) == ()
    deeper = opened * (MAX_DEPTH + 1) + core + closed * (MAX_DEPTH + 1) + "\n"
    assert [found.code for found in problems(deeper)] == ["yaml-too-deep"]


def test_a_document_may_have_so_many_values_and_no_more() -> None:
    # The list is a value itself.
    assert problems("- 1\n" * (MAX_NODES - 1)) == ()
    (problem,) = problems("- 1\n" * MAX_NODES)
    assert (problem.code, problem.line) == ("yaml-too-large", MAX_NODES)


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for name, before in zip("bcdefghi", "abcdefgh", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    found = problems("\n".join(lines))
    assert {problem.code for problem in found} == {"yaml-anchor"}
    assert len(found) == MAX_PROBLEMS + 1


def test_all_problems_of_a_text_are_told_up_to_a_limit() -> None:
    found = problems("a: &x 1\na: !t 2\n1: 3\n")
    assert [problem.code for problem in found] == [
        "yaml-anchor",
        "yaml-duplicate-key",
        "yaml-tag",
        "yaml-key",
    ]
    many = problems("".join(f"k{number}: &x 1\n" for number in range(MAX_PROBLEMS)))
    assert len(many) == MAX_PROBLEMS + 1
    assert "too many problems" in many[-1].message


def test_what_comes_before_a_syntax_error_is_still_read() -> None:
    reading = read(b"a: 1\n---\nb: [\n---\nc: 3\n")
    assert [parsed.value for parsed in reading.documents] == [{"a": 1}]
    assert [problem.code for problem in reading.problems] == ["yaml-syntax"]
