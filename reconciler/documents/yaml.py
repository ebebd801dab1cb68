"""Strict YAML: libyaml's events to plain values, with every limit that a hostile file needs.

A pull request is untrusted. PyYAML's own loaders keep the last of duplicate keys, defer alias
bombs and overflow the C stack at 40,000 nested brackets; the event stream does none of it. So
events are all that is taken from PyYAML, and a loop (no recursion) builds the values.

No anchors, aliases, merge keys, tags or directives; keys are strings and stand once; at most
256 KiB a file, 32 levels and 10,000 values a document.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import yaml
from yaml import events as ev

from reconciler.documents.scalars import (
    MAX_DIGITS,
    Scalar,
    TooManyDigitsError,
    is_ambiguous,
    resolve,
)
from reconciler.findings import shown

MAX_BYTES = 256 * 1024
MAX_DEPTH = 32
MAX_NODES = 10_000
MAX_KEY = 1024
MAX_PROBLEMS = 20

try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stub forgets to export it

    HAS_LIBYAML = True
except ImportError:  # PyYAML built without libyaml: about eight times slower
    HAS_LIBYAML = False

Steps = tuple[str | int, ...]
Value = Scalar | list["Value"] | dict[str, "Value"]


class Problem(NamedTuple):
    """What is wrong with a text, and where: line and column start at 1."""

    code: str
    line: int
    column: int
    message: str
    hint: str = ""


class Parsed(NamedTuple):
    """One document of a text: its value and the line it begins on."""

    value: Any
    line: int


class _StopError(Exception):
    """The text cannot be read any further."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Reading(NamedTuple):
    """What a text holds. With `problems` it is unusable; `doubts` are warnings."""

    documents: tuple[Parsed, ...]
    problems: tuple[Problem, ...]
    doubts: tuple[Problem, ...]


class Places:
    """Where each key and value of one document stands: steps to (line, column), both from 1."""

    def __init__(self) -> None:
        self.keys: dict[Steps, tuple[int, int]] = {}
        self.values: dict[Steps, tuple[int, int]] = {}
        self.plain: set[Steps] = set()

    def of(self, steps: Steps, *, key: bool = False) -> tuple[int, int]:
        """The place of a value (or its key), else of the nearest thing around it that exists."""
        if key and steps in self.keys:
            return self.keys[steps]
        while steps not in self.values and steps:
            steps = steps[:-1]
        return self.values.get(steps, (1, 1))


def read(data: bytes) -> Reading:
    """Read all documents of a file.

    Returns:
        The documents in file order. One that begins but holds nothing (a stray `---`) is left
        out. After a syntax error nothing that follows it is read.
    """
    text, problem = decode(data)
    if problem is not None:
        return Reading((), (problem,), ())
    builder = _Builder()
    documents = tuple(Parsed(value, line) for value, line in builder.documents(text, None))
    return Reading(documents, tuple(builder.problems), tuple(builder.doubts))


def places(data: bytes, index: int) -> Places:
    """The places of the document at `index` of a file that `read` accepts.

    A second pass, made only when there is something to report, so that reading costs nothing
    for it.
    """
    text, _ = decode(data)
    found = [Places()]
    for position, _document in enumerate(_Builder().documents(text, found)):
        if position == index:
            return found[0]
        found[0] = Places()
    return Places()


_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\ufffe\uffff]|\r(?!\n)"
)
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_BREAKS = {"\x85": "NEL", "\u2028": "LS", "\u2029": "PS", "\r": "a lone CR"}


def decode(data: bytes) -> tuple[str, Problem | None]:
    """The text of a file, unless a byte of it says that it is none."""
    if len(data) > MAX_BYTES:
        return "", Problem("file-too-large", 0, 0, f"file of {len(data)} bytes, limit {MAX_BYTES}")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", Problem("not-utf8", 1, 1, "the file must be UTF-8, this is UTF-16")
    if data.startswith(b"version https://git-lfs"):
        return "", Problem("lfs-pointer", 1, 1, "a Git LFS pointer, not content")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return "", Problem("not-utf8", line, 0, f"the file must be UTF-8: byte {error.start}")
    text = text.removeprefix("\ufeff")
    return text, _unsafe(text) or _conflict(text)


def _unsafe(text: str) -> Problem | None:
    if (found := _UNSAFE.search(text)) is None:
        return None
    character = found.group()
    before = text[: found.start()]
    line, column = before.count("\n") + 1, found.start() - (before.rfind("\n") + 1) + 1
    if character in _BREAKS:
        name = _BREAKS[character]
        message, hint = f"non-ASCII line break ({name})", "end lines with LF"
        return Problem("line-break", line, column, message, hint)
    name = f"U+{ord(character):04X}"
    if character == "\ufeff":
        message = f"{name} (byte order mark) inside the file"
    elif ord(character) >= 0x200E:
        message = f"bidirectional control or noncharacter {name}"
    else:
        message = f"control character {name} at offset {found.start()}"
    return Problem("control-character", line, column, message, "remove the character")


def _conflict(text: str) -> Problem | None:
    found = _CONFLICT.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return Problem("merge-conflict", line, 1, "merge conflict marker", "resolve the conflict")


class _Frame:
    """A container being built."""

    __slots__ = ("key", "steps", "value")

    def __init__(self, value: Any, steps: Steps) -> None:
        self.value = value
        self.steps = steps
        self.key: str | None = None


class _Builder:
    """One pass over the events of one text."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.doubts: list[Problem] = []
        self._nodes = 0

    def documents(self, text: str, found: list[Places] | None) -> Iterator[tuple[Any, int]]:
        """Each document's value and first line; `found[0]` takes its places, when given."""
        events = iter(_events(text))
        try:
            for event in events:
                if type(event) is ev.DocumentStartEvent:
                    _refuse_directive(event)
                    self._nodes = 0
                    first = next(events)
                    line = first.start_mark.line + 1
                    value = self._value(first, events, found[0] if found else None)
                    if value is not None or first.start_mark.index < first.end_mark.index:
                        yield value, line
        except _StopError as stop:
            self.problems.append(stop.problem)
        except yaml.YAMLError as failure:
            self.problems.append(_syntax(failure))

    def _value(  # noqa: C901 - one loop over five kinds of events, kept flat for speed
        self, event: Any, events: Iterator[Any], found: Places | None
    ) -> Any:
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
                    return value
                stack[-1].key = None
                event = next(events)
                continue
            else:
                if stack and stack[-1].key is None and type(stack[-1].value) is dict:
                    raise self._stop("yaml-key", event, "keys must be strings")
                value = self._container(event, kind)
            self._nodes += 1
            if self._nodes > MAX_NODES:
                raise self._stop("yaml-too-large", event, f"too many nodes, limit {MAX_NODES}")
            steps = _place(event, stack, value, found)
            if type(value) is dict or type(value) is list:
                stack.append(_Frame(value, steps))
                if len(stack) > MAX_DEPTH:
                    raise self._stop("yaml-too-deep", event, f"nested over {MAX_DEPTH} levels deep")
            elif not stack:
                return value
            event = next(events)

    def _key(self, event: Any, frame: _Frame, found: Places | None) -> None:
        """Take a scalar as the key of the next value."""
        key = self._scalar(event)
        if type(key) is not str:
            self._add("yaml-key", event, f"keys must be strings, got {event.value}", "quote it")
            key = str(event.value)
        if len(key) > MAX_KEY:
            raise self._stop("yaml-key", event, f"key too long: {shown(key)}")
        if key == "<<":
            self._add("yaml-anchor", event, "merge keys are not allowed")
        if key in frame.value:
            self._add("yaml-duplicate-key", event, f"key {shown(key)} stands twice")
        frame.key = key
        if found is not None:
            found.keys[(*frame.steps, key)] = _mark(event)

    def _container(self, event: Any, kind: type) -> Any:
        if kind is ev.AliasEvent:
            self._add("yaml-anchor", event, "anchors and aliases are not allowed")
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
            self._add("yaml-number", event, f"number too long, limit {MAX_DIGITS} digits")
            return 0
        if value is text and is_ambiguous(text):
            line, column = _mark(event)
            message = f"{shown(text)} is read as a string here, as another type by YAML 1.1 readers"
            self.doubts.append(
                Problem("yaml-ambiguous", line, column, message, f'quote it: "{text}"')
            )
        return value

    def _undressed(self, event: Any) -> None:
        """No anchor and no tag."""
        if event.anchor is not None:
            self._add("yaml-anchor", event, "anchors and aliases are not allowed")
        if event.tag is not None:
            self._add("yaml-tag", event, f"tags are not allowed, got {shown(event.tag)}")

    def _add(self, code: str, event: Any, message: str, hint: str = "") -> None:
        line, column = _mark(event)
        self.problems.append(Problem(code, line, column, message, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            raise _StopError(Problem(code, line, column, "too many problems, the rest is not read"))

    @staticmethod
    def _stop(code: str, event: Any, message: str) -> _StopError:
        return _StopError(Problem(code, *_mark(event), message))


def _place(event: Any, stack: list[_Frame], value: Any, found: Places | None) -> Steps:
    """Put a value into its container and tell the steps that lead to it (when asked for)."""
    steps: Steps = ()
    if stack:
        frame = stack[-1]
        if type(frame.value) is dict:
            key = frame.key
            # Of two equal keys the first counts; the second was reported.
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
        if type(event) is ev.ScalarEvent and event.implicit[0] and not event.style:
            found.plain.add(steps)
    return steps


def _events(text: str) -> Iterable[Any]:
    if not HAS_LIBYAML:
        return yaml.parse(text, Loader=yaml.SafeLoader)
    return iter(CParser(text).get_event, None)


def _mark(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _refuse_directive(event: Any) -> None:
    if event.version is not None or event.tags:
        raise _StopError(Problem("yaml-directive", *_mark(event), "unsupported YAML directive"))


_SYNTAX = (
    ("mapping values are not allowed", "second ':' in one value", "quote the value"),
    ("did not find expected ',' or ']'", "flow sequence not closed", "add the missing ]"),
    ("did not find expected ',' or '}'", "flow mapping not closed", "add the missing }"),
    ("found unexpected end of stream", "quoted scalar not closed", "add the closing quote"),
    ("did not find expected <document start>", "content after document end", "begin with ---"),
    ("found incompatible YAML document", "unsupported YAML directive", "remove the line"),
    ("did not find expected whitespace or line break", "not YAML", ""),
)


def _syntax(failure: yaml.YAMLError) -> Problem:
    """Libyaml's error in words that say how to mend it; never with text of the file."""
    mark = getattr(failure, "problem_mark", None)
    opened = getattr(failure, "context_mark", None)
    problem = str(getattr(failure, "problem", None) or getattr(failure, "reason", "not YAML"))
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    if "mapping values" in problem and column > MAX_KEY:
        return Problem("yaml-key", line, 1, f"key too long, limit {MAX_KEY} characters")
    for part, words, hint in _SYNTAX:
        if part in problem:
            if "not closed" in words and opened is not None:
                words = f"{words} (opened on line {opened.line + 1})"
            code = "yaml-directive" if "directive" in words else "yaml-syntax"
            return Problem(code, line, column, words, hint)
    if "alias" in problem or "anchor" in problem:
        return Problem("yaml-anchor", line, column, "anchors and aliases are not allowed")
    if "tag" in problem:
        return Problem("yaml-tag", line, column, "tags are not allowed")
    if "directive" in problem:
        return Problem("yaml-directive", line, column, "unsupported YAML directive")
    return Problem("yaml-syntax", line, column, problem)
