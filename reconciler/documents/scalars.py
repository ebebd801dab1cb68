"""What a plain YAML scalar means: YAML 1.2 core types, and where YAML 1.1 would differ.

YAML 1.2.2 §10.3.2 (core schema), narrowed: only decimal integers without leading zeros are
integers. A float keeps its digits as a `Decimal`, which no integer or string field takes, so
`count: 4.0` and `cidr: 10.0` are refused with the text that was read. All else is a string.
"""

import re
from decimal import Decimal, InvalidOperation

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
