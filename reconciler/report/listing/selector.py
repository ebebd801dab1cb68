"""Label selectors, as `kubectl -l` takes them.

Source:
    Kubernetes documentation, "Labels and Selectors": `a=b`, `a==b`, `a!=b`, `a in (b,c)`,
    `a notin (b)`, `a` and `!a`, with commas between. As there, `a!=b` and `a notin (b)` hold where
    there is no such label.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Labels = Mapping[str, str]

_KEY = r"(?P<key>[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?)"
_SET = re.compile(rf"{_KEY}\s+(?P<how>in|notin)\s*\((?P<values>[^()]*)\)", re.ASCII)
_EQUAL = re.compile(rf"{_KEY}\s*(?P<how>==|=|!=)\s*(?P<values>[-\w.]*)", re.ASCII)
_THERE = re.compile(rf"(?P<how>!?)\s*{_KEY}", re.ASCII)
_PARTS = re.compile(r",(?![^()]*\))")


class SelectorError(ValueError):
    """A text is no selector."""


class _Term(NamedTuple):
    key: str
    holds: Callable[[str | None], bool]


def parse_selector(text: str) -> Callable[[Labels], bool]:
    """Whether labels are what a selector asks for.

    Raises:
        SelectorError: It is none; the message names the part that cannot be read.
    """
    terms = [_term(part.strip()) for part in _PARTS.split(text)] if text.strip() else []
    return lambda labels: _holds(terms, labels)


def _holds(terms: Sequence[_Term], labels: Labels) -> bool:
    return all(term.holds(labels.get(term.key)) for term in terms)


def _term(text: str) -> _Term:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        is_in = found["how"] == "in"
        return _Term(found["key"], lambda value: (value in values) is is_in)
    if found := _EQUAL.fullmatch(text):
        wanted, is_same = found["values"], found["how"] != "!="
        return _Term(found["key"], lambda value: (value == wanted) is is_same)
    if found := _THERE.fullmatch(text):
        is_there = not found["how"]
        return _Term(found["key"], lambda value: (value is not None) is is_there)
    raise SelectorError(f"{text!r} is no term of a label selector")
