"""A watch as it comes over the wire: lines of JSON without end, of a server that may mean harm.

A line is weighed before it is read, as any answer; how much comes in a second is the crowd's to say.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from reconciler.adapters.kube.answers import Answer, ExpiredError, judge
from reconciler.adapters.kube.limits import TooLargeError
from reconciler.adapters.kube.parsing import parsed
from reconciler.model.resource import Resource
from reconciler.ports import Became, Change, ClusterError, StaleError, UnreachableError

LINE = 4 * 1024 * 1024
"""Bytes of one change; a server stores no object that is larger than half of it."""
PIECE = 64 * 1024


def lines(pieces: Iterator[bytes], what: str) -> Iterator[bytes]:
    """The lines of a stream, as soon as each is whole; what is left at its end is none.

    Raises:
        TooLargeError: A line is longer than any object.
    """
    rest = bytearray()
    for piece in pieces:
        start = len(rest)
        rest += piece
        while (end := rest.find(b"\n", start)) >= 0:
            line = bytes(rest[:end])
            del rest[: end + 1]
            start = 0
            if line.strip():
                yield line
        if len(rest) > LINE:
            raise TooLargeError(f"{what}: a line is larger than {LINE // 1024 // 1024} MiB")


def change_of(line: bytes, what: str, resource: Resource, *, cuts: bool = False) -> Change:
    """What a line of a watch says.

    Args:
        line: The line.
        what: What was asked, for the message.
        resource: Of which kind.
        cuts: What is nested too deep is null; else nothing is read.

    Raises:
        StaleError: The state from which it was to go on is forgotten.
        ClusterError: It is an error of the server, or nothing that a server says.
    """
    try:
        told = parsed(line, cuts=cuts)
    except ValueError as why:
        raise ClusterError(f"{what}: a line of the answer is {why}") from None
    manifest, became = told.get("object"), told.get("type")
    if not isinstance(manifest, dict):
        raise ClusterError(f"{what}: a line of the answer is no change")
    if became == "ERROR":
        raise _error(manifest, what)
    try:
        return Change(Became(str(became)), _named(manifest, resource))
    except ValueError:
        raise ClusterError(f"{what}: a line of the answer is no change") from None


def _named(manifest: dict[str, Any], resource: Resource) -> dict[str, Any]:
    """The object under the kind that was asked for: metadata alone has one of its own."""
    return {**manifest, "apiVersion": resource.api_version, "kind": resource.kind}


def _error(said: Mapping[str, Any], what: str) -> ClusterError:
    import json

    code = said.get("code")
    status = code if isinstance(code, int) and not isinstance(code, bool) else 500
    body = json.dumps({**said, "kind": "Status"}).encode()
    trouble = judge(what, Answer(status, {}, body, len(body)))
    error = trouble.error if trouble is not None else UnreachableError(f"{what}: it broke off")
    if isinstance(error, ExpiredError):
        return StaleError(str(error))
    return error


def pieces_of(response: Any, turn: Callable[[int], None]) -> Iterator[bytes]:
    """What a server says as it says it, until it ends; then the connection is closed."""
    try:
        while piece := response.read1(PIECE, decode_content=False):
            turn(len(piece))
            yield piece
    finally:
        response.close()
