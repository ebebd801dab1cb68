"""One value of a document set in the text of its file, where all else stays as people wrote it.

The text is edited at the place of the value and read again: what does not say just what it said,
with that one value changed, is no edit.
"""

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from reconciler.documents import yaml
from reconciler.documents.document import Document
from reconciler.documents.dump import scalar
from reconciler.documents.places import Steps

_SCALAR = re.compile(r"""\"(?:[^"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#,\[\]{}]+""")


def with_value(document: Document, steps: Steps, value: str | int) -> bytes | None:
    """The bytes of a document's file with a value in it; None where it cannot be set in place.

    Args:
        document: The document, of a file that can be read.
        steps: The place of the value in it. Mappings that are missing are added.
        value: The value.
    """
    lines = document.data.decode("utf-8").split("\n")
    if _value_at(document.body, steps) is not None:
        edited = _replaced(document, lines, steps, value)
    else:
        edited = _inserted(document, lines, steps, value)
    data = "\n".join(edited).encode()
    return data if _says_that(document, data, steps, value) else None


def _value_at(body: Any, steps: Steps) -> Any:
    for step in steps:
        if isinstance(step, int):
            body = body[step] if isinstance(body, list) and step < len(body) else None
        else:
            body = body.get(step) if isinstance(body, Mapping) else None
    return body


def _replaced(document: Document, lines: list[str], steps: Steps, value: str | int) -> list[str]:
    """A scalar in the place of another one."""
    place = document.at(*steps)
    line, start = lines[place.line - 1], place.column - 1
    found = _SCALAR.match(line, start)
    end = found.end() if found is not None else start
    lines[place.line - 1] = f"{line[:start]}{scalar(value)}{line[end:]}"
    return lines


def _inserted(document: Document, lines: list[str], steps: Steps, value: str | int) -> list[str]:
    """A key before the first one of the innermost mapping that is there."""
    depth = next(at for at in range(len(steps) - 1, -1, -1) if _is_there(document, steps[:at]))
    inside = _value_at(document.body, steps[:depth])
    place = document.at(*steps[:depth], next(iter(inside)), key=True)
    at, start = place.line - 1, place.column - 1
    before, missing = lines[at][:start], steps[depth:]
    if before.strip():
        flow = f"{missing[-1]}: {scalar(value)}"
        for step in reversed(missing[:-1]):
            flow = f"{step}: {{{flow}}}"
        lines[at] = f"{before}{flow}, {lines[at][start:]}"
        return lines
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1  # what is said of the first key stays with it
    block = [f"{before}{'  ' * deep}{step}:" for deep, step in enumerate(missing)]
    block[-1] += f" {scalar(value)}"
    return [*lines[:at], *block, *lines[at:]]


def _is_there(document: Document, steps: Steps) -> bool:
    """There is a mapping that holds something."""
    found = _value_at(document.body, steps)
    return isinstance(found, Mapping) and bool(found)


def _says_that(document: Document, data: bytes, steps: Steps, value: str | int) -> bool:
    """The text says what it said, but for the one value."""
    before, after = yaml.read(document.data), yaml.read(data)
    said, says = ([item.value for item in it.documents] for it in (before, after))
    if after.problems or len(said) != len(says):
        return False
    wanted = [deepcopy(item) for item in said]
    node: Any = wanted[document.index]
    for step in steps[:-1]:
        node = node[step] if isinstance(step, int) else node.setdefault(step, {})
    node[steps[-1]] = value
    return says == wanted
