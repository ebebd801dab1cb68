"""Where the branch is, asked again and again: what a daemon knows of Git without a hook."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from reconciler.commands.watching.backoff import Backoff
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.inbox import Inbox
from reconciler.ports import ReconcilerError

_log = logging.getLogger(__name__)


@dataclass
class BranchWatch:
    """A look at the branch every so often.

    Attributes:
        head: The id of its newest commit. May raise what Git raises.
        known: That of the last round; an own commit is no news.
        every: Seconds between two looks.
        told: Is told each failure, and None for a look that succeeded.
    """

    head: Callable[[], str]
    known: Callable[[], str]
    every: float
    inbox: Inbox
    chance: Callable[[], float]
    told: Callable[[Exception | None], None]
    _last: str = ""

    def run(self) -> None:
        """Look until the end."""
        backoff = Backoff(self.chance)
        is_going = True
        while is_going:
            failure = self.look()
            self.told(failure)
            if failure is None:
                backoff.reset()
            pause = self.every if failure is None else max(self.every, backoff.pause())
            is_going = self.inbox.pause(pause)

    def look(self) -> Exception | None:
        """Look once; a head that no round has seen is an event. Returns why it failed."""
        try:
            head = self.head()
        except (ReconcilerError, OSError) as failed:
            _log.warning("%s", failed)
            return failed
        except Exception as bug:  # noqa: BLE001 - a bug ends no daemon
            _log.error("a bug: %r", bug, exc_info=bug)
            return bug
        known = self.known()
        if head not in (known, self._last) and known:
            self.inbox.put(Event(Cause.GIT))
        self._last = head if head != known else ""
        return None
