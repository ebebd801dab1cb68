"""What the headers of an answer say of time: the server's clock, and when to come back."""

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

LONGEST_WISH = 60.0
"""Seconds that a server may make us wait."""


def clock_of(headers: Mapping[str, str]) -> int:
    """The server's clock in seconds since 1970; 0 when it does not tell."""
    return _date(headers.get("date", ""))


def wish_of(headers: Mapping[str, str]) -> float:
    """How long the server asks us to wait, in seconds; 0 when it says nothing sensible."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(float(text), LONGEST_WISH)
    until, now = _date(text), clock_of(headers)
    return min(max(until - now, 0.0), LONGEST_WISH) if until and now else 0.0


def _date(text: str) -> int:
    """An HTTP date in seconds since 1970; 0 for anything else."""
    try:
        return int(parsedate_to_datetime(text).timestamp())
    except (ValueError, TypeError, OverflowError, IndexError):
        return 0
