"""Strict YAML: libyaml's events to plain values, with every limit that a hostile file needs.

A pull request is untrusted. PyYAML's own loaders keep the last of duplicate keys, defer alias
bombs and overflow the C stack at 40,000 nested brackets; the event stream does none of it. So
events are all that is taken from PyYAML, and a loop (no recursion) builds the values.

No anchors, aliases, merge keys, tags or directives; keys are strings and stand once; at most
256 KiB a file, 32 levels and 10,000 values a document.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from msgspec import Struct
from yaml import events as ev

from reconciler.documents import complaints
from reconciler.documents.complaints import MAX_KEY, quoted
from reconciler.documents.places import Places as Places
from reconciler.documents.places import Steps as Steps
from reconciler.documents.quick import Read, quick
from reconciler.documents.scalars import (
    MAX_DIGITS,
    Scalar,
    TooManyDigitsError,
    is_ambiguous,
    resolve,
)
from reconciler.documents.text import MAX_BYTES as MAX_BYTES
from reconciler.documents.text import Problem, decode, decoded
from reconciler.findings import shown

MAX_DEPTH = 32
MAX_NODES = 10_000
MAX_PROBLEMS = 20

try:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stub forgets to export it

    HAS_LIBYAML = True
except ImportError:  # PyYAML built without libyaml: about eight times slower
    HAS_LIBYAML = False

Value = Scalar | list["Value"] | dict[str, "Value"]


class Parsed(Struct, frozen=True):
    """One document of a text.

    Attributes:
        line: The line it begins on, from 1.
        span: Where its text begins and ends, in characters.
    """

    value: Any
    line: int
    span: tuple[int, int]


class _StopError(Exception):
    """The text cannot be read any further."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class Reading(Struct, frozen=True):
    """What a text holds. With `problems` it is unusable; `doubts` are warnings."""

    documents: tuple[Parsed, ...]
    problems: tuple[Problem, ...]
    doubts: tuple[Problem, ...]


def read(data: bytes) -> Reading:
    """Read all documents of a file.

    Returns:
        The documents in file order. One that begins but holds nothing (a stray `---`) is left
        out. After a syntax error nothing that follows it is read.
    """
    text, problem = decode(data)
    if problem is not None:
        return Reading((), (problem,), ())
    if HAS_LIBYAML:
        found = quick(CParser(text).get_event, MAX_NODES, MAX_DEPTH)
        if found is not None:
            return Reading(tuple(Parsed(*item) for item in found), (), ())
    builder = _Builder()
    documents = tuple(Parsed(*item) for item in builder.documents(text, None))
    return Reading(documents, tuple(builder.problems), tuple(builder.doubts))


def places(data: bytes, line: int, span: tuple[int, int]) -> Places:
    """The places of one document of a file that `read` accepts.

    A second pass over this document alone, made only when there is something to report: reading
    costs nothing for it, and a file of many wrong documents is passed over twice, not once for
    each of them.
    """
    text = decoded(data)
    start, end = span
    found = [Places(line - 1)]
    next(_Builder().documents(text[text.rfind("\n", 0, start) + 1 : end], found), None)
    return found[0]


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

    def documents(self, text: str, found: list[Places] | None) -> Iterator[Read]:
        """Each document's value, first line and span; `found[0]` takes its places, when given."""
        events = iter(_events(text))
        try:
            for event in events:
                if type(event) is ev.DocumentStartEvent:
                    _refuse_directive(event)
                    self._nodes = 0
                    first = next(events)
                    start = first.start_mark
                    value, last = self._value(first, events, found[0] if found else None)
                    if value is not None or start.index < first.end_mark.index:
                        yield value, start.line + 1, (start.index, last.end_mark.index)
        except _StopError as stop:
            self.problems.append(stop.problem)
        except yaml.YAMLError as failure:
            self.problems.append(complaints.syntax(failure, text))

    def _value(  # noqa: C901 - one loop over five kinds of events, kept flat for speed
        self, event: Any, events: Iterator[Any], found: Places | None
    ) -> tuple[Any, Any]:
        """The value of a document, and its last event."""
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
                    raise self._stop("yaml-key", event, "keys must be strings", "write a name")
                value = self._container(event, kind)
            self._nodes += 1
            if self._nodes > MAX_NODES:
                raise self._too_large(event)
            steps = _place(event, stack, value, found)
            if type(value) is dict or type(value) is list:
                stack.append(_Frame(value, steps))
                if len(stack) > MAX_DEPTH:
                    raise self._too_deep(event)
            elif not stack:
                return value, event
            event = next(events)

    def _key(self, event: Any, frame: _Frame, found: Places | None) -> None:
        """Take a scalar as the key of the next value."""
        key = self._scalar(event)
        if type(key) is not str:
            got = shown(event.value)
            self._add("yaml-key", event, f"keys must be strings, got {got}", quoted(event.value))
            key = str(event.value)
        if len(key) > MAX_KEY:
            message = f"key too long, limit {MAX_KEY} characters"
            raise self._stop("yaml-key", event, message, "shorten it")
        if key == "<<" and event.implicit[0]:
            self._add("yaml-anchor", event, "merge keys are not allowed", "write the fields out")
        if key in frame.value:
            hint = "remove one of the two"
            self._add("yaml-duplicate-key", event, f"key {shown(key)} stands twice", hint)
        frame.key = key
        if found is not None:
            found.keys[(*frame.steps, key)] = _mark(event)

    def _container(self, event: Any, kind: type) -> Any:
        if kind is ev.AliasEvent:
            self._add("yaml-anchor", event, complaints.NO_ANCHOR, complaints.WRITTEN_OUT)
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
            message = f"number too long, limit {MAX_DIGITS} digits"
            self._add("yaml-number", event, message, "quote it if it is a text")
            return 0
        if value is text and text != "<<" and is_ambiguous(text):
            line, column = _mark(event)
            message = f"{shown(text)} is read as a string here, as another type by YAML 1.1 readers"
            self.doubts.append(Problem("yaml-ambiguous", line, column, message, quoted(text)))
        return value

    def _undressed(self, event: Any) -> None:
        """No anchor and no tag."""
        if event.anchor is not None:
            self._add("yaml-anchor", event, complaints.NO_ANCHOR, complaints.WRITTEN_OUT)
        if event.tag is not None:
            message = f"tags are not allowed, got {shown(event.tag)}"
            self._add("yaml-tag", event, message, complaints.UNTAGGED)

    def _add(self, code: str, event: Any, message: str, hint: str = "") -> None:
        line, column = _mark(event)
        self.problems.append(Problem(code, line, column, message, hint))
        if len(self.problems) >= MAX_PROBLEMS:
            message = "too many problems, the rest is not read"
            raise _StopError(Problem(code, line, column, message, "mend those above first"))

    def _too_large(self, event: Any) -> _StopError:
        message = f"too many nodes, limit {MAX_NODES}"
        return self._stop("yaml-too-large", event, message, "split the document")

    def _too_deep(self, event: Any) -> _StopError:
        message = f"nested over {MAX_DEPTH} levels deep"
        return self._stop("yaml-too-deep", event, message, "no kind nests so deep")

    @staticmethod
    def _stop(code: str, event: Any, message: str, hint: str) -> _StopError:
        return _StopError(Problem(code, *_mark(event), message, hint))


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
    return steps


class _SlowLoader(yaml.SafeLoader):
    """PyYAML's own parser, as strict about directives as libyaml."""

    def scan_directive(self) -> Any:
        raise yaml.MarkedYAMLError(problem="directive", problem_mark=self.get_mark())


def _events(text: str) -> Iterable[Any]:
    if not HAS_LIBYAML:
        return yaml.parse(text, Loader=_SlowLoader)
    return iter(CParser(text).get_event, None)


def _mark(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _refuse_directive(event: Any) -> None:
    if event.version is not None or event.tags:
        raise _StopError(
            Problem("yaml-directive", *_mark(event), complaints.NO_DIRECTIVE, complaints.LINE_OUT)
        )
