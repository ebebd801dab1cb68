"""Which moment a person means: a day, an instant, or so long before."""

import re

from reconciler.model.instant import parse_duration, parse_instant

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z", re.ASCII)


def moment_of(text: str, clock: int, *, is_end: bool) -> int | None:
    """Seconds since 1970 of `2026-03-02`, `2026-03-02T14:00Z`, `2026-03-02T14:00:30Z` or `30d`.

    Args:
        text: What a person wrote; a duration counts back from the clock.
        clock: Date of the revision: no other clock is asked.
        is_end: A day means its last second, a minute too; else the first.

    Returns:
        The moment; None of a text that is none.
    """
    if _DAY.fullmatch(text):
        return parse_instant(f"{text}T{'23:59:59' if is_end else '00:00:00'}Z")
    if _MINUTE.fullmatch(text):
        return parse_instant(f"{text[:-1]}:{'59' if is_end else '00'}Z")
    try:
        return clock - parse_duration(text)
    except ValueError:
        return parse_instant(text)
