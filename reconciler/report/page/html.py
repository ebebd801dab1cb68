"""The file of the page: its parts put together, so that it needs nothing from outside and asks nobody.

Modules are joined into one script: a browser would ask a server for others. What a policy of the
page lets run is that script alone, by its hash.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from reconciler.report.escape import escape_json

_IMPORT = re.compile(r"^import\s+(?:\{[^}]*\}\s+from\s+)?\"\./([a-z_-]+)\.js\";\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
# In a script element a browser looks for these before it reads JSON.
_MARKS = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
MAIN = "main"


class Parts(NamedTuple):
    """What a page is put together from.

    Attributes:
        template: HTML with `{{csp}}`, `{{title}}`, `{{style}}`, `{{data}}` and `{{script}}`.
        modules: The text of each module, by its name.
        styles: Style sheets, in order.
    """

    template: str
    modules: Mapping[str, str]
    styles: Sequence[str]


def page_html(parts: Parts, document: Mapping[str, Any]) -> str:
    """The page that shows a document.

    Raises:
        ValueError: Modules import each other in a circle, or one that is not there.
    """
    script, style = _joined(parts)
    revision = str(document.get("revision") or "")[:12]
    filled = {
        "csp": policy(parts),
        "title": f"Addresses at {revision}",
        "style": style,
        "data": data_text(document),
        "script": script,
    }
    # In one pass: what is filled in may hold such words itself.
    return re.sub(r"\{\{([a-z]+)\}\}", lambda found: filled[found.group(1)], parts.template)


def policy(parts: Parts) -> str:
    """What a browser lets the page do: it runs its own script, and asks nobody for anything."""
    script, style = _joined(parts)
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def data_text(document: Mapping[str, Any]) -> str:
    """A document as JSON that ends no element of HTML, whatever it holds."""
    text = escape_json(json.dumps(document, ensure_ascii=False, separators=(",", ":")))
    return re.sub("[<>&]", lambda found: _MARKS[found.group()], text)


def _joined(parts: Parts) -> tuple[str, str]:
    """The script, and the style."""
    return joined(parts.modules), "\n".join(parts.styles)


def joined(modules: Mapping[str, str]) -> str:
    """All modules as one script, each after those that it imports."""
    order: list[str] = []
    _visit(MAIN, modules, order, ())
    bodies = [_EXPORT.sub("", _IMPORT.sub("", modules[name])).strip() for name in order]
    body = "\n\n".join(bodies)
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


def _visit(
    name: str, modules: Mapping[str, str], order: list[str], within: tuple[str, ...]
) -> None:
    if name in within:
        raise ValueError(f"modules import each other: {' → '.join((*within, name))}")
    if name in order:
        return
    for wanted in _IMPORT.findall(modules[name]):
        _visit(wanted, modules, order, (*within, name))
    order.append(name)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"
