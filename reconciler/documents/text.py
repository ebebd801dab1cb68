"""Text decoding, scalar values, and escapes."""

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from msgspec import Struct

MAX_BYTES = 256 * 1024


class Unread(bytes):
    """Placeholder for the content of a file that is too large to read; it is empty."""

    size: int

    def __new__(cls, size: int) -> "Unread":
        """Return the placeholder for a file of `size` bytes."""
        made = super().__new__(cls)
        made.size = size
        return made


class Problem(Struct, frozen=True):
    """A problem of a text, with its location: line and column start at 1."""

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
    """Return the text of a file, or the problem of the first invalid byte."""
    size = data.size if isinstance(data, Unread) else len(data)
    if size > MAX_BYTES:
        message = f"the file has {size:,} bytes, must have at most {MAX_BYTES:,}"
        return "", Problem("file-too-large", 0, 0, message, "split it into several files")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", Problem("not-utf8", 1, 1, "the file is UTF-16, must be UTF-8", _AS_UTF8)
    if data.startswith(b"version https://git-lfs"):
        hint = "run git lfs untrack, then add the file again"
        return "", Problem(
            "lfs-pointer", 1, 1, "the file is a Git LFS pointer instead of YAML", hint
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        message = f"the file is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        return "", Problem("not-utf8", line, column, message, _AS_UTF8)
    text = text.removeprefix("\ufeff")
    return text, _unsafe(text) or _conflict(text)


def legible(data: bytes) -> tuple[str, ...]:
    """Return all text of an unreadable file, in any encodings, to search for addresses."""
    plain = data.decode("utf-8", "replace")
    if b"\0" not in data:
        return (plain,)
    bare = data.replace(b"\0", b"").decode("utf-8", "replace")
    return (plain, bare, *(data.decode(codec, "replace") for codec in _WIDE))


@lru_cache(maxsize=1)
def decoded(data: bytes) -> str:
    """Return the text of a file that `decode` accepted."""
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
    return Problem(
        "merge-conflict",
        line,
        1,
        "the file contains a merge conflict marker",
        "resolve the conflict",
    )


Scalar = str | int | bool | Decimal | None

# The number of digits of 2^128.
MAX_DIGITS = 39

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_YAML_1_1_WORDS = frozenset(
    "y Y n N yes Yes YES no No NO on On ON off Off OFF = <<".split()  # noqa: SIM905 - a table
)
_NUMERIC_STARTS = frozenset("0123456789+-.")
# Compiled at each start, so the pattern is cheap to compile.
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
# Leading zeros, octal, and hexadecimal: other readers read other numbers.
_ODD_INTEGER = re.compile(r"[-+]?0\d+|\+\d+|0o[0-7]+|[-+]?0x[\da-fA-F]+", re.ASCII)
# https://yaml.org/type/ (the YAML 1.1 types). PyYAML reads a subset.
_YAML_1_1 = re.compile(
    r"[-+]?(?:0b[01_]+|0x[\da-fA-F_]+"
    r"|\d[\d_]*(?:(?::[0-5]?\d)+(?:\.[\d_]*)?|[eE][-+]?\d+)?|(?:\d[\d_]*)?\.[\d_]*(?:[eE][-+]?\d+)?)"
    r"|\d{4}-\d{1,2}-\d{1,2}"
    r"(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::\d{2})?))?)?",
    re.ASCII,
)


class TooManyDigitsError(ValueError):
    """A number that is longer than any field permits."""


def resolve(text: str) -> Scalar:
    """Return the value of a plain scalar. Raise TooManyDigitsError for too long a number."""
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
    """Return whether YAML readers disagree about a number, such as `0777`, `0o17`, and `0x10`."""
    return _ODD_INTEGER.fullmatch(text) is not None


def is_ambiguous(text: str) -> bool:
    """Return whether a YAML 1.1 reader reads a string as another type, such as `no` and `1:30`."""
    if text in _YAML_1_1_WORDS:
        return True
    return text[:1] in _NUMERIC_STARTS and _YAML_1_1.fullmatch(text) is not None


def reads_as_text(text: str) -> bool:
    """Return whether both YAML versions read the plain scalar as this string."""
    if text in _WORDS or text in _YAML_1_1_WORDS:
        return False
    return text[0] not in _NUMERIC_STARTS or not any(
        form.fullmatch(text) for form in (_INTEGER, _ODD_INTEGER, _FLOAT, _INFINITE, _YAML_1_1)
    )


_YAML = (".yaml", ".yml")


def is_yaml(path: str) -> bool:
    """Return whether a path is a YAML file. Other files are not read."""
    return path.endswith(_YAML)


def without_suffix(path: str) -> str:
    """Return the path without its YAML suffix."""
    return path.rpartition(".")[0] if is_yaml(path) else path


# Characters that control terminals, or are invisible.
UNSAFE = "\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f"
# GitHub Actions reads a line that begins with `::` as a command. CI systems look for `##[`, `##vso[`,
# and `##teamcity[` anywhere. Usage bars and headings contain `##` too.
_COMMAND = re.compile(r"^(\s*)::")
_ANYWHERE = re.compile(r"#(?=#[\[A-Za-z])")


def escape(text: str) -> str:
    """Return one line of text without control sequences for terminals and CI logs."""
    # Almost every text is plain, and the patterns take ten times as long.
    is_plain = text.isascii() and text.isprintable()
    if is_plain and "#" not in text and "::" not in text:
        return text
    plain = text if is_plain else re.sub(f"[{UNSAFE}]", escape_character, text)
    return _COMMAND.sub(r"\1\\::", _ANYWHERE.sub(r"#\\", plain))


def escape_json(text: str) -> str:
    """Return the same JSON document, with every such character as a JSON escape."""
    # Line feeds between tokens stay; json.dumps escaped all others.
    return re.sub(rf"(?<=#)#|(?!\n)[{UNSAFE}]", _as_json, text)


def escape_character(found: re.Match[str]) -> str:
    """Return the escape of a character for YAML and Python."""
    code = ord(found.group())
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _as_json(found: re.Match[str]) -> str:
    units = found.group().encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
