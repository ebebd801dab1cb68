"""One field of a document taken out of the text of its file, where all else stays as people wrote it.

The text is cut at the place of the field and read again: what does not say just what it said,
without that one field, is no edit.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import yaml as pyyaml

from reconciler.documents import yaml
from reconciler.documents.appending import leaf
from reconciler.documents.document import Document
from reconciler.documents.places import Steps


def without_field(document: Document, steps: Steps) -> bytes | None:
    """The bytes of a document's file without a field; None where it cannot be taken out in place.

    Args:
        document: The document, of a file that can be read.
        steps: The place of the field, which is there. A mapping that holds nothing else goes, too.
    """
    text = document.data.decode("utf-8")
    steps = _highest(document.body, steps)
    node: Any = list(pyyaml.compose_all(text, Loader=pyyaml.SafeLoader))[document.index]
    for step in steps[:-1]:
        node = next(value for key, value in node.value if key.value == step)
    at = next(at for at, (key, _) in enumerate(node.value) if key.value == steps[-1])
    edited = _cut(text, node, at) if node.flow_style else _without_lines(text, *node.value[at])
    if edited is None:
        return None
    data = edited.encode()
    return data if _says_the_rest(document, data, steps) else None


def _highest(body: Any, steps: Steps) -> Steps:
    """The place of the outermost mapping that holds nothing but the field; else its own."""
    nodes = [body]
    for step in steps[:-1]:
        nodes.append(nodes[-1][step])
    while len(steps) > 1 and isinstance(nodes[-1], Mapping) and len(nodes[-1]) == 1:
        steps = steps[:-1]
        nodes.pop()
    return steps


def _cut(text: str, mapping: Any, at: int) -> str:
    """The text without an entry of a mapping in braces, and without the comma beside it."""
    key, value = mapping.value[at]
    if at + 1 < len(mapping.value):
        start, end = key.start_mark.index, mapping.value[at + 1][0].start_mark.index
    else:
        start, end = mapping.value[at - 1][1].end_mark.index, value.end_mark.index
    return f"{text[:start]}{text[end:]}"


def _without_lines(text: str, key: Any, value: Any) -> str | None:
    """The text without the lines of an entry; None where something else stands on them."""
    lines = text.split("\n")
    if lines[key.start_mark.line][: key.start_mark.column].strip():
        return None
    end = leaf(value).end_mark
    last = end.line if end.column else end.line - 1
    return "\n".join([*lines[: key.start_mark.line], *lines[last + 1 :]])


def _says_the_rest(document: Document, data: bytes, steps: Steps) -> bool:
    """The text says what it said, but for the one field."""
    before, after = yaml.read(document.data), yaml.read(data)
    wanted = [deepcopy(item.value) for item in before.documents]
    node: Any = wanted[document.index]
    for step in steps[:-1]:
        node = node[step]
    del node[steps[-1]]
    return not after.problems and [item.value for item in after.documents] == wanted
