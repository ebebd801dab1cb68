"""How much a cluster may say, and what it costs to read: told before it is read.

A megabyte of JSON can take forty in memory, and nothing else runs while it is read. So an answer is
weighed by its letters first; a cluster that goes too far fails, and the others go on.
"""

from dataclasses import dataclass, field
from math import inf
from threading import Lock

from msgspec import Struct

from reconciler.ports import ClusterError

_MIB = 1024 * 1024

BODY = 8 * _MIB
"""Bytes of one answer."""
REFUSAL = _MIB // 4
"""Bytes of a refusal of which something is read."""
TOKEN = 4096
"""Characters of the word by which the next page of a list is asked for."""
ANSWER = 128 * _MIB
"""Weight of one answer of a tenant's cluster."""
OBJECT = 192 * _MIB
"""Weight of one of our own: what the largest object that a server stores may have, if somebody makes it so."""

_MAPPING, _LIST, _VALUE = 200, 96, 80
_FOUR_BYTES = bytes(range(0xF0, 0xF5))


class TooLargeError(ClusterError):
    """An answer is too large; a smaller page may not be."""


class Limits(Struct, frozen=True):
    """How much a cluster may say in one run.

    Attributes:
        items: Objects of a list.
        pages: Of a list.
        kept: Weight of all that is kept.
        read: Weight of all answers, in which those parts count that are thrown away.
        at_once: Bytes of answers that are read without waiting for other clusters.
        answer: Weight of one answer.
        cuts: What is nested too deep is left out; else nothing of the answer is read.
    """

    items: int
    pages: int
    kept: float
    read: float
    at_once: float
    answer: float = ANSWER
    cuts: bool = False


TENANT = Limits(50_000, 1_000, 192 * _MIB, 2048 * _MIB, _MIB // 2)
"""A cluster that may mean us harm. One of 5,000 nodes and 20,000 Services stays below."""
MANAGEMENT = Limits(2_000_000, 2_000_000, inf, inf, inf, OBJECT, cuts=True)
"""Our own. It holds an object for each record, and is as trusted as the repository. But people put
objects into it that may be odd, one by one: they take nothing but themselves away."""


def weight(body: bytes) -> int:
    """How much memory JSON takes at most, about, in bytes; typical answers take half of it."""
    values = body.count(b",") + body.count(b":")
    containers = _MAPPING * body.count(b"{") + _LIST * body.count(b"[")
    return _width(body) * len(body) + containers + _VALUE * values


def _width(body: bytes) -> int:
    """The most bytes that a letter of its texts takes: the widest letter of a text rules all of it."""
    is_ascii = body.isascii()
    if b"\\ud" in body or b"\\uD" in body:
        return 4
    if not is_ascii and len(body.translate(None, _FOUR_BYTES)) < len(body):
        return 4
    return 1 if is_ascii and b"\\u" not in body else 2


@dataclass(slots=True)
class Budget:
    """What a cluster has used of its limits. Several threads may use it."""

    limits: Limits
    _read: float = 0.0
    _kept: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def read(self, what: str, body: bytes) -> int:
        """Weigh an answer before it is read.

        Raises:
            TooLargeError: It is too heavy.
            ClusterError: All answers together are.
        """
        heavy = self.weigh(what, body)
        with self._lock:
            self._read += heavy
        self._check(what, self._read, self.limits.read)
        return heavy

    def weigh(self, what: str, body: bytes) -> int:
        """Weigh what nobody keeps.

        Raises:
            TooLargeError: It is too heavy.
        """
        heavy = weight(body)
        most = self.limits.answer
        if heavy > most:
            raise TooLargeError(f"{what}: the answer would take more than {_mib(most)} of memory")
        return heavy

    def keep(self, what: str, heavy: int) -> None:
        """Keep something of a weight.

        Raises:
            ClusterError: All that is kept is too heavy.
        """
        with self._lock:
            self._kept += heavy
        self._check(what, self._kept, self.limits.kept)

    def count(self, what: str, items: int, pages: int) -> None:
        """Go on with a list.

        Raises:
            ClusterError: It is too long.
        """
        for found, most, name in (
            (items, self.limits.items, "objects"),
            (pages, self.limits.pages, "pages"),
        ):
            if found > most:
                raise ClusterError(f"{what}: the list has more than {most} {name}")

    def _check(self, what: str, used: float, most: float) -> None:
        if used > most:
            raise ClusterError(f"{what}: the answers of this cluster take more than {_mib(most)}")


def _mib(size: float) -> str:
    return f"{size / _MIB:.0f} MiB"
