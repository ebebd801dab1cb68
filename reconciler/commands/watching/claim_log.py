"""What rounds did to single claims: each line names its claim."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.commands.rounds import Round
from reconciler.commands.watching.refusals import Refusals
from reconciler.report.text.watching import Line, commit_line, decisions_told


@dataclass(slots=True)
class ClaimLog:
    """What was given and taken by each commit, and refusals that are news."""

    _refusals: Refusals = field(default_factory=Refusals)

    def lines(self, item: Round) -> Iterator[Line]:
        """What was done in Git."""
        for part in item.done.parts:
            if part.commit is None:
                continue
            yield commit_line(part.planned.base.id, part.commit.id, part.subject)
            for told in decisions_told(part.carried):
                if not told.is_refusal:
                    yield told.line
        last = item.done.evaluation
        news = {str(refused.claim) for refused in self._refusals.news(last)}
        for told in decisions_told(last) if news else ():
            if told.is_refusal and told.claim in news:
                yield told.line
