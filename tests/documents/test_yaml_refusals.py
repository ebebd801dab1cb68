"""Every text that is refused, with line and column, by libyaml and by PyYAML's own parser."""

import pytest

from reconciler.documents import yaml
from reconciler.documents.text import Problem
from reconciler.documents.yaml import MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, read

MAX_BYTES = 256 * 1024
MAX_KEY = 1024


@pytest.fixture(params=["libyaml", "PyYAML alone"])
def libyaml(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Each test runs with both parsers; true with libyaml."""
    monkeypatch.setattr(yaml, "HAS_LIBYAML", request.param == "libyaml")
    return bool(request.param == "libyaml")


def problems(text: str | bytes) -> tuple[Problem, ...]:
    return read(text if isinstance(text, bytes) else text.encode()).problems


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        pytest.param("a: [1, 2\n", "yaml-syntax", 2, 1, id="A05 sequence not closed"),
        pytest.param("a: {b: 1\nc: 2\n", "yaml-syntax", 2, 2, id="mapping not closed"),
        pytest.param('a: "x\n', "yaml-syntax", 2, 1, id="A06 quote not closed"),
        pytest.param("a: 'x\n", "yaml-syntax", 2, 1, id="A06 single quote"),
        pytest.param("a: b: c\n", "yaml-syntax", 1, 5, id="A08 second colon"),
        pytest.param("a: *x\n", "yaml-anchor", 1, 4, id="A09 alias"),
        pytest.param("*a : b\n", "yaml-key", 1, 1, id="A09 alias as a key"),
        pytest.param("a: &a 1\n", "yaml-anchor", 1, 4, id="A10 anchor on a scalar"),
        pytest.param("a: &a {b: 1}\n", "yaml-anchor", 1, 4, id="A10 anchor on a mapping"),
        pytest.param("&a k: 1\n", "yaml-anchor", 1, 1, id="A10 anchor on a key"),
        pytest.param("a: &\n", "yaml-anchor", 1, 5, id="anchor without a name"),
        pytest.param("a: 1\n<<<<<<< HEAD\n", "merge-conflict", 2, 1, id="A12"),
        pytest.param("a: 1\n=======\n", "merge-conflict", 2, 1, id="A13"),
        pytest.param(">>>>>>> x\n", "merge-conflict", 1, 1, id="A14"),
        pytest.param("a: 1\r\n||||||| base\r\n", "merge-conflict", 2, 1, id="diff3 with CR LF"),
        pytest.param("a: 1\na: 2\n", "yaml-duplicate-key", 2, 1, id="A15 duplicate"),
        pytest.param("a:\n  b: 1\n  b: 2\n", "yaml-duplicate-key", 3, 3, id="A16 nested"),
        pytest.param('{a: 1, "a": 2}\n', "yaml-duplicate-key", 1, 8, id="A17 flow"),
        pytest.param("<<: {a: 1}\n", "yaml-anchor", 1, 1, id="merge key"),
        pytest.param("a: !!python/object/apply:os.system [id]\n", "yaml-tag", 1, 4, id="A18"),
        pytest.param("a: !!binary aGk=\n", "yaml-tag", 1, 4, id="A20 binary"),
        pytest.param("a: !!set {x}\n", "yaml-tag", 1, 4, id="A20 set"),
        pytest.param("a: !own 1\n", "yaml-tag", 1, 4, id="own tag"),
        pytest.param("!!str k: 1\n", "yaml-tag", 1, 1, id="tag on a key"),
        pytest.param("a: !u!x 1\n", "yaml-tag", 1, 4, id="tag handle that is not declared"),
        pytest.param("a: !<> 1\n", "yaml-tag", 1, 6, id="broken tag"),
        pytest.param("%YAML 3.0\n---\na: 1\n", "yaml-directive", 1, 1, id="A21"),
        pytest.param("%YAML 1.2\n---\na: 1\n", "yaml-directive", 1, 1, id="A21 known version"),
        pytest.param("%TAG ! tag:x,2000:\n---\na: 1\n", "yaml-directive", 1, 1, id="A22"),
        pytest.param("[" * 100_000, "yaml-too-deep", 1, MAX_DEPTH + 1, id="A24"),
        pytest.param("- " * 100_000, "yaml-too-deep", 1, 2 * MAX_DEPTH + 1, id="A25"),
        pytest.param("{a: " * 50_000, "yaml-too-deep", 1, 4 * MAX_DEPTH + 1, id="A24 mappings"),
        pytest.param("&a [*a]\n", "yaml-anchor", 1, 1, id="A28 self-alias"),
        pytest.param("a: \0\n", "control-character", 1, 4, id="A29 NUL"),
        pytest.param("a: b\n\x1b[2J\n", "control-character", 2, 1, id="A30 ESC"),
        pytest.param("a: \x07\n", "control-character", 1, 4, id="A30 BEL"),
        pytest.param("a: 1\ufeff\n", "control-character", 1, 5, id="A33 BOM inside"),
        pytest.param("a: \u202ex\n", "control-character", 1, 4, id="A34 bidirectional"),
        pytest.param("a: \ufffe\n", "control-character", 1, 4, id="noncharacter"),
        pytest.param("a: 1\x85b: 2\n", "line-break", 1, 5, id="A36 NEL"),
        pytest.param("a: 1\u2028b: 2\n", "line-break", 1, 5, id="A36 LS"),
        pytest.param("a: 1\u2029b: 2\n", "line-break", 1, 5, id="A36 PS"),
        pytest.param("a: 1\rb: 2\r", "line-break", 1, 5, id="A37 lone CR"),
        pytest.param("a: 1\n... garbage\n", "yaml-syntax", 2, 5, id="A38"),
        pytest.param("a: 1\n...\nb: 2\n", "yaml-syntax", 3, 1, id="A38 next line"),
        pytest.param(f"a: {'9' * 5000}\n", "yaml-number", 1, 4, id="A41"),
        pytest.param("a: 1e99999999999999999999\n", "yaml-number", 1, 4, id="A41 exponent"),
        pytest.param(f"{'k' * 1025}: 1\n", "yaml-key", 1, 1, id="A42"),
        pytest.param(f'? "{"k" * 1025}"\n: 1\n', "yaml-key", 1, 3, id="A42 explicit"),
        pytest.param("1: a\n", "yaml-key", 1, 1, id="B25"),
        pytest.param("~: a\n", "yaml-key", 1, 1, id="B26"),
        pytest.param("true: a\n", "yaml-key", 1, 1, id="boolean key"),
        pytest.param("? [a]\n: b\n", "yaml-key", 1, 3, id="list as a key"),
        pytest.param("{{a: 1}: b}\n", "yaml-key", 1, 2, id="mapping as a key"),
        pytest.param("a:\n\tb: 1\n", "yaml-syntax", 2, 1, id="tab"),
        pytest.param("a: @x\n", "yaml-syntax", 1, 4, id="reserved indicator"),
        pytest.param("a:\n  b: 1\n c: 2\n", "yaml-syntax", 3, 2, id="indentation"),
        pytest.param("- a\nb: 1\n", "yaml-syntax", 2, 1, id="mapping after a list"),
        pytest.param("a: 1\nb\nc: 2\n", "yaml-syntax", 2, 1, id="key without a colon"),
    ],
)
@pytest.mark.usefixtures("libyaml")
def test_a_text_that_is_not_strict_yaml_is_refused_at_its_place(
    text: str, code: str, line: int, column: int
) -> None:
    first = problems(text)[0]
    assert (first.code, first.line, first.column) == (code, line, column)
    assert first.hint
    assert len(first.message) < 500


def test_an_unknown_directive_is_refused(libyaml: bool) -> None:
    first = problems("%FOO bar\n---\na: 1\n")[0]
    assert (first.code, first.line) == ("yaml-directive", 1), libyaml


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:\n- [1, 2\n", "flow sequence not closed (opened on line 2)"),
        ("a: {b: 1\nc: 2\n", "flow mapping not closed (opened on line 1)"),
        ('a: "x\n', "quoted scalar not closed (opened on line 1)"),
        ("a: b: c\n", "second ':' in one value"),
        ("a: 1\n... garbage\n", "content after document end"),
        ("a: 1\nb: 1\n  c: 2\n", "the line is indented deeper than the one before it"),
        ("a: 1\n  text\n  b: 2\n", "second ':' in one value"),
        ('a: "\\q"\n', "unknown escape"),
        (f"{'k' * 1025}: 1\n", "key too long, limit 1024"),
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
        ("a:\n  b: 1\n    c: 2\n", (3, 5), "indent it like its neighbours"),
        ("- a: 1\n    c: 2\n", (2, 5), "indent it like its neighbours"),
        ("a: 1\nb: x: y\n", (2, 5), "quote the value"),
        ("a: of\n  many\n  lines\n  two: x\n", (4, 6), "quote the value"),
        ("---\nname one\nplace: x\n", (2, 1), "write `key: value`"),
        ("a: of\n  two: x: y\n", (2, 3), "indent it like its neighbours"),
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
        pytest.param("a: 1\n".encode("utf-16"), "not-utf8", 1, id="A32 UTF-16"),
        pytest.param(b"\xfe\xff\0a", "not-utf8", 1, id="A32 big endian"),
        pytest.param(b"a: 1\nb: \xff\n", "not-utf8", 2, id="A31 byte"),
        pytest.param(b"\x1f\x8b\x08\0", "not-utf8", 1, id="A45 gzip"),
        pytest.param(b"\x7fELF\x02\x01", "control-character", 1, id="A45 ELF"),
        pytest.param(b"a: \xed\xa0\x80\n", "not-utf8", 1, id="surrogate"),
        pytest.param(b"version https://git-lfs.github.com/spec/v1\n", "lfs-pointer", 1, id="A44"),
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


@pytest.mark.usefixtures("libyaml")
def test_a_file_may_have_so_many_bytes_and_no_more() -> None:
    head = b"a: 1\n#"
    assert problems(head + b"x" * (MAX_BYTES - len(head))) == ()
    assert problems(head + b"x" * (MAX_BYTES - len(head) + 1))[0].code == "file-too-large"


@pytest.mark.usefixtures("libyaml")
@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_a_document_may_nest_so_deep_and_no_deeper(opened: str, closed: str) -> None:
    core = "1" if closed != "]" else ""
    text = opened * MAX_DEPTH + core + closed * MAX_DEPTH + "\n"
    assert problems(text) == ()
    deeper = opened * (MAX_DEPTH + 1) + core + closed * (MAX_DEPTH + 1) + "\n"
    assert [found.code for found in problems(deeper)] == ["yaml-too-deep"]


@pytest.mark.usefixtures("libyaml")
def test_a_document_may_have_so_many_values_and_no_more() -> None:
    # The list is a value itself.
    assert problems("- 1\n" * (MAX_NODES - 1)) == ()
    (problem,) = problems("- 1\n" * MAX_NODES)
    assert (problem.code, problem.line) == ("yaml-too-large", MAX_NODES)


@pytest.mark.usefixtures("libyaml")
def test_a_key_may_have_so_many_characters_and_no_more() -> None:
    assert problems(f'? "{"k" * MAX_KEY}"\n: 1\n') == ()
    assert problems(f'? "{"k" * (MAX_KEY + 1)}"\n: 1\n')[0].code == "yaml-key"


@pytest.mark.usefixtures("libyaml")
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
