"""Which program this is, by its content: a cache is believed by the one alone that wrote it.

Reading all files of it takes longer than a small plan. As git does with its index, each run looks
how they stand (size, times, number), and reads them only where they stand otherwise than before.
"""

import os
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from reconciler.adapters.facts import FileFacts

_KINDS = (".py", ".json")
# A file that is written in the moment in which it is read stands the same before and after.
_SETTLED_SECONDS = 2


def known_program(folders: Iterable[Path], cache: Path, now: float) -> str:
    """The same as `program_id`, from the cache where the files stand as they stood.

    Args:
        folders: Where the program is.
        cache: The cache folder, which is ours alone.
        now: Seconds since 1970.
    """
    files = list(_files(folders))
    stands = [entry.stat() for _, entry in files]
    said = (
        f"{it.st_size} {it.st_mtime_ns} {it.st_ctime_ns} {it.st_ino} {entry.path}"
        for it, (_, entry) in zip(stands, files, strict=True)
    )
    key = sha256("\n".join([sys.version, *said]).encode()).hexdigest()
    memory = FileFacts(cache, "", "program")
    if (known := memory.known("program", [key]).get(key)) is not None:
        return known
    made = _sum_of(files)
    newest = max((max(it.st_mtime, it.st_ctime) for it in stands), default=now)
    if newest < now - _SETTLED_SECONDS:
        memory.note("program", {key: made})
    return made


def program_id(*folders: Path) -> str:
    """The identity of the program: the content of its code and schemas, and its Python."""
    return _sum_of(_files(folders))


def _sum_of(files: Iterable[tuple[int, "os.DirEntry[str]"]]) -> str:
    sums = (
        f"{entry.path[cut:]} {sha256(Path(entry.path).read_bytes()).hexdigest()}"
        for cut, entry in files
    )
    return sha256("\n".join([sys.version, *sums]).encode()).hexdigest()


def _files(folders: Iterable[Path]) -> Iterator[tuple[int, "os.DirEntry[str]"]]:
    """The files of the program by name, each with the length of its folder's path."""
    for folder in folders:
        for entry in _below(str(folder)):
            yield len(str(folder)), entry


def _below(folder: str) -> Iterator["os.DirEntry[str]"]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name == "__pycache__":  # what Python makes of it
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path)
        elif entry.name.endswith(_KINDS):
            yield entry
