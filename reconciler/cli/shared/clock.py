"""What time it is, for verbs that ask: what falls due is told by it, and `--at now`."""

import time
from collections.abc import Callable

from reconciler.commands.reading.views import AsOf
from reconciler.model.instant import format_instant, parse_instant
from reconciler.ports import Source, UsageError

now: Callable[[], float] | None = time.time
"""This machine's clock. None where time stands still, as in tests."""


def source_at(source: Source, at: str | None) -> Source:
    """A source as it is read on a later day, as `--at` says it.

    Args:
        source: The source.
        at: `now`, or a time; None for the source's own.

    Raises:
        UsageError: That is no time, or one before the source's own.
    """
    if at is None:
        return source
    own = source.clock()
    clock = max(own, int(now() if now is not None else 0)) if at == "now" else parse_instant(at)
    if clock is None:
        hint = "write it as 2026-02-15T10:00:30Z (RFC 3339, in UTC), or now"
        raise UsageError(f"--at {at!r} is not a time", hint)
    if clock < own:
        message = f"--at {at} is before the date of the revision, {format_instant(own)}"
        raise UsageError(message, "what it asked for then is told by an earlier revision: --rev")
    return AsOf(source, clock, source.clock_ahead())
