"""What a server says in JSON, as values. How deep they are nested is told before they are read.

Python's reader goes down a level by calling itself. It would notice the end of its stack; but there
whatever else runs in that moment fails, too.
"""

import json
from itertools import accumulate
from typing import Any

DEPTH = 100
"""Levels that are read. Definitions, the deepest of what we ask for, have twenty."""

_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NO_STEPS = bytes(set(range(256)).difference(b'[{]}"'))


def parsed(body: bytes) -> dict[str, Any]:
    """The mapping that a JSON text holds.

    Raises:
        ValueError: What it is instead. Half a letter, which nobody can write, is no JSON either.
    """
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
