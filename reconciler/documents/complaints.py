"""What is said about YAML that cannot be read: libyaml's errors in words that say how to mend them."""

import yaml

from reconciler.documents.text import Problem

MAX_KEY = 1024
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


def syntax(failure: yaml.YAMLError) -> Problem:
    """Libyaml's error in words that say how to mend it; never with text of the file."""
    mark = getattr(failure, "problem_mark", None)
    opened = getattr(failure, "context_mark", None)
    problem = str(getattr(failure, "problem", None) or getattr(failure, "reason", "not YAML"))
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    if "mapping values" in problem and column > MAX_KEY:
        message = f"key too long, limit {MAX_KEY} characters"
        return Problem("yaml-key", line, 1, message, "shorten it")
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


def quoted(text: str) -> str:
    """The hint to quote a text, with the text when it is short."""
    return f'quote it: "{text}"' if len(text) <= QUOTED_CHARACTERS else "quote it"
