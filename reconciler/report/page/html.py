"""HTML of the page."""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple

from reconciler.documents.text import escape_json
from reconciler.gitio.interface import CommitRow
from reconciler.history.applied import ApplyResult, Served
from reconciler.history.commits import CommitCause
from reconciler.history.events import Life, RecordEvent
from reconciler.history.forecast import Outlook, Past
from reconciler.model.key import Key
from reconciler.planning.evaluate import Evaluation
from reconciler.review.result import Compared

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
    return join_page(parts.modules), "\n".join(parts.styles)


def join_page(modules: Mapping[str, str]) -> str:
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


_MAX_SHARED = 255
_TWO = 2


def packed_numbers(numbers: Iterable[int]) -> str:
    """Numbers one after the other in base64: any size, any sign, and few bytes for what repeats.

    Each is its zigzag, and below that a bit: after one that is set stands how often it is there
    once more, beyond two. All is LEB128.
    """
    found = bytearray()
    for number, alike in groupby(numbers):
        count = sum(1 for _ in alike)
        zigzag = number << 1 if number >= 0 else ((-number) << 1) - 1
        _append(found, zigzag << 1 | (count > 1))
        if count > 1:
            _append(found, count - _TWO)
    return b64encode(found).decode("ascii")


def packed_steps(numbers: Iterable[int]) -> str:
    """Numbers as `packed_numbers` has them, each by its difference to the one before."""
    return packed_numbers(_steps(numbers))


def packed_names(names: Iterable[str]) -> str:
    """Names in base64: how many bytes each shares with the one before, how many follow, those.

    Few bytes where they are sorted.
    """
    found, before = bytearray(), b""
    for name in names:
        data = name.encode()
        shared = _shared(before, data)
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


def _steps(numbers: Iterable[int]) -> Iterable[int]:
    before = 0
    for number in numbers:
        yield number - before
        before = number


def _shared(left: bytes, right: bytes) -> int:
    """Bytes at the begin that both have."""
    most = min(len(left), len(right), _MAX_SHARED)
    if left[:most] == right[:most]:
        return most
    return next(at for at in range(most) if left[at] != right[at])


class Given(NamedTuple):
    """What clusters told, in files that somebody gives.

    Attributes:
        applied: The result of an apply; None for none.
        served: How long growth waited; None where nobody says.
    """

    applied: ApplyResult | None = None
    served: Sequence[Served] | None = None


class Material(NamedTuple):
    """What a page is made from.

    Attributes:
        evaluation: Of the revision: its pools and its records as they stand.
        compared: The same as `check` has it, beside its base where there is one.
        base: Id of that; None for none.
        rows: Its commits, newest first.
        told: What happened in them, newest first.
        lives: What held which addresses in them.
        is_whole: There is no older commit.
        outlooks: How long pools will do, by pool.
        idle: Addresses that no Service uses, by pool; None where nobody looked.
    """

    evaluation: Evaluation
    compared: Compared
    base: str | None
    rows: Sequence[CommitRow]
    told: Sequence[tuple[RecordEvent, CommitCause | None]]
    lives: Sequence[Life]
    is_whole: bool
    past: Past
    outlooks: Mapping[Key, Outlook]
    idle: Mapping[Key, int] | None
    given: Given
