r"""Templates and paths of fields, as `kubectl -o jsonpath` and `-o custom-columns` take them.

Source:
    Kubernetes documentation, "JSONPath Support". Read are text, `{.a.b}`, `{"text"}`, `\.` in a name,
    `['a.b']`, `[0]`, `[-1]`, `[*]`, `[?(@.a=="b")]` and `{range …}…{end}`. Anything else is refused.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reconciler.report.escape import escape

_PIECE = re.compile(r'\{((?:"(?:[^"\\]|\\.)*"|[^{}"])*)\}')
_STEP = re.compile(
    r"\.(?P<all>\*)"
    r"|\.(?P<name>(?:[^.\[\]\\\s'\"]|\\.)+)"
    r"|\['(?P<quoted>[^']+)'\]"
    r"|\[(?P<index>-?[0-9]{1,6}|\*)\]"
    r"""|\[\?\(@(?P<of>[^=!<>~]+?)\s*(?P<how>==|!=)\s*(?P<value>"[^"]*"|'[^']*'|[^\s)"']+)\)\]"""
)
_ESCAPED = re.compile(r"\\(.)")

Values = list[Any]
Path = Callable[[Values], Values]
Part = Callable[[Any], str]


class TemplateError(ValueError):
    """A text is no template that can be read."""


def parse_path(text: str) -> Callable[[Any], Values]:
    """The values that a path leads to from an object; none where it leads nowhere.

    Args:
        text: `.spec.cidr`, with or without braces around it, the first dot or a `$`.

    Raises:
        TemplateError: It is none.
    """
    bare = text.strip()
    if bare.startswith("{") and bare.endswith("}"):
        bare = bare[1:-1].strip()
    bare = bare.removeprefix("$").removeprefix("@")
    if bare and bare[0] not in ".[":
        bare = f".{bare}"
    steps = list(_steps(bare)) if bare not in ("", ".") else []

    def walk(value: Any) -> Values:
        values = [value]
        for step in steps:
            values = step(values)
        return values

    return walk


def parse_template(text: str) -> Part:
    """What a template makes of an object.

    Raises:
        TemplateError: It is none.
    """
    pieces = list(_pieces(text))
    parts, _ = _sequence(pieces, is_inside=False)
    return lambda value: "".join(part(value) for part in parts)


def shown(values: Sequence[Any]) -> str:
    """Values with spaces between, text as it is but harmless for a terminal, all else as JSON."""
    return escape(_together(values))


def _together(values: Sequence[Any]) -> str:
    return " ".join(_text(value) for value in values)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _steps(text: str) -> Iterator[Path]:
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise TemplateError(f"{text[at:]!r} is no path of a field")
        yield _step(found)
        at = found.end()


def _step(found: "re.Match[str]") -> Path:
    if found["all"] or found["index"] == "*":
        return _each
    if found["index"]:
        return _item(int(found["index"]))
    if found["of"]:
        return _only(parse_path(found["of"]), found["value"], is_same=found["how"] == "==")
    return _field(found["quoted"] or _ESCAPED.sub(r"\1", found["name"]))


def _field(name: str) -> Path:
    return lambda values: [it[name] for it in values if isinstance(it, dict) and name in it]


def _item(at: int) -> Path:
    return lambda values: [
        it[at] for it in values if isinstance(it, list) and -len(it) <= at < len(it)
    ]


def _each(values: Values) -> Values:
    found: Values = []
    for value in values:
        found += value.values() if isinstance(value, dict) else []
        found += value if isinstance(value, list) else []
    return found


def _only(path: Callable[[Any], Values], text: str, *, is_same: bool) -> Path:
    wanted = text[1:-1] if text[0] in "\"'" else text
    return lambda values: [
        it
        for it in _each(values)
        if (found := path(it)) and (_together(found) == wanted) is is_same
    ]


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """What stands outside of braces (`text`), and in them (`code`)."""
    at = 0
    for found in _PIECE.finditer(text):
        yield from _outside(text[at : found.start()])
        yield "code", found[1].strip()
        at = found.end()
    yield from _outside(text[at:])


def _outside(text: str) -> Iterator[tuple[str, str]]:
    if "{" in text or "}" in text:
        raise TemplateError(f"a brace without its other one in {text!r}")
    if text:
        yield "text", text


def _sequence(
    pieces: list[tuple[str, str]], *, is_inside: bool
) -> tuple[list[Part], list[tuple[str, str]]]:
    """The parts up to the end of a range, and what is left behind it."""
    parts: list[Part] = []
    while pieces:
        (kind, text), *pieces = pieces
        if kind == "text":
            parts.append(_said(text))
        elif text == "end":
            if not is_inside:
                raise TemplateError("{end} without {range}")
            return parts, pieces
        elif text == "range" or text.startswith("range "):
            inner, pieces = _sequence(pieces, is_inside=True)
            parts.append(_repeated(parse_path(text.removeprefix("range")), inner))
        elif text.startswith('"'):
            parts.append(_said(_literal(text)))
        else:
            parts.append(_looked_up(parse_path(text)))
    if is_inside:
        raise TemplateError("{range} without {end}")
    return parts, []


def _literal(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        raise TemplateError(f"{text} is no text in quotes") from None


def _said(text: str) -> Part:
    return lambda _value: text


def _looked_up(path: Callable[[Any], Values]) -> Part:
    return lambda value: shown(path(value))


def _repeated(path: Callable[[Any], Values], parts: Sequence[Part]) -> Part:
    return lambda value: "".join(part(item) for item in path(value) for part in parts)
