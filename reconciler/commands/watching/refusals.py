"""Which refusals are news: a claim that is refused in each round is told once, and for each reason."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.evaluate import Evaluation
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Keep, Refuse


@dataclass(slots=True)
class Refusals:
    """Those that were told."""

    _told: dict[Key, str] = field(default_factory=dict)

    def news(self, evaluation: Evaluation) -> Iterator[Refuse]:
        """What is refused now and was not before, or for another reason."""
        for decision in evaluation.plan.decisions:
            if isinstance(decision, Refuse):
                if self._told.get(decision.claim) != decision.reason:
                    yield decision
                self._told[decision.claim] = decision.reason
            elif isinstance(decision, Keep | Grant):
                self._told.pop(decision.claim, None)
        for claim in self._told.keys() - evaluation.state.claims.keys():
            del self._told[claim]

    def clear(self) -> None:
        """Everything is news."""
        self._told.clear()
