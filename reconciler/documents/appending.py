"""Several edits of one document in the text of its file, one of which may add an item to a list.

Each is made at its place and read again, as `editing.py` does: all else stays as people wrote it.
"""

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import yaml as pyyaml

from reconciler.documents import yaml
from reconciler.documents.document import Document
from reconciler.documents.dump import scalar
from reconciler.documents.editing import with_value
from reconciler.documents.places import Steps

Item = str | Mapping[str, str | int]
_DASH = re.compile(r"\s*-\s+")


class Edit(NamedTuple):
    """A change of a document.

    Attributes:
        steps: The place of the value; of an item that is added, that of the list.
        value: The value, or the item.
        is_item: It is added at the end of the list that stands there.
    """

    steps: Steps
    value: str | int | Mapping[str, str | int]
    is_item: bool = False


def with_edits(document: Document, edits: Iterable[Edit]) -> bytes | None:
    """The bytes of a document's file with some edits in it; None where one cannot be made in place."""
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


def with_item(document: Document, steps: Steps, item: Item) -> bytes | None:
    """The bytes of a document's file with an item more in a list; None where there is no list."""
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
    if edited is None:
        return None
    data = edited.encode()
    return data if _says_that(document, data, steps, item) else None


def _node(text: str, index: int, steps: Steps) -> Any:
    """The node at a place, with its marks."""
    node: Any = list(pyyaml.compose_all(text, Loader=pyyaml.SafeLoader))[index]
    for step in steps:
        found = (value for key, value in node.value if key.value == step)
        node = node.value[step] if isinstance(step, int) else next(found, None)
        if node is None:
            return None
    return node


def _below(text: str, last: Any, item: Item) -> str | None:
    """The text with an item below the last one, written as that is."""
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
    """The last thing within a node that ends where its text does: a block ends behind its comments."""
    while not isinstance(node, pyyaml.ScalarNode) and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(node, pyyaml.MappingNode) else last
    return node


def _flow(item: Item) -> str:
    if not isinstance(item, Mapping):
        return scalar(item)
    return f"{{{', '.join(f'{key}: {scalar(value)}' for key, value in item.items())}}}"


def _says_that(document: Document, data: bytes, steps: Steps, item: Item) -> bool:
    """The text says what it said, and the item besides."""
    before, after = yaml.read(document.data), yaml.read(data)
    wanted = [deepcopy(found.value) for found in before.documents]
    node: Any = wanted[document.index]
    for step in steps:
        node = node[step]
    node.append(dict(item) if isinstance(item, Mapping) else item)
    return not after.problems and [found.value for found in after.documents] == wanted
