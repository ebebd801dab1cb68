"""Packs by hand: objects that are small in a repository and large in memory."""

import struct
import subprocess
import zlib
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from tests.world import ENVIRONMENT

MIB = 1 << 20
_COMMIT, _BLOB, _DELTA = 1, 3, 7


def huge_commit(folder: Path, head: str, size: int, subject: str = "") -> str:
    """A commit with a message of so many MiB, put into a repository; its id."""
    start = f"{head}\n\n{subject}".encode()
    oid = _id("commit", start, size, b"A" * MIB)
    _store(folder, _entry(_COMMIT, len(start) + size * MIB, _pieces(start, size, b"A" * MIB)))
    return oid


def small_on_huge(folder: Path, text: bytes, size: int) -> str:
    """A blob of some text that the pack holds as a difference from one of so many MiB; its id."""
    base = _id("blob", b"", size, bytes(MIB))
    delta = _number(size * MIB) + _number(len(text))
    for at in range(0, len(text), 127):
        piece = text[at : at + 127]
        delta += bytes([len(piece)]) + piece
    entries = _entry(_BLOB, size * MIB, _pieces(b"", size, bytes(MIB)))
    entries += _header(_DELTA, len(delta)) + bytes.fromhex(base) + zlib.compress(delta)
    _store(folder, entries, count=2)
    return sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()


def _id(kind: str, start: bytes, size: int, fill: bytes) -> str:
    found = sha1(f"{kind} {len(start) + size * MIB}\0".encode(), usedforsecurity=False)
    for piece in _pieces(start, size, fill):
        found.update(piece)
    return found.hexdigest()


def _pieces(start: bytes, size: int, fill: bytes) -> Iterator[bytes]:
    yield start
    for _ in range(size):
        yield fill


def _entry(kind: int, length: int, pieces: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(1)
    packed = [packer.compress(piece) for piece in pieces]
    return b"".join([_header(kind, length), *packed, packer.flush()])


def _header(kind: int, length: int) -> bytes:
    first, rest = (kind << 4) | (length & 15), length >> 4
    return bytes([first | 0x80]) + _number(rest) if rest else bytes([first])


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _store(folder: Path, entries: bytes, count: int = 1) -> None:
    pack = b"PACK" + struct.pack(">II", 2, count) + entries
    pack += sha1(pack, usedforsecurity=False).digest()
    command = ["git", "-C", str(folder), "index-pack", "--stdin"]
    subprocess.run(command, input=pack, env=ENVIRONMENT, check=True, capture_output=True)
