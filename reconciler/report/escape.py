"""User text made harmless for a terminal and a log.

No control character, terminal escape, bidirectional override or workflow command of a CI service
gets through from a file to an output.
"""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
# A line that begins so is a command to GitHub Actions or Azure Pipelines.
_COMMAND = re.compile(r"^(\s*)(::|##)")


def escape(text: str) -> str:
    """One line of text without anything that a reader of it would act on."""
    plain = _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return _COMMAND.sub(r"\1\\\2", plain)
