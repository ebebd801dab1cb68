"""Findings at locations in files."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import StrEnum
from heapq import nlargest
from itertools import takewhile

from msgspec import Struct

from reconciler.codes import CODES

SHOWN_CHARACTERS = 120


class Severity(StrEnum):
    """Severity of a finding: an error causes exit code 1, a gate 3, and all others 0."""

    ERROR = "error"
    GATE = "gate"
    WARNING = "warning"
    INFO = "info"


class Location(Struct, frozen=True, order=True, gc=False):
    """A location: line and column from 1, 0 if unknown, and an RFC 6901 pointer in the document."""

    path: str
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Finding(Struct, frozen=True):
    """A problem, with its location and a hint."""

    code: str
    severity: Severity
    message: str
    location: Location
    hint: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(self.code)


def error(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """Return a finding that makes the content invalid."""
    return Finding(code, Severity.ERROR, message, location, hint)


def warning(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """Return a finding that does not change the exit code."""
    return Finding(code, Severity.WARNING, message, location, hint)


def info(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """Return a finding about valid content that reviewers of a change should know."""
    return Finding(code, Severity.INFO, message, location, hint)


def cut_off(location: Location, message: str) -> Finding:
    """Return a warning that the clone does not contain some history."""
    hint = "run git fetch --unshallow; in a CI job, set fetch-depth: 0"
    return warning("history-cut", location, message, hint)


def gate(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """Return a finding about valid content that a limit refuses."""
    return Finding(code, Severity.GATE, message, location, hint)


def has_error(findings: Iterable[Finding]) -> bool:
    """Return whether some of the findings are errors."""
    return any(item.severity is Severity.ERROR for item in findings)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the distinct findings by location, then code and message."""
    unique = {
        (found.location, found.code, found.message, found.severity, found.hint): found
        for found in findings
    }
    return tuple(unique[key] for key in sorted(unique))


def shown(value: object) -> str:
    """Return a value as read, quoted and truncated for a log line."""
    text = value if isinstance(value, str) else str(value)
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}…({len(text)} characters)"
    return f"'{text}'"


def article_list(words: Iterable[str], last: str = "or") -> str:
    """Return `a, b, or c`."""
    listed = list(words)
    if len(listed) < 2:
        return "".join(listed)
    comma = "," if len(listed) > 2 else ""
    return f"{', '.join(listed[:-1])}{comma} {last} {listed[-1]}"


def plural(count: int, thing: str) -> str:
    """Return a number and a noun: `1 move`, `2 moves`, `2 addresses`."""
    return f"{count} {thing}" + (count != 1) * ("es" if thing.endswith(("s", "ch")) else "s")


NAMED = 5


def join_limited(words: Sequence[str], last: str = " and ") -> str:
    """Return `a, b, and c`; for more than five, the first ones and the number of the others."""
    if len(words) > NAMED:
        return f"{', '.join(words[:NAMED])}, and {len(words) - NAMED} more"
    last = ", and " if len(words) > 2 and last == " and " else last
    return last.join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def named(thing: str, names: Sequence[str]) -> str:
    """Return `pool a`, `pools a and b`, or `no pool`."""
    return f"{thing}{'s' * (len(names) > 1)} {join_limited(names)}" if names else f"no {thing}"


MAX_SUGGESTIONS = 20
"""The maximum number of findings of one kind, in one run, that suggest a name among many."""
# Names that are compared in full, and their maximum length: time grows with both.
_MAX_COMPARED, _MAX_LENGTH = 50, 128


def nearest(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """Return the most similar name; empty if there is none. Of many, few are compared."""
    listed = list(names) if len(text) <= _MAX_LENGTH else []
    if len(listed) > _MAX_COMPARED:
        listed = nlargest(_MAX_COMPARED, listed, key=lambda it: _ends_shared(text, it))
    return next(iter(get_close_matches(text, listed, 1, likeness)), "")


def _ends_shared(one: str, other: str) -> int:
    pairs = (zip(one, other, strict=False), zip(one[::-1], other[::-1], strict=False))
    return sum(sum(1 for _ in takewhile(lambda it: it[0] == it[1], pair)) for pair in pairs)


def meant(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """Return `did you mean …?`; empty without a similar name."""
    near = nearest(text, names, likeness)
    return f"did you mean {near}?" if near else ""
