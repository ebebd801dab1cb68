"""HTML of the page, and the packed columns that its script reads."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby, pairwise
from os.path import commonprefix
from typing import Any, NamedTuple

from reconciler.documents.text import escape_json

_IMPORT = re.compile(r"^import\s+(?:\{[^}]*\}\s+from\s+)?\"\./([a-z_-]+)\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
# In a script element a browser looks for these before it reads JSON.
_MARKS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
MAIN = "main"


class Parts(NamedTuple):
    """Template with `{{csp}}`, `{{title}}`, `{{style}}`, `{{data}}`, `{{script}}`; their parts."""

    template: str
    modules: Mapping[str, str]
    styles: Sequence[str]


def page_html(parts: Parts, document: Mapping[str, Any]) -> str:
    """Return the page of a document."""
    script, style = _joined(parts)
    filled = {
        "csp": policy(parts),
        "title": f"Addresses at {str(document.get('revision') or '')[:12]}",
        "style": style,
        "data": data_text(document),
        "script": script,
    }
    # In one pass, because the values may contain such words.
    return re.sub(r"\{\{([a-z]+)\}\}", lambda found: filled[found.group(1)], parts.template)


def policy(parts: Parts) -> str:
    """Return the content security policy: the page's own script, and no requests."""
    script, style = _joined(parts)
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _joined(parts: Parts) -> tuple[str, str]:
    return join_modules(parts.modules), "\n".join(parts.styles)


def data_text(document: Mapping[str, Any]) -> str:
    """Return a document as JSON that cannot end an HTML element."""
    text = escape_json(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
    return re.sub("[<>&]", lambda found: _MARKS[found.group()], text)


def join_modules(modules: Mapping[str, str]) -> str:
    """Return all modules as one script, each after those that it imports."""
    bodies: dict[str, str] = {}

    def add(name: str) -> None:
        for wanted in _IMPORT.findall(modules[name]):
            if wanted not in bodies:
                add(wanted)
        bodies[name] = _EXPORT.sub("", _IMPORT.sub("", modules[name])).strip()

    add(MAIN)
    body = "\n\n".join(bodies.values())
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"


def packed_numbers(numbers: Iterable[int]) -> str:
    """Return numbers in base64 of LEB128: zigzag, with a low bit for repetitions.

    If the bit is set, the number of further repetitions beyond two follows.
    """
    found = bytearray()
    for number, alike in groupby(numbers):
        count = sum(1 for _ in alike)
        zigzag = number << 1 if number >= 0 else ((-number) << 1) - 1
        _append(found, zigzag << 1 | (count > 1))
        if count > 1:
            _append(found, count - 2)
    return b64encode(found).decode("ascii")


def packed_steps(numbers: Iterable[int]) -> str:
    """Return numbers as in `packed_numbers`, each by its difference from the previous one."""
    return packed_numbers(new - old for old, new in pairwise([0, *numbers]))


def packed_names(names: Iterable[str]) -> str:
    """Return names in base64: bytes shared with the previous one, further bytes, and those."""
    found, before = bytearray(), b""
    for name in names:
        data = name.encode()
        shared = min(len(commonprefix([before, data])), 255)  # noqa: RUF071 - bytes, not paths
        found.append(shared)
        _append(found, len(data) - shared)
        found += data[shared:]
        before = data
    return b64encode(found).decode("ascii")


def _append(found: bytearray, number: int) -> None:
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
