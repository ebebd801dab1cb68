"""What rounds did to single claims, as lines of the log: each names its claim."""

import logging
from dataclasses import dataclass, field

from reconciler.commands.watching.observer import RoundDone
from reconciler.commands.watching.refusals import Refusals
from reconciler.report.text.watching import Told, decisions_told

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class ClaimLog:
    """Writes them: what was given and taken by each commit, and refusals that are news."""

    _refusals: Refusals = field(default_factory=Refusals)

    def tell(self, done: RoundDone) -> None:
        """A round ended."""
        for item in done.rounds:
            for part in item.done.parts:
                for told in decisions_told(part.carried):
                    if part.commit is not None and not told.is_refusal:
                        _say(logging.INFO, done.number, told)
            last = item.done.evaluation
            news = {str(refused.claim) for refused in self._refusals.news(last)}
            for told in decisions_told(last) if news else ():
                if told.is_refusal and told.claim in news:
                    _say(logging.WARNING, done.number, told)


def _say(level: int, number: int, told: Told) -> None:
    extra = {"round": number, "claim": told.claim}
    _log.log(level, "%s: %s", told.action, told.words, extra=extra)
