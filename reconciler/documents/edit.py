"""In-place edits of YAML files: comments and layout stay."""

import re
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any, NamedTuple

import yaml as pyyaml
from msgspec.structs import replace

from reconciler.documents import yaml
from reconciler.documents.document import Document, value_at
from reconciler.documents.yaml import Steps, scalar

Item = str | Mapping[str, str | int]

_SCALAR = re.compile(r"""\"(?:[^"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s#,\[\]{}]+""")
_DASH = re.compile(r"\s*-\s+")


class Edit(NamedTuple):
    """A change of a document: a new value at a path, or an item appended to the list there."""

    steps: Steps
    value: str | int | Mapping[str, str | int]
    is_item: bool = False


def with_edits(document: Document, edits: Iterable[Edit]) -> bytes | None:
    """Return the bytes of a document's file with some edits; None if one is impossible."""
    for edit in edits:
        if edit.is_item:
            assert not isinstance(edit.value, int)  # noqa: S101 - for the types  # nosec B101
            data = with_item(document, edit.steps, edit.value)
        else:
            assert not isinstance(edit.value, Mapping)  # noqa: S101 - as above  # nosec B101
            data = with_value(document, edit.steps, edit.value)
        if data is None:
            return None
        read = yaml.read(data).documents[document.index]
        document = replace(document, data=data, body=read.value, span=read.span)
    return document.data


def with_value(document: Document, steps: Steps, value: str | int) -> bytes | None:
    """Return the file with a new value and missing mappings, or None if impossible in place."""
    lines = document.data.decode("utf-8").split("\n")
    if value_at(document.body, *steps) is not None:
        place = document.at(*steps)
        line, start = lines[place.line - 1], place.column - 1
        found = _SCALAR.match(line, start)
        end = found.end() if found is not None else start
        lines[place.line - 1] = f"{line[:start]}{scalar(value)}{line[end:]}"
    else:
        lines = _inserted(document, lines, steps, value)

    def change(node: Any) -> None:
        for step in steps[:-1]:
            node = node[step] if isinstance(step, int) else node.setdefault(step, {})
        node[steps[-1]] = value

    return _checked(document, "\n".join(lines), change)


def _inserted(document: Document, lines: list[str], steps: Steps, value: str | int) -> list[str]:
    depth, inside = 0, document.body
    for at in range(1, len(steps)):
        found = value_at(document.body, *steps[:at])
        if isinstance(found, Mapping) and found:
            depth, inside = at, found
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
        at -= 1  # comments of the first key stay with it
    block = [f"{before}{'  ' * deep}{step}:" for deep, step in enumerate(missing)]
    block[-1] += f" {scalar(value)}"
    return [*lines[:at], *block, *lines[at:]]


def with_item(document: Document, steps: Steps, item: Item) -> bytes | None:
    """Return the bytes of a document's file with a new list item; None without a list."""
    text = document.data.decode("utf-8")
    listed = _node(text, document.index, steps)
    if not isinstance(listed, pyyaml.SequenceNode) or not listed.value:
        return None
    last = listed.value[-1]
    if listed.flow_style:
        at = last.end_mark.index
        edited: str | None = f"{text[:at]}, {_flow(item)}{text[at:]}"
    else:
        edited = _below(text, last, item)
    added = dict(item) if isinstance(item, Mapping) else item
    return _checked(document, edited, lambda body: value_at(body, *steps).append(added))


def _node(text: str, index: int, steps: Steps) -> Any:
    every = pyyaml.compose_all(text, Loader=pyyaml.SafeLoader)
    node: Any = [it for it in every if it.start_mark.index < it.end_mark.index][index]
    for step in steps:
        if isinstance(step, int):
            node = node.value[step]
        else:
            node = next((value for key, value in node.value if key.value == step), None)
        if node is None:
            return None
    return node


def _below(text: str, last: Any, item: Item) -> str | None:
    lines = text.split("\n")
    start, end = last.start_mark, leaf(last).end_mark
    dash = lines[start.line][: start.column]
    if not _DASH.fullmatch(dash):
        return None
    if isinstance(item, Mapping) and not last.flow_style:
        rows = [f"{key}: {scalar(value)}" for key, value in item.items()]
    else:
        rows = [_flow(item)]
    row = end.line if end.column else end.line - 1
    carriage = "\r" if lines[row].endswith("\r") else ""
    indents = [dash, *[" " * len(dash)] * (len(rows) - 1)]
    added = [f"{indent}{line}{carriage}" for indent, line in zip(indents, rows, strict=True)]
    return "\n".join([*lines[: row + 1], *added, *lines[row + 1 :]])


def leaf(node: Any) -> Any:
    """Return the last node in a node: the end mark of a block is after its trailing comments."""
    while not isinstance(node, pyyaml.ScalarNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(node, pyyaml.MappingNode) else last
    return node


def _flow(item: Item) -> str:
    if not isinstance(item, Mapping):
        return scalar(item)
    return f"{{{', '.join(f'{key}: {scalar(value)}' for key, value in item.items())}}}"


def without_field(document: Document, steps: Steps) -> bytes | None:
    """Return the file without a field and emptied mappings, or None if impossible in place."""
    text = document.data.decode("utf-8")
    while len(steps) > 1:
        around = value_at(document.body, *steps[:-1])
        if not isinstance(around, Mapping) or len(around) > 1:
            break
        steps = steps[:-1]
    node = _node(text, document.index, steps[:-1])
    at = next(at for at, (key, _) in enumerate(node.value) if key.value == steps[-1])
    key, value = node.value[at]
    if not node.flow_style:
        edited = _without_lines(text, key, value)
    elif at + 1 < len(node.value):
        edited = f"{text[: key.start_mark.index]}{text[node.value[at + 1][0].start_mark.index :]}"
    else:
        before = node.value[at - 1][1].end_mark.index
        edited = f"{text[:before]}{text[value.end_mark.index :]}"
    return _checked(document, edited, lambda body: value_at(body, *steps[:-1]).pop(steps[-1]))


def _without_lines(text: str, key: Any, value: Any) -> str | None:
    lines = text.split("\n")
    if lines[key.start_mark.line][: key.start_mark.column].strip():
        return None
    end = leaf(value).end_mark
    last = end.line if end.column else end.line - 1
    return "\n".join([*lines[: key.start_mark.line], *lines[last + 1 :]])


def _checked(
    document: Document, edited: str | None, change: Callable[[Any], object]
) -> bytes | None:
    """Return an edited text if reading it shows exactly the change, else None."""
    if edited is None:
        return None
    data = edited.encode()
    before, after = yaml.read(document.data), yaml.read(data)
    wanted = [deepcopy(item.value) for item in before.documents]
    change(wanted[document.index])
    is_so = not after.problems and [item.value for item in after.documents] == wanted
    return data if is_so else None
