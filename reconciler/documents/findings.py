"""Findings at places in files."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from reconciler.codes import CODES

SHOWN_CHARACTERS = 120


class Severity(StrEnum):
    """How much a finding weighs: an error makes the exit code 1, a gate 3, all others nothing."""

    ERROR = "error"
    GATE = "gate"
    WARNING = "warning"
    INFO = "info"


class Location(NamedTuple):
    """A place in the tree. Line and column start at 1; 0 means that the place has none.

    `pointer` is an RFC 6901 JSON pointer into the document.
    """

    path: str
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        """`path:line`, as far as known, for messages that name a second place."""
        return f"{self.path}:{self.line}" if self.line else self.path


class Finding(Struct, frozen=True):
    """One thing that is wrong, with its place and the way to mend it."""

    code: str
    severity: Severity
    message: str
    location: Location
    hint: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise KeyError(self.code)


def error(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding that makes the content wrong."""
    return Finding(code, Severity.ERROR, message, location, hint)


def warning(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding that stops nothing."""
    return Finding(code, Severity.WARNING, message, location, hint)


def info(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding about what is right, and should be known to whoever reviews a change."""
    return Finding(code, Severity.INFO, message, location, hint)


def cut_off(location: Location, message: str) -> Finding:
    """A warning that something is behind the end of this clone."""
    hint = "git fetch --unshallow; in a CI job: fetch-depth: 0"
    return warning("history-cut", location, message, hint)


def gate(code: str, location: Location, message: str, hint: str = "") -> Finding:
    """A finding about right content that may not pass: capacity, a refused claim, a brake."""
    return Finding(code, Severity.GATE, message, location, hint)


def has_error(findings: Iterable[Finding]) -> bool:
    """Some of the findings are errors."""
    return any(item.severity is Severity.ERROR for item in findings)


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by place, then code and message; each once."""
    unique = {
        (found.location, found.code, found.message, found.severity, found.hint): found
        for found in findings
    }
    return tuple(unique[key] for key in sorted(unique))


def shown(value: object) -> str:
    """A value as read, quoted and cut to a length that fits a line of a log."""
    text = value if isinstance(value, str) else str(value)
    if len(text) > SHOWN_CHARACTERS:
        text = f"{text[:SHOWN_CHARACTERS]}…({len(text)} characters)"
    return f"'{text}'"


def article_list(words: Iterable[str], last: str = "or") -> str:
    """`a, b or c`."""
    listed = list(words)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"


NAMED = 5


def join_limited(words: Sequence[str], last: str = " and ") -> str:
    """`a, b and c`; of more than five the first ones, and how many there are besides."""
    if len(words) > NAMED:
        return f"{', '.join(words[:NAMED])} and {len(words) - NAMED} more"
    return last.join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def alike(text: str, names: Iterable[str], most: int, likeness: float) -> list[str]:
    """Names that a person may have meant, the likeliest first.

    Args:
        text: What was written.
        names: All that there are.
        most: So many at most.
        likeness: How alike they have to be: 1.0 is the same.
    """
    return get_close_matches(text, list(names), most, likeness)


def nearest(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """The name that a person may have meant; empty for none. Args: as of `alike`."""
    return next(iter(alike(text, names, 1, likeness)), "")


def meant(text: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """`did you mean …?`; empty where nothing is near. Args: as of `alike`."""
    near = nearest(text, names, likeness)
    return f"did you mean {near}?" if near else ""
