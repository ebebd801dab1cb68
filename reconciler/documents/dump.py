"""Canonical YAML."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from json.encoder import encode_basestring

from reconciler.documents.text import reads_as_text

# Text that does not start with an indicator, contains neither ': ' nor ' #', and does not end with
# ':' or a space (YAML 1.2.2 §7.3.3). Other text is checked below.
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*", re.ASCII)
_STARTS_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:][^\s,\[\]{}]")
# Explicit character classes: the Unicode tables of Python depend on its version, and must not
# decide the output.
_INSIDE = re.compile(r": |:$| #|\s$|[^\S ]|[\x00-\x1f]|^---|^\.\.\.")
# Invisible characters, and `##`, which CI services interpret as commands in a log.
_ESCAPED = re.compile(
    "[\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff"
    "\U000e0000-\U000e007f]|(?<=#)#"
)


def dump(value: Mapping[str, object]) -> str:
    """Return the canonical text of a document.

    Args:
        value: Mappings with string keys, sequences, strings, integers, booleans, None, and
            Decimals, nested in any way.
    """
    lines: list[str] = []
    _mapping(value, "", lines)
    lines.append("")
    return "\n".join(lines)


def scalar(value: object) -> str:
    """Return the canonical text of one scalar."""
    if isinstance(value, str):
        return text(value)
    if value is True or value is False:
        return "true" if value else "false"
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Decimal):
        return _decimal(value)
    raise TypeError(type(value))


@lru_cache(maxsize=2_048)
def text(value: str) -> str:
    """Return a string, quoted if necessary."""
    if is_plain(value):
        return value
    return _ESCAPED.sub(lambda found: _escape(ord(found.group())), encode_basestring(value))


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_plain(value: str) -> bool:
    """Return whether the string needs no quotes for readers of either YAML version."""
    if not value or not reads_as_text(value):
        return False
    if _PLAIN.fullmatch(value):
        return True
    return bool(
        _STARTS_PLAIN.match(value) and not _INSIDE.search(value) and not _ESCAPED.search(value)
    )


def _mapping(value: Mapping[str, object], indent: str, lines: list[str]) -> None:
    for key in sorted(value):
        _entry(f"{indent}{text(key)}:", value[key], indent, lines)


def _entry(head: str, item: object, indent: str, lines: list[str]) -> None:
    if isinstance(item, Mapping):
        if item:
            lines.append(head)
            _mapping(item, f"{indent}  ", lines)
        else:
            lines.append(f"{head} {{}}")
    elif isinstance(item, Sequence) and not isinstance(item, str):
        if item:
            lines.append(head)
            _sequence(item, f"{indent}  ", lines)
        else:
            lines.append(f"{head} []")
    else:
        lines.append(f"{head} {scalar(item)}")


def _sequence(value: Sequence[object], indent: str, lines: list[str]) -> None:
    for item in value:
        if isinstance(item, Mapping) and item:
            start = len(lines)
            _mapping(item, f"{indent}  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        elif isinstance(item, Sequence) and not isinstance(item, str) and item:
            start = len(lines)
            _sequence(item, f"{indent}  ", lines)
            lines[start] = f"{indent}- {lines[start][len(indent) + 2 :]}"
        else:
            _entry(f"{indent}-", item, indent, lines)


def _decimal(value: Decimal) -> str:
    if value.is_nan():
        return ".nan"
    if value.is_infinite():
        return "-.inf" if value < 0 else ".inf"
    written = str(value)
    return written if any(mark in written for mark in ".E") else f"{written}.0"
