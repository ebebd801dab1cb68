"""Quick reading: the values of a text with nothing odd in it, in one tight loop over the events.

Whatever is odd (an anchor, a tag, a key that stands twice, a scalar that YAML 1.1 reads otherwise,
a limit, an error) ends it without a word; the careful reader in `yaml.py` then starts over and
says what it is. A test holds the two equal.
"""

from functools import lru_cache
from typing import Any

from yaml import YAMLError
from yaml.events import (
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from reconciler.documents.scalars import TooManyDigitsError, is_ambiguous, resolve

_ODD = object()
_ENDS = (MappingEndEvent, SequenceEndEvent)


class _OddError(Exception):
    """There is something that needs the careful reader."""


Read = tuple[Any, int, tuple[int, int]]
"""A document: its value, its first line from 1, and where it begins and ends, in characters."""


def quick(get_event: Any, most_nodes: int, most_deep: int) -> list[Read] | None:
    """All documents; None when anything is odd.

    Args:
        get_event: Gives the next event of libyaml's parser.
        most_nodes: Values that one document may have.
        most_deep: Levels that it may nest.
    """
    found: list[Read] = []
    try:
        get_event()  # the stream starts
        while type(event := get_event()) is DocumentStartEvent:
            if event.version is not None or event.tags:
                return None
            found.append(_document(get_event, most_nodes, most_deep))
            get_event()  # the document ends
    except (_OddError, YAMLError):
        return None
    return found if type(event) is StreamEndEvent else None


def _document(  # noqa: C901, PLR0915 - one loop without calls: it reads all that people write
    get_event: Any, most_nodes: int, most_deep: int
) -> Read:
    event = get_event()
    start = event.start_mark
    if type(event) is not MappingStartEvent or event.anchor or event.tag:
        raise _OddError
    root: dict[str, Any] = {}
    container: Any = root
    is_mapping, key = True, None
    stack: list[tuple[Any, bool]] = []
    nodes = 1
    while True:
        event = get_event()
        kind = type(event)
        if kind is ScalarEvent:
            if event.anchor is not None or event.tag is not None:
                raise _OddError
            value = event.value
            if event.implicit[0] and (value := _plain(value)) is _ODD:
                raise _OddError
            if is_mapping:
                if key is None:
                    if type(value) is not str or value in container or not _is_plain_key(value):
                        raise _OddError
                    key = value
                    continue
                container[key] = value
                key = None
            else:
                container.append(value)
        elif kind in _ENDS:
            if not stack:
                return root, start.line + 1, (start.index, event.end_mark.index)
            container, is_mapping = stack.pop()
            continue
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.anchor is not None or event.tag is not None:
                raise _OddError
            inner: Any = {} if kind is MappingStartEvent else []
            if not is_mapping:
                container.append(inner)
            elif key is None:
                raise _OddError
            else:
                container[key] = inner
                key = None
            stack.append((container, is_mapping))
            if len(stack) >= most_deep:
                raise _OddError
            container, is_mapping = inner, kind is MappingStartEvent
        else:
            raise _OddError
        nodes += 1
        if nodes > most_nodes:
            raise _OddError


@lru_cache(maxsize=2_048)
def _is_plain_key(key: str) -> bool:
    """Neither too long nor a merge key, which some readers take even in quotes."""
    return len(key) <= 1024 and key != "<<"


@lru_cache(maxsize=2_048)
def _plain(text: str) -> Any:
    """The value of a plain scalar, if both YAML versions and every limit agree on it."""
    try:
        value = resolve(text)
    except TooManyDigitsError:
        return _ODD
    return _ODD if value is text and is_ambiguous(text) else value
