"""What git stores of a file that it wrote into a work tree with other ends of lines."""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path

from reconciler.adapters.git.bounds import Tally
from reconciler.adapters.git.index import listed
from reconciler.adapters.git.process import GitProcess

_CRLF, _LF = b"\r\n", b"\n"
_AT_ONCE = 1 << 20


def blob_id(data: bytes, like: str) -> str:
    """The id of a file's content in a repository that has such ids."""
    return _id(len(data), [data], like)


def file_id(path: Path, like: str) -> str:
    """The id of the bytes of a file, however large; empty when it cannot be read."""
    try:
        with open(path, "rb", opener=_plainly) as file:
            parts = iter(partial(file.read, _AT_ONCE), b"")
            return _id(os.fstat(file.fileno()).st_size, parts, like)
    except OSError:
        return ""


def _plainly(path: str, flags: int) -> int:
    """Open a file, but no link and nothing that waits."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _id(size: int, parts: Iterable[bytes], like: str) -> str:
    found = sha256() if len(like) == 64 else sha1(usedforsecurity=False)
    found.update(b"blob %d\0" % size)
    for part in parts:
        found.update(part)
    return found.hexdigest()


class Conversion:
    """Ends of lines of a work tree. Git is asked when a file has others, once.

    Only where git itself takes a file for unchanged, and its content is what the index has but for
    the ends of lines, these were made by git: `core.autocrlf`, or an attribute. Git looks at the
    content of files whose times are others than it noted, as in a copy; then as it would be stored.
    """

    def __init__(self, open_git: Callable[[], GitProcess], root: Path) -> None:
        """Take what opens git with its filters off, and the work tree."""
        self._open = open_git
        self._root = root
        self._ids: dict[str, str] = {}
        self._asked: set[str] = set()

    def stored(
        self, path: str, data: bytes, folders: Iterable[str], tally: Callable[[], Tally]
    ) -> bytes:
        """The bytes of a file as git would store them.

        Args:
            path: The file.
            data: Its bytes.
            folders: What is read of the work tree; the file is among it.
            tally: Counts the files of the index there.

        Raises:
            GitError: The index cannot be read.
            LimitError: It has more files there than are read.
            UsageError: The configuration has what cannot be beaten.
        """
        if _CRLF not in data:
            return data
        if new := [folder for folder in folders if folder not in self._asked]:
            self._asked.update(new)
            self._ids |= self._unchanged(new, tally)
        plain, oid = data.replace(_CRLF, _LF), self._ids.get(path, "")
        return plain if oid == blob_id(plain, oid) else data

    def _unchanged(self, folders: Sequence[str], tally: Callable[[], Tally]) -> dict[str, str]:
        git, found = self._open(), dict[str, str]()
        for line in listed(git, self._root, tally(), ["-s"], folders):
            about, _, path = line.partition("\t")
            found[path] = about.split(" ")[1]
        converting = replace(git, guards=(*git.guards, ("core.autocrlf", "true")))
        for path in listed(converting, self._root, tally(), ["-m"], folders):
            found.pop(path, None)
        return found
