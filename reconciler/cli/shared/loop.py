"""Again and again, whatever befalls a single run: what a daemon does."""

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

from reconciler.adapters.children import pause
from reconciler.cli.shared.failures import told
from reconciler.cli.shared.output import tell
from reconciler.ports import UsageError

T = TypeVar("T")

_log = logging.getLogger(__name__)


def loop(
    begin: Callable[[], T], once: Callable[[T], object], interval: str, seconds: int
) -> NoReturn:
    """Run without end. Only a signal ends it, or wrong usage in the very first run.

    What fails, fails one run: it is told in a line, and may be mended while the loop goes on.

    Args:
        begin: Opens what each run works on; tried again until it succeeds.
        once: A run.
        interval: How far apart they are, as a person said it.
        seconds: The same.
    """
    job: T | None = None
    is_first = True
    while True:
        try:
            job = begin() if job is None else job
            once(job)
        except Exception as failed:
            if is_first and isinstance(failed, UsageError):
                raise
            _log.debug("this run failed", exc_info=failed)
            with suppress(OSError):  # whoever read stderr may be gone
                tell(f"ipam: {told(failed).line}; next try in {interval}")
        is_first = False
        pause(seconds)
