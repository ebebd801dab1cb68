"""What a server says in JSON, as values. How deep they are nested is told before they are read.

Python's reader goes down a level by calling itself. It would notice the end of its stack; but there
whatever else runs in that moment fails, too.
"""

import json
import re
from itertools import accumulate
from typing import Any

DEPTH = 100
"""Levels that are read. Definitions, the deepest of what we ask for, have twenty."""

# A string, to its end or that of the text; or a bracket.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{\]}]', re.DOTALL)
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_STEPS = bytes(set(range(256)).difference(b'[{]}"'))


def parsed(body: bytes, *, cuts: bool = False) -> dict[str, Any]:
    """The mapping that a JSON text holds.

    Args:
        body: The text.
        cuts: What is nested too deep is null; else nothing is read.

    Raises:
        ValueError: What it is instead. Half a letter, which nobody can write, is no JSON either.
    """
    if depth(body) > DEPTH and cuts:
        body = cut(body)
    if depth(body) > DEPTH:
        raise ValueError(f"nested over {DEPTH} levels deep")
    try:
        value = json.loads(body.decode())
        if b"\\ud" in body or b"\\uD" in body:
            json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def cut(body: bytes, most: int = DEPTH) -> bytes:
    """A JSON text without what is nested too deep: null stands for it, and all else as it was.

    One object that somebody has put into a cluster is no reason to read none of them; and nothing
    that is read anywhere lies so deep.

    Args:
        body: The text.
        most: Levels that stay.
    """
    kept: list[bytes] = []
    level, end, start = 0, 0, 0
    for found in _TOKEN.finditer(body):
        sign = body[found.start()]
        if sign in b"[{":
            level += 1
            if level == most + 1:
                start = found.start()
        elif sign in b"]}":
            if level == most + 1:
                kept += [body[end:start], b"null"]
                end = found.end()
            level -= 1
    return b"".join([*kept, body[end:]])


def depth(body: bytes) -> int:
    """How many levels a JSON text has; where it is none, as many as are read of it at most.

    A megabyte takes less time than to read it: nothing here goes from letter to letter.
    """
    # Without escapes a string ends with its next quote, and brackets between two quotes are text.
    unescaped = body.replace(rb"\\", b"").replace(rb"\"", b"")
    bare = unescaped.translate(_STEPS, _NO_STEPS).replace(b'""', b"")
    steps = b"".join(bare.split(b'"')[::2])
    # When more was closed than opened, the reader has stopped.
    steps = steps[: 2 * steps.count(1)]
    return max(accumulate(memoryview(steps).cast("b")), default=0)
