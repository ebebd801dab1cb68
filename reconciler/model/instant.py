"""Points in time and durations."""

import re
from datetime import UTC, datetime

DAY = 86_400
# The calendar repeats every 400 years. Git supports commit dates beyond the years of `datetime`.
_CYCLE = 146_097 * DAY
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": DAY}

_RFC3339 = re.compile(
    r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z",
    re.ASCII,
)
_DURATION = re.compile(r"([0-9]{1,6})([smhd])", re.ASCII)


def format_instant(seconds: int) -> str:
    """Return `2026-02-15T10:00:30Z` (RFC 3339, UTC)."""
    cycles, rest = divmod(seconds, _CYCLE)
    moment = datetime.fromtimestamp(rest, UTC)
    return f"{moment.year + 400 * cycles:04d}{moment.isoformat()[4:19]}Z"


def parse_instant(text: str) -> int | None:
    """Return seconds since 1970 for the output of `format_instant`; None for any other text."""
    if _RFC3339.fullmatch(text) is None:
        return None
    cycles, year = divmod(int(text[:4]), 400)
    try:
        moment = datetime.fromisoformat(f"{2000 + year}{text[4:]}")
    except ValueError:  # a day that the month does not have
        return None
    return int(moment.timestamp()) + (cycles - 5) * _CYCLE


def parse_end(text: str) -> int | None:
    """Return the first second after a UTC day (`2026-12-01`), or an instant; None if invalid."""
    if "T" in text:
        return parse_instant(text)
    last = parse_instant(f"{text}T23:59:59Z")
    return None if last is None else last + 1


def parse_duration(text: str) -> int:
    """Return the seconds of `24h`, `10m`, `90s`, or `7d`, or raise ValueError."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return int(found.group(1)) * UNITS[found.group(2)]


def age(since: str, clock: int) -> str:
    """Return the age as kubectl shows it: `7d`, `3h`, `5m`, `9s`, up to the revision's date."""
    start = parse_instant(since)
    if start is None or clock < start:
        return "0s"
    seconds = clock - start
    for unit, length in (("d", DAY), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * length or (unit == "d" and seconds >= length):
            return f"{seconds // length}{unit}"
    return f"{seconds}s"
