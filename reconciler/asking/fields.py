"""Fields of a JSON document that anybody may have written, each checked as it is read.

What is wrong is a `ValueError`: the words name the field, what was read, and what was expected.
"""

from collections.abc import Mapping
from typing import Any

from reconciler.addresses.notation import NotationError, parse_address
from reconciler.findings import shown

LONGEST = 600
"""Characters of a text: namespace, slash and name, or a few words."""


def address_of(value: Any, where: str) -> tuple[int, int]:
    """An address, as version and number."""
    text = text_of(value, where)
    try:
        return parse_address(text)
    except NotationError as wrong:
        raise ValueError(f"{where} is {told(text)}, which is no address") from wrong


def mapping_of(value: Any, where: str) -> Mapping[str, Any]:
    """A mapping."""
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {told(value)}, not a mapping")
    return value


def list_of(value: Any, where: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise ValueError(f"{where} is {told(value)}, not a list")
    return value


def text_of(value: Any, where: str) -> str:
    """A text that is not empty, of one line."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{where} is {told(value)}, not a text")
    if len(value) > LONGEST or not value.isprintable():
        raise ValueError(f"{where} is {told(value)}, not up to {LONGEST} printable characters")
    return value


def words_of(value: Any, where: str) -> str:
    """A sentence of any length, or none; of a long one its beginning."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where} is {told(value)}, not a text")
    return value[:LONGEST]


def told(value: Any) -> str:
    """A value for a message; of one that holds others only what it is."""
    match value:
        case None:
            return "missing"
        case dict() | list():
            return "a mapping" if isinstance(value, dict) else "a list"
        case bool() | float() | str():
            return shown(str(value)[:LONGEST])
        case _:
            return shown(str(value)) if abs(value) < 1 << 128 else "a very large number"
