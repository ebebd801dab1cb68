"""Text decoding, scalar values, and escapes."""

import re
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache

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


_TEXT_UNSAFE = re.compile(
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
    if (found := _TEXT_UNSAFE.search(text)) is None:
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


Scalar = str | int | bool | Decimal | None

# The size of all of IPv6 has so many.
MAX_DIGITS = 39

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_YAML_1_1_WORDS = frozenset(
    "y Y n N yes Yes YES no No NO on On ON off Off OFF = <<".split()  # noqa: SIM905 - a table
)
_NUMERIC_STARTS = frozenset("0123456789+-.")
# Written as what is quick to compile: each start of the program does.
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
# Leading zeros, octal and hexadecimal: other readers see other numbers.
_ODD_INTEGER = re.compile(r"[-+]?0\d+|\+\d+|0o[0-7]+|[-+]?0x[\da-fA-F]+", re.ASCII)
# https://yaml.org/type/ (the YAML 1.1 types); PyYAML reads a subset of it.
_YAML_1_1 = re.compile(
    r"[-+]?(?:0b[01_]+|0x[\da-fA-F_]+"
    r"|\d[\d_]*(?:(?::[0-5]?\d)+(?:\.[\d_]*)?|[eE][-+]?\d+)?|(?:\d[\d_]*)?\.[\d_]*(?:[eE][-+]?\d+)?)"
    r"|\d{4}-\d{1,2}-\d{1,2}"
    r"(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?))?)?",
    re.ASCII,
)


class TooManyDigitsError(ValueError):
    """A number longer than any field takes."""


def resolve(text: str) -> Scalar:
    """The value of a plain scalar.

    Raises:
        TooManyDigitsError: An integer of more than `MAX_DIGITS` digits, or a float whose exponent no
            Decimal holds.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC_STARTS:
        return text
    if _INTEGER.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise TooManyDigitsError(text)
        return int(text)
    if _ODD_INTEGER.fullmatch(text):
        return text
    if _FLOAT.fullmatch(text):
        return _float(text)
    if _INFINITE.fullmatch(text):
        return Decimal(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return text


def _float(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise TooManyDigitsError(text) from None


def is_odd_integer(text: str) -> bool:
    """A number that YAML readers disagree about, such as `0777`, `0o17` and `0x10`."""
    return _ODD_INTEGER.fullmatch(text) is not None


def is_ambiguous(text: str) -> bool:
    """A string that some YAML 1.1 reader takes for another type, such as `no` and `1:30`."""
    if text in _YAML_1_1_WORDS:
        return True
    return text[:1] in _NUMERIC_STARTS and _YAML_1_1.fullmatch(text) is not None


def reads_as_text(text: str) -> bool:
    """Both YAML versions read the plain scalar as this very string."""
    if text in _WORDS or text in _YAML_1_1_WORDS:
        return False
    return text[0] not in _NUMERIC_STARTS or not any(
        form.fullmatch(text) for form in (_INTEGER, _ODD_INTEGER, _FLOAT, _INFINITE, _YAML_1_1)
    )


_YAML = (".yaml", ".yml")


def is_yaml(path: str) -> bool:
    """Files of other names are not read: neither what people write nor records."""
    return path.endswith(_YAML)


def without_suffix(path: str) -> str:
    """The path without what makes it one that is read."""
    return path.rpartition(".")[0] if is_yaml(path) else path


_ESCAPE_UNSAFE = (
    "\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\ufffe\uffff\U000e0000-\U000e007f"
)
# GitHub Actions reads a line that begins with `::` as a command; Azure Pipelines and TeamCity look
# for `##vso[` and `##teamcity[` anywhere.
_COMMAND = re.compile(r"^(\s*)::")
_ANYWHERE = re.compile(r"#(?=#)")


def escape(text: str) -> str:
    """One line of text without anything that a reader of it would act on."""
    # Nearly every text is of these alone, and the pattern takes a millisecond to compile.
    is_plain = text.isascii() and text.isprintable()
    plain = text if is_plain else _in_text().sub(lambda found: _written(found.group()), text)
    return _COMMAND.sub(r"\1\\::", _ANYWHERE.sub(r"#\\", plain))


def escape_json(text: str) -> str:
    """The same JSON document, with every such character written as a JSON escape."""
    return _in_json().sub(lambda found: _surrogates(found.group()), text)


@cache
def _in_text() -> re.Pattern[str]:
    return re.compile(f"[{_ESCAPE_UNSAFE}]")


@cache
def _in_json() -> re.Pattern[str]:
    """A JSON document holds line feeds of its own; json.dumps has escaped those of its strings."""
    return re.compile(rf"(?<=#)#|(?!\n)[{_ESCAPE_UNSAFE}]")


def _written(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _surrogates(character: str) -> str:
    code = ord(character)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
