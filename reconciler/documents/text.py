"""The bytes of a file to text, unless something in them says that they are none."""

import re
from functools import lru_cache

from msgspec import Struct

MAX_BYTES = 256 * 1024


class Unread(bytes):
    """Stands for the content of a file that is too large to be looked at; it is empty."""

    size: int

    def __new__(cls, size: int) -> "Unread":
        """Stand for a file of so many bytes."""
        made = super().__new__(cls)
        made.size = size
        return made

    def __reduce__(self) -> "tuple[type[Unread], tuple[int]]":
        """For processes that send each other what they read."""
        return Unread, (self.size,)


class Problem(Struct, frozen=True):
    """What is wrong with a text, and where: line and column start at 1."""

    code: str
    line: int
    column: int
    message: str
    hint: str = ""


_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]|\r(?!\n)"
)
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_AS_UTF8 = "save the file as UTF-8"
_WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_BREAKS = {"\x85": "NEL", "\u2028": "LS", "\u2029": "PS", "\r": "a lone CR"}


def decode(data: bytes) -> tuple[str, Problem | None]:
    """The text of a file, unless a byte of it says that it is none."""
    size = data.size if isinstance(data, Unread) else len(data)
    if size > MAX_BYTES:
        message = f"file of {size} bytes, limit {MAX_BYTES}"
        return "", Problem("file-too-large", 0, 0, message, "split it into several files")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", Problem("not-utf8", 1, 1, "the file must be UTF-8, this is UTF-16", _AS_UTF8)
    if data.startswith(b"version https://git-lfs"):
        hint = "keep YAML out of Git LFS: git lfs untrack, then add the file again"
        return "", Problem("lfs-pointer", 1, 1, "a Git LFS pointer, not content", hint)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"the file must be UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        return "", Problem("not-utf8", line, column, message, _AS_UTF8)
    text = text.removeprefix("\ufeff")
    return text, _unsafe(text) or _conflict(text)


def legible(data: bytes) -> tuple[str, ...]:
    """All that can be made out of a file that nobody can read, whatever it is encoded in.

    For those who look for names and addresses in it. Text in UTF-16 or UTF-32, with a mark or
    without, has zero bytes between its letters; some of a file may be so, and some may not.
    """
    plain = data.decode("utf-8", "replace")
    if b"\0" not in data:
        return (plain,)
    bare = data.replace(b"\0", b"").decode("utf-8", "replace")
    return (plain, bare, *(data.decode(codec, "replace") for codec in _WIDE))


@lru_cache(maxsize=1)
def decoded(data: bytes) -> str:
    """The text of a file that `decode` accepted; what is told is told file by file."""
    return data.decode("utf-8").removeprefix("\ufeff")


def _unsafe(text: str) -> Problem | None:
    if (found := _UNSAFE.search(text)) is None:
        return None
    character = found.group()
    before = text[: found.start()]
    line, column = before.count("\n") + 1, found.start() - (before.rfind("\n") + 1) + 1
    if character in _BREAKS:
        name = _BREAKS[character]
        message, hint = f"non-ASCII line break ({name})", "end lines with LF"
        return Problem("line-break", line, column, message, hint)
    name = f"U+{ord(character):04X}"
    if character == "\ufeff":
        message = f"{name} (byte order mark) inside the file"
    elif character in _BIDIRECTIONAL:
        message = f"bidirectional control {name}"
    elif ord(character) > 0x9F:
        message = f"invisible character or noncharacter {name}"
    else:
        message = f"control character {name} at offset {found.start()}"
    return Problem("control-character", line, column, message, "remove the character")


def _conflict(text: str) -> Problem | None:
    found = _CONFLICT.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.start()) + 1
    return Problem("merge-conflict", line, 1, "merge conflict marker", "resolve the conflict")
