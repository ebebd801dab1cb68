"""All that is told of rounds: one source for people and for the log."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.commands.watching.claim_log import ClaimLog
from reconciler.commands.watching.found_log import FoundLog
from reconciler.commands.watching.observer import RoundDone
from reconciler.commands.watching.trouble_log import TroubleLog
from reconciler.report.text.watching import Line, applied_lines

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class RoundLog:
    """Knows what was told: a line comes once, and again when it changed."""

    _claims: ClaimLog = field(default_factory=ClaimLog)
    _troubles: TroubleLog = field(default_factory=TroubleLog)
    _found: FoundLog = field(default_factory=FoundLog)

    def lines(self, done: RoundDone) -> Iterator[Line]:
        """What a round did, and met."""
        for item in done.rounds:
            yield from self._claims.lines(item)
            yield from applied_lines(item.applied or ())
        yield from self._troubles.lines(done)
        yield from self._found.lines(done)

    def tell(self, done: RoundDone) -> list[Line]:
        """Write them into the log; returns them for others."""
        told = list(self.lines(done))
        for line in told:
            level = logging.WARNING if line.is_trouble else logging.INFO
            _log.log(level, "%s", line.words, extra={"round": done.number, **line.about})
        return told
