"""What is said about YAML that cannot be read: libyaml's errors in words that say how to mend them."""

import re

import yaml

from reconciler.documents.text import Problem

MAX_KEY = 1024
_COLON = re.compile(r":\s")
_SIGNS = re.compile(r" *(?:- +)*")
QUOTED_CHARACTERS = 40
NO_ANCHOR, WRITTEN_OUT = "anchors and aliases are not allowed", "write the value out"
NO_DIRECTIVE, LINE_OUT = "unsupported YAML directive", "remove the line"
_LOOK = "look at this line and the one before it"
UNTAGGED = "remove the tag; quote a value that is to be a text"
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
        "a tab where blanks belong, or a value that begins with @, ` or %",
        "indent with spaces, and quote a value that begins so",
    ),
    (
        "did not find expected key",
        "the line does not fit the mapping around it",
        "indent it like its neighbours",
    ),
    (
        "did not find expected '-' indicator",
        "the line does not fit the list around it",
        "indent it like its neighbours",
    ),
    ("could not find expected ':'", "a key without ':'", "write `key: value`"),
)


def syntax(failure: yaml.YAMLError, text: str) -> Problem:
    """Libyaml's error in words that say how to mend it; never with text of the file, `text`."""
    opened = getattr(failure, "context_mark", None)
    problem = str(getattr(failure, "problem", None) or getattr(failure, "reason", "not YAML"))
    line, column = _place(failure, problem)
    if "mapping values" in problem and (told := _colon(text, line, column)) is not None:
        return told
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


def _place(failure: yaml.YAMLError, problem: str) -> tuple[int, int]:
    """Line and column of what is wrong; a key without a colon is noticed behind it."""
    is_behind = "could not find expected ':'" in problem
    mark = getattr(failure, "context_mark" if is_behind else "problem_mark", None)
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _colon(text: str, line: int, column: int) -> Problem | None:
    """What is told of a ':' that stands behind no key: too far from it, or the first one of its line.

    Libyaml reads such a line as the rest of the value before it, which goes on over lines that are
    indented deeper than its key: a colon is missing there, or this line is indented too deep.
    """
    if column > MAX_KEY:
        message = f"key too long, limit {MAX_KEY} characters"
        return Problem("yaml-key", line, 1, message, "shorten it")
    lines = [it.rstrip() for it in text.split("\n")[: line - 1]]
    here = text.split("\n")[line - 1][: column - 1]
    if not lines or _COLON.search(here):
        return None
    deep = _deep(here)
    if _COLON.search(f"{lines[-1]} "):
        words = "the line is indented deeper than the one before it, which has a value"
        return Problem("yaml-syntax", line, deep + 1, words, "indent it like its neighbours")
    above = next((it for it in reversed(lines) if _deep(it) != deep or _COLON.search(f"{it} ")), "")
    if _deep(lines[-1]) != deep or _COLON.search(above):
        return None
    return Problem("yaml-syntax", line - 1, deep + 1, "a key without ':'", "write `key: value`")


def _deep(line: str) -> int:
    """Where the text of a line begins, behind the signs of a list, too."""
    return len(line) - len(_SIGNS.sub("", line, count=1))


def quoted(text: str) -> str:
    """The hint to quote a text, with the text when it is short."""
    return f'quote it: "{text}"' if len(text) <= QUOTED_CHARACTERS else "quote it"
