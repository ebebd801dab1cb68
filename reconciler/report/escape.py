"""User text made harmless for a terminal and a log.

No control character, terminal escape, bidirectional override or workflow command of a CI service
gets through from a file to an output.
"""

import re
from functools import cache

_UNSAFE = (
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
    return re.compile(f"[{_UNSAFE}]")


@cache
def _in_json() -> re.Pattern[str]:
    """A JSON document holds line feeds of its own; json.dumps has escaped those of its strings."""
    return re.compile(rf"(?<=#)#|(?!\n)[{_UNSAFE}]")


def _written(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _surrogates(character: str) -> str:
    code = ord(character)
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
