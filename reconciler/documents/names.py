"""Names of files that not every disk can hold, or that seem to be read and are not.

A repository is checked out on disks that do not tell upper from lower case, and on Windows, which
keeps some names for devices. There a file is lost, or replaces another one, without a word.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from unicodedata import normalize

from reconciler.documents.document import Document
from reconciler.documents.suffix import is_yaml
from reconciler.findings import Finding, Location, error, shown, warning

_MEANT = (".yaml", ".yml", ".json")
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_ALONE, _PORTS, _OF_PORTS = ("con", "prn", "aux", "nul"), ("com", "lpt"), "0123456789¹²³"
_DEVICES = frozenset((*_ALONE, *(f"{port}{sign}" for port in _PORTS for sign in _OF_PORTS)))
# Nearly every name.
_DEVICE = rf"(?:{'|'.join(_ALONE)}|(?:{'|'.join(_PORTS)})[{_OF_PORTS}])"
_PLAIN = re.compile(rf"(?!{_DEVICE}(?:\.|$))[a-z0-9._-]*[a-z0-9_-]")
_SIGNS = re.compile(r'[<>:"|?*]')
_ENDS = (".", " ")


def is_meant(path: str) -> bool:
    """A file that is read, or that somebody may think is read."""
    return is_yaml(path) or path.lower().endswith(_MEANT)


def unread(path: str) -> Finding:
    """A file whose name seems to be one of those that are read."""
    suffix = path[path.rindex(".") :]
    message = f"files that end with {suffix} are not read: it counts for nothing"
    return warning("file-not-read", Location(path), message, "write YAML, and name it .yaml")


def unfit(path: str) -> tuple[Finding, ...]:
    """What Windows has against a path."""
    folder, _, name = path.rpartition("/")
    why = _against_folder(folder) or _against(name)
    if not why:
        return ()
    message = f"{why}: the file cannot be checked out there"
    return (warning("name-unfit", Location(path), message, "rename it"),)


def reserved(documents: Iterable[Document]) -> Iterator[Finding]:
    """Names of documents that would become such a path of a record."""
    for document in documents:
        for field, name in (("name", document.name), ("namespace", document.namespace)):
            if name in _DEVICES:
                message = f"Windows keeps {shown(name)} for a device: a record of it cannot be checked out there"
                place = document.at("metadata", field)
                yield warning("name-unfit", place, message, "choose another name")


def clashes(paths: Iterable[str]) -> list[Finding]:
    """A finding at each path, but the first of each, that is another one where case does not count."""
    listed = list(paths)
    # All at once, since nearly always there is nothing to tell; no path has a zero byte in it.
    together = _folded("\0".join(listed)).split("\0")
    if len(frozenset(together)) == len(listed):
        return []
    first: dict[str, str] = {}
    found = []
    for path in sorted(listed):
        other = first.setdefault(_folded(path), path)
        if other != path:
            message = f"the same file as {other} where upper and lower case are not told apart"
            found.append(error("name-clash", Location(path), message, "rename one of the two"))
    return found


def beside(meant: Iterable[str], there: Iterable[str]) -> Iterator[Finding]:
    """Findings at what stands beside files and folders that are read, and is one of them elsewhere.

    Where case does not count one replaces the other in each checkout. Alone, it is read in some.

    Args:
        meant: Paths that are read.
        there: What stands in the same folders.
    """
    every = dict.fromkeys(sorted(there))
    read = {_folded(path): path for path in meant}
    for path in every:
        other = read.get(_folded(path), path)
        if other == path:
            continue
        message = f"the same as {other} where upper and lower case are not told apart"
        if other in every:
            yield error("name-clash", Location(path), message, "rename one of the two")
        else:
            hint = f"rename it {other} if that is meant, else give it another name"
            yield warning("name-clash", Location(path), f"{message}; here it is not read", hint)


def upwards(path: str) -> list[str]:
    """A path, and the folders that it is in: `a`, `a/b`, `a/b/c`."""
    parts = path.split("/")
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else normalize("NFC", path).casefold()


@lru_cache(maxsize=4_096)
def _against_folder(folder: str) -> str:
    return next(filter(None, map(_against, folder.split("/"))), "")


def _against(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return ""
    first = name.partition(".")[0]
    if first.rstrip(" ").lower() in _DEVICES:
        return f"Windows keeps {shown(name)} for a device"
    if name.endswith(_ENDS):
        return f"Windows drops the end of {shown(name)}"
    if _SIGNS.search(name):
        return f"Windows takes no {shown(name)}, because of a sign in it"
    return ""
