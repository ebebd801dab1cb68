"""Instants as seconds since 1970 and as text: the only clock is the revision's committer date.

Plain arithmetic on the proleptic Gregorian calendar, so that the pure floors load no module that
could read a clock.
"""

import re

DAY = 86_400
UNITS = {"s": 1, "m": 60, "h": 3_600, "d": DAY}

_RFC3339 = re.compile(
    r"([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])Z",
    re.ASCII,
)
_DURATION = re.compile(r"([0-9]{1,6})([smhd])", re.ASCII)


def format_instant(seconds: int) -> str:
    """`2026-02-15T10:00:30Z` (RFC 3339, UTC)."""
    days, rest = divmod(seconds, DAY)
    year, month, day = _civil(days)
    return (
        f"{year:04d}-{month:02d}-{day:02d}"
        f"T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"
    )


def parse_instant(text: str) -> int | None:
    """Seconds since 1970 of what `format_instant` writes; None for any other text."""
    found = _RFC3339.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = map(int, found.groups())
    days = _days(year, month, day)
    if _civil(days) != (year, month, day):
        return None
    return days * DAY + hour * 3600 + minute * 60 + second


def parse_duration(text: str) -> int:
    """Seconds of `24h`, `10m`, `90s` or `7d`.

    Raises:
        ValueError: The text is no such duration.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return int(found.group(1)) * UNITS[found.group(2)]


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01. Years begin in March here, so that a leap day comes last."""
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (
        era * 146_097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + (day_of_year - 719_468)
    )


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of `_days`."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    return era * 400 + year_of_era + (month >= 10), (month + 2) % 12 + 1, day
