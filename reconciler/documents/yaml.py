"""YAML: a parser that reports errors with locations, and canonical output."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring
from sys import intern
from typing import Any

import yaml
import yaml12
from msgspec import Struct
from msgspec.msgpack import decode as unpack
from msgspec.msgpack import encode as pack
from yaml import events as ev
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stub forgets to export it

from reconciler.documents.findings import shown
from reconciler.documents.text import (
    MAX_DIGITS,
    UNSAFE,
    Problem,
    Scalar,
    TooManyDigitsError,
    decode,
    decoded,
    escape_character,
    is_ambiguous,
    reads_as_text,
    resolve,
)

Steps = tuple[str | int, ...]


def dotted(steps: Steps) -> str:
    """Return `spec.tenantAllocation.ranges[0].start`, the notation of Kubernetes."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "document"


class Places:
    """Locations of the keys and values of one document: steps to (line, column), both from 1."""

    def __init__(self, lines: int = 0) -> None:
        self.lines = lines
        self.keys: dict[Steps, tuple[int, int]] = {}
        self.values: dict[Steps, tuple[int, int]] = {}

    def of(self, steps: Steps, *, key: bool = False) -> tuple[int, int]:
        """Return the location of a value or its key, else of its closest existing ancestor."""
        if key and steps in self.keys:
            line, column = self.keys[steps]
            return line + self.lines, column
        while steps not in self.values and steps:
            steps = steps[:-1]
        line, column = self.values.get(steps, (1, 1))
        return line + self.lines, column


MAX_DEPTH = 32
MAX_NODES = 10_000
MAX_PROBLEMS = 20

MAX_KEY = 1024
_COLON = re.compile(r":\s")
_SIGNS = re.compile(r" *(?:- +)*")
QUOTED_CHARACTERS = 40
NO_ANCHOR, WRITTEN_OUT = "anchors and aliases are not allowed", "write out the value"
NO_DIRECTIVE, LINE_OUT = "unsupported YAML directive", "remove the line"
_LOOK = "check this line and the line before it"
UNTAGGED = "remove the tag, and quote the value if it is text"
_SYNTAX = (
    ("mapping values are not allowed", "second ':' in one value", "quote the value"),
    ("did not find expected ',' or ']'", "flow sequence not closed", "add the missing ]"),
    ("did not find expected ',' or '}'", "flow mapping not closed", "add the missing }"),
    ("found unexpected end of stream", "quoted scalar not closed", "add the closing quote"),
    ("did not find expected <document start>", "content after document end", "begin with ---"),
    ("found incompatible YAML document", NO_DIRECTIVE, LINE_OUT),
    ("did not find expected whitespace or line break", "not YAML", _LOOK),
    (
        "cannot start any token",
        "a tab instead of spaces, or a value that begins with @, `, or %",
        "indent with spaces, and quote such a value",
    ),
    (
        "did not find expected key",
        "the line does not match the mapping around it",
        "indent it like the lines around it",
    ),
    (
        "did not find expected '-' indicator",
        "the line does not match the list around it",
        "indent it like the lines around it",
    ),
    ("could not find expected ':'", "a key without ':'", "write `key: value`"),
)


def syntax(failure: yaml.YAMLError, text: str) -> Problem:
    """Return libyaml's error with a fix in the message, without content of the file."""
    opened = getattr(failure, "context_mark", None)
    problem = str(getattr(failure, "problem", None) or getattr(failure, "reason", "not YAML"))
    # A key without a colon is detected after the key.
    is_after = "could not find expected ':'" in problem
    mark = opened if is_after else getattr(failure, "problem_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    if "mapping values" in problem and (colon := _colon(text, line, column)) is not None:
        return colon
    for part, words, hint in _SYNTAX:
        if part in problem:
            if "not closed" in words and opened is not None:
                words = f"{words} (opened on line {opened.line + 1})"
            code = "yaml-directive" if "directive" in words else "yaml-syntax"
            return Problem(code, line, column, words, hint)
    where = f"{getattr(failure, 'context', '')} {problem}"
    if "anchor" in where or "alias" in where:
        return Problem("yaml-anchor", line, column, NO_ANCHOR, WRITTEN_OUT)
    if "tag" in where:
        return Problem("yaml-tag", line, column, "tags are not allowed", UNTAGGED)
    if "directive" in where:
        return Problem("yaml-directive", line, column, NO_DIRECTIVE, LINE_OUT)
    return Problem("yaml-syntax", line, column, problem, _LOOK)


def _colon(text: str, line: int, column: int) -> Problem | None:
    """Return the problem of a ':' that libyaml reads as a continuation of the previous value."""
    if column > MAX_KEY:
        message = f"the key is longer than {MAX_KEY:,} characters"
        return Problem("yaml-key", line, 1, message, "shorten it")
    lines = [it.rstrip() for it in text.split("\n")[: line - 1]]
    here = text.split("\n")[line - 1][: column - 1]
    if not lines or _COLON.search(here):
        return None
    deep = _deep(here)
    if _COLON.search(f"{lines[-1]} "):
        words = "the line is indented deeper than the one before it, which has a value"
        return Problem("yaml-syntax", line, deep + 1, words, "indent it like the lines around it")
    above = next((it for it in reversed(lines) if _deep(it) != deep or _COLON.search(f"{it} ")), "")
    if _deep(lines[-1]) != deep or _COLON.search(above):
        return None
    return Problem("yaml-syntax", line - 1, deep + 1, "a key without ':'", "write `key: value`")


def _deep(line: str) -> int:
    return len(line) - len(_SIGNS.sub("", line, count=1))


def quoted(text: str) -> str:
    """Return the hint to quote a text, with the text if it is short."""
    return f'quote it: "{text}"' if len(text) <= QUOTED_CHARACTERS else "quote it"


Value = Scalar | list["Value"] | dict[str, "Value"]


class Parsed(Struct, frozen=True, gc=False):
    """One document of a text. Lines start at 1; `span` is in characters of the file."""

    value: Any
    line: int
    span: tuple[int, int]


class _StopError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class YamlReading(Struct, frozen=True):
    """The content of a text. With `problems` it is unusable; `doubts` are warnings."""

    documents: tuple[Parsed, ...]
    problems: tuple[Problem, ...]
    doubts: tuple[Problem, ...]


def read(data: bytes) -> YamlReading:
    """Read all nonempty documents of a file, in order, up to the first syntax error."""
    if (documents := _accepted(data)) is not None:
        return YamlReading(documents, (), ())
    text, problem = decode(data)
    return YamlReading((), (problem,), ()) if problem is not None else read_text(text)


# A subset of YAML that both parsers read alike. Lines are mappings and sequences in block style, with
# scalars on one line that YAML 1.1 and 1.2 resolve to the same type.
_TEXT_ONLY = (
    r"(?!(?:[yYnN]|[yY]es|YES|[nN]o|NO|[oO]n|ON|[oO]ff|OFF|[tT]rue|TRUE|[fF]alse|FALSE"
    r"|[nN]ull|NULL)(?![\w./-]))"
)
_SUBSET_KEY = rf"{_TEXT_ONLY}[A-Za-z_][\w./-]{{0,200}}+"
_NUMBERS = (
    r"(?:true|false|null|0|[1-9]\d{0,17})(?![\w./:-])"
    r"|\d++\.\d++\.\d++\.\d[\d./-]*+(?![\w:])"  # IPv4
    r"|\d[\da-fA-F:]*::[\da-fA-F./]++(?![\w:-])"  # IPv6
    r"|[\d-][\w./-]*?[ghj-mpqrsuvwyGHJ-MPQRSUVWY][\w./-]*+(?!:)"  # letters that no number has
    r'|"[ !$-9;-\[\]-~]*+"'
)
_IN_FLOW = rf"(?:{_TEXT_ONLY}[A-Za-z_/][\w./@+=-]*+(?::[\w./@+=-]++)*+|{_NUMBERS})"
_IN_BLOCK = (
    rf"(?:{_TEXT_ONLY}[A-Za-z_/][\w./@+=,()'-]*+(?:(?::|[ ])[\w./@+=,()'-]++)*+(?!:)|{_NUMBERS})"
)
_SUBSET_VALUE = (
    rf"(?:{_IN_BLOCK}|\{{(?:{_SUBSET_KEY}: {_IN_FLOW}(?:, )?+)*+\}}|\[(?:{_IN_FLOW}(?:, )?+)*+\])"
)
_COMMENT = r"(?:\#[ -~]*+)?+\n"
_SUBSET_LINE = (
    rf"(?:[ ]{{2}}){{0,12}}+(?:(?:-[ ]){{0,2}}+{_SUBSET_KEY}:(?:[ ]{_SUBSET_VALUE})?+"
    rf"|(?:-[ ]){{1,2}}+{_SUBSET_VALUE})(?:\n|[ ]+{_COMMENT})|[ ]*+{_COMMENT}"
)
_SUBSET = re.compile(rf"(?:---\n)?+(?:{_SUBSET_LINE})++(?:---\n(?:{_SUBSET_LINE})++)*+", re.ASCII)
_SUBSET_CHARACTERS = 20_000  # fewer nodes than the limit
_START = re.compile(r"\A(?:---\n)?|^---\n", re.MULTILINE)
_UP_TO_CONTENT = re.compile(r"(?:[ ]*(?:\#[^\n]*)?\n)*[ ]*")
_REMARK = re.compile(r"(?:^|[ ])\#.*", re.MULTILINE)
_AFTER_KEY = re.compile(r":[ \n]")


def _accepted(data: bytes) -> tuple[Parsed, ...] | None:
    """Return the documents of a text in the subset, or None: PyYAML then reads and explains it."""
    text = data.decode("ascii", "replace")
    if len(text) > _SUBSET_CHARACTERS or not _SUBSET.fullmatch(text):
        return None
    try:
        values = yaml12.parse_yaml(text, multi=True)
    except ValueError:
        return None
    marks = list(_START.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    if len(values) != len(marks) or not all(type(it) is dict for it in values):
        return None
    # The parser keeps the last one of equal keys.
    keys = len(_AFTER_KEY.findall(_REMARK.sub("", text) if "#" in text else text))
    if sum(map(_keys, values)) != keys:
        return None
    found = []
    for value, mark, end in zip(values, marks, ends, strict=True):
        at = _UP_TO_CONTENT.match(text, mark.end()).end()  # type: ignore[union-attr]  # matches ""
        found.append(Parsed(lean(value), text.count("\n", 0, at) + 1, (at, end)))
    return tuple(found)


def lean(value: Any) -> dict[str, Any]:
    """Return an equal mapping whose keys, and whose inner mappings if possible, others share."""
    return {
        intern(key): (lean(it) if key == "metadata" else _shared(pack(it)))
        if type(it) is dict
        else intern(it)
        if type(it) is str
        else it
        for key, it in value.items()
    }


@lru_cache(maxsize=4_096)
def _shared(data: bytes) -> dict[str, Any]:
    return lean(unpack(data))


def _keys(value: object) -> int:
    if type(value) is list:
        return sum(map(_keys, value))
    return len(value) + sum(map(_keys, value.values())) if type(value) is dict else 0


def read_text(text: str, max_nodes: int = MAX_NODES) -> YamlReading:
    """Read all nonempty documents of a text, as `read`, with another limit of nodes."""
    builder = _Builder(max_nodes)
    documents = tuple(builder.documents(text, None))
    return YamlReading(documents, tuple(builder.problems), tuple(builder.doubts))


def places(data: bytes, line: int, span: tuple[int, int], max_nodes: int = MAX_NODES) -> Places:
    """Return the locations of one document of a file that `read` accepts, by a second pass."""
    text = decoded(data)
    start, end = span
    found = [Places(line - 1)]
    next(_Builder(max_nodes).documents(text[text.rfind("\n", 0, start) + 1 : end], found), None)
    return found[0]


class _Frame(Struct):
    value: Any
    steps: Steps
    key: str | None = None


class _Builder:
    def __init__(self, max_nodes: int = MAX_NODES) -> None:
        self.max_nodes = max_nodes
        self.problems: list[Problem] = []
        self.doubts: list[Problem] = []
        self._nodes = 0

    def documents(self, text: str, found: list[Places] | None) -> Iterator[Parsed]:
        """Yield each document's value, first line, and span; `found[0]` receives the locations."""
        events: Iterator[Any] = iter(CParser(text).get_event, None)
        try:
            for event in events:
                if type(event) is ev.DocumentStartEvent:
                    if event.version is not None or event.tags:
                        raise self._stop("yaml-directive", event, NO_DIRECTIVE, LINE_OUT)
                    self._nodes = 0
                    first = next(events)
                    start = first.start_mark
                    value, last = self._value(first, events, found[0] if found else None)
                    if value is not None or start.index < first.end_mark.index:
                        yield Parsed(value, start.line + 1, (start.index, last.end_mark.index))
        except _StopError as stop:
            self.problems.append(stop.problem)
        except yaml.YAMLError as failure:
            self.problems.append(syntax(failure, text))

    def _value(  # noqa: C901, PLR0915 - one loop over five kinds of events, kept flat for speed
        self, event: Any, events: Iterator[Any], found: Places | None
    ) -> tuple[Any, Any]:
        stack: list[_Frame] = []
        while True:
            kind = type(event)
            if kind is ev.ScalarEvent:
                if stack and stack[-1].key is None and type(stack[-1].value) is dict:
                    self._key(event, stack[-1], found)
                    event = next(events)
                    continue
                value: Any = self._scalar(event)
            elif kind is ev.SequenceEndEvent or kind is ev.MappingEndEvent:
                value = stack.pop().value
                if not stack:
                    return value, event
                stack[-1].key = None
                event = next(events)
                continue
            else:
                if stack and stack[-1].key is None and type(stack[-1].value) is dict:
                    raise self._stop(
                        "yaml-key", event, "keys must be strings", "write a string as the key"
                    )
                value = self._container(event, kind)
            self._nodes += 1
            if self._nodes > self.max_nodes:
                message = f"the document has more than {self.max_nodes:,} values"
                raise self._stop("yaml-too-large", event, message, "split the document")
            steps = _place(event, stack, value, found)
            if type(value) is dict or type(value) is list:
                stack.append(_Frame(value, steps))
                if len(stack) > MAX_DEPTH:
                    message = f"nested deeper than {MAX_DEPTH} levels"
                    hint = f"remove levels; no supported kind needs more than {MAX_DEPTH}"
                    raise self._stop("yaml-too-deep", event, message, hint)
            elif not stack:
                return value, event
            event = next(events)

    def _key(self, event: Any, frame: _Frame, found: Places | None) -> None:
        key = self._scalar(event)
        if type(key) is not str:
            got = shown(event.value)
            self._add("yaml-key", event, f"keys must be strings, got {got}", quoted(event.value))
            key = str(event.value)
        if len(key) > MAX_KEY:
            message = f"the key is longer than {MAX_KEY:,} characters"
            raise self._stop("yaml-key", event, message, "shorten it")
        if key == "<<" and event.implicit[0]:
            self._add("yaml-anchor", event, "merge keys are not allowed", "write out the fields")
        if key in frame.value:
            hint = "remove one of them"
            self._add("yaml-duplicate-key", event, f"key {shown(key)} appears twice", hint)
        frame.key = key
        if found is not None:
            found.keys[(*frame.steps, key)] = _mark(event)

    def _container(self, event: Any, kind: type) -> Any:
        if kind is ev.AliasEvent:
            self._add("yaml-anchor", event, NO_ANCHOR, WRITTEN_OUT)
            return None
        self._undressed(event)
        return {} if kind is ev.MappingStartEvent else []

    def _scalar(self, event: Any) -> Scalar:
        if event.anchor is not None or event.tag is not None:
            self._undressed(event)
        text: str = event.value
        if not event.implicit[0] or event.style:  # quoted or block: a string
            return text
        try:
            value = resolve(text)
        except TooManyDigitsError:
            message = f"the number has more than {MAX_DIGITS} digits"
            self._add("yaml-number", event, message, "quote it if it is text")
            return 0
        if value is text and text != "<<" and is_ambiguous(text):
            line, column = _mark(event)
            message = f"{shown(text)} is a string here, but another type for YAML 1.1 readers"
            self.doubts.append(Problem("yaml-ambiguous", line, column, message, quoted(text)))
        return value

    def _undressed(self, event: Any) -> None:
        if event.anchor is not None:
            self._add("yaml-anchor", event, NO_ANCHOR, WRITTEN_OUT)
        if event.tag is not None:
            message = f"tags are not allowed, got {shown(event.tag)}"
            self._add("yaml-tag", event, message, UNTAGGED)

    def _add(self, code: str, event: Any, message: str, hint: str = "") -> None:
        line, column = _mark(event)
        self.problems.append(Problem(code, line, column, message, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            message = "too many problems, so the rest of the file is skipped"
            raise _StopError(Problem(code, line, column, message, "fix the problems above first"))

    @staticmethod
    def _stop(code: str, event: Any, message: str, hint: str) -> _StopError:
        return _StopError(Problem(code, *_mark(event), message, hint))


def _place(event: Any, stack: list[_Frame], value: Any, found: Places | None) -> Steps:
    steps: Steps = ()
    if stack:
        frame = stack[-1]
        if type(frame.value) is dict:
            key = frame.key
            # The first of two equal keys is used; the second was reported.
            frame.value.setdefault(key, value)
            if found is not None:
                steps = (*frame.steps, key or "")
            if type(value) is not dict and type(value) is not list:
                frame.key = None
        else:
            if found is not None:
                steps = (*frame.steps, len(frame.value))
            frame.value.append(value)
    if found is not None:
        found.values.setdefault(steps, _mark(event))
    return steps


def _mark(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


# Text that does not start with an indicator, contains neither ': ' nor ' #', and does not end with
# ':' or a space (YAML 1.2.2 §7.3.3). Other text is checked below.
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*", re.ASCII)
_STARTS_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:][^\s,\[\]{}]")
# Explicit character classes: the Unicode tables of Python depend on its version, and must not
# decide the output.
_INSIDE = re.compile(r": |:$| #|\s$|[^\S ]|[\x00-\x1f]|^---|^\.\.\.")
# With `##`, which CI services interpret as commands in a log.
_ESCAPED = re.compile(f"[{UNSAFE}]|(?<=#)#")


def dump(value: Mapping[str, object]) -> str:
    """Return the canonical text of a document of mappings, sequences, and scalars."""
    lines: list[str] = []
    _block(value, "", lines)
    lines.append("")
    return "\n".join(lines)


def scalar(value: object) -> str:
    """Return the canonical text of one scalar, or of an empty mapping or sequence."""
    if isinstance(value, str):
        return text(value)
    if value is True or value is False:
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, Mapping | Sequence) and not value:
        return "{}" if isinstance(value, Mapping) else "[]"
    raise TypeError(type(value))


@lru_cache(maxsize=2_048)
def text(value: str) -> str:
    """Return a string, quoted if necessary."""
    if is_plain(value):
        return value
    return _ESCAPED.sub(escape_character, encode_basestring(value))


def is_plain(value: str) -> bool:
    """Return whether the string needs no quotes for readers of either YAML version."""
    if not value or not reads_as_text(value):
        return False
    if _PLAIN.fullmatch(value):
        return True
    return bool(
        _STARTS_PLAIN.match(value) and not _INSIDE.search(value) and not _ESCAPED.search(value)
    )


def _block(value: Any, indent: str, lines: list[str]) -> None:
    if isinstance(value, Mapping):
        for key in sorted(value):
            _entry(f"{indent}{text(key)}:", value[key], indent, lines)
        return
    for item in value:
        start = len(lines)
        if _is_block(item):
            _block(item, f"{indent}  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        else:
            _entry(f"{indent}-", item, indent, lines)


def _entry(head: str, item: object, indent: str, lines: list[str]) -> None:
    if _is_block(item):
        lines.append(head)
        _block(item, f"{indent}  ", lines)
    else:
        lines.append(f"{head} {scalar(item)}")


def _is_block(value: object) -> bool:
    return bool(value) and isinstance(value, Mapping | Sequence) and not isinstance(value, str)


def _decimal(value: Decimal) -> str:
    if value.is_nan():
        return ".nan"
    if value.is_infinite():
        return "-.inf" if value < 0 else ".inf"
    written = str(value)
    return written if any(mark in written for mark in ".E") else f"{written}.0"
