"""What clusters say in one run: which records they still announce, and what time it is there.

Nobody waits for the lock while clusters are asked: who has it and lacks an answer lets go of it,
asks, and begins anew. Only when a branch keeps moving meanwhile they are asked under the lock.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from reconciler.evaluate import Evaluation, leaving, left_behind
from reconciler.model.allocation import Allocation
from reconciler.ports import Repository

T = TypeVar("T")

# So many times in one attempt: for the time, for what a plan ends, for what fell due, and once more.
_MOST_OUTSIDE = 4


class _LackingError(Exception):
    """Somebody has to be asked before it can go on."""

    def __init__(self, ask: Callable[[], None]) -> None:
        super().__init__("clusters have to be asked")
        self.ask = ask


@dataclass(slots=True)
class Answers:
    """What was answered in a run: each record is asked about once.

    Attributes:
        still_announced: Tells which records that would go some cluster may still announce, and why.
        server_now: Tells the time of the management cluster; None where it does not say.
        told: What it said of each record; empty for one that nobody announces, or uses any more.
        times: What was said of the time.
        is_outside: Nobody waits: whoever lacks an answer lets go of the lock.
    """

    still_announced: Callable[[Evaluation], Mapping[str, str]] | None
    server_now: Callable[[], int | None] | None = None
    told: dict[Allocation, str] = field(default_factory=dict)
    times: list[int | None] = field(default_factory=list)
    is_outside: bool = True

    def alone(self, repository: Repository, work: Callable[[], T]) -> T:
        """Do something alone with a repository, after all that it asks for was answered."""
        self.is_outside = True
        for _ in range(_MOST_OUTSIDE):
            try:
                with repository.alone():
                    return work()
            except _LackingError as lacking:
                ask = lacking.ask
            ask()
        self.is_outside = False
        with repository.alone():
            return work()

    def held(self, evaluation: Evaluation) -> dict[str, str]:
        """Why records that would go have to stay, by path; empty where nobody was asked."""
        if self.still_announced is None:
            return _unasked(evaluation)
        if any(record not in self.told for record in leaving(evaluation)):
            self._require(lambda: self._ask(evaluation))
        reasons = ((record.path, self.told.get(record)) for record in leaving(evaluation))
        return {path: why for path, why in reasons if why}

    def left(self, evaluation: Evaluation) -> dict[str, str]:
        """What is said of records that claims left when they moved, by path; of none without clusters.

        An empty text is said of those that nobody uses any more.
        """
        if self.still_announced is None or not left_behind(evaluation):
            return {}
        if any(record not in self.told for record in left_behind(evaluation)):
            self._require(lambda: self._ask(evaluation))
        return {record.path: self.told[record] for record in left_behind(evaluation)}

    def until(self, wall: int) -> int:
        """The time until which something fell due: no clock that is asked is before it."""
        if self.server_now is None:
            return wall
        if not self.times:
            self._require(self._ask_time)
        (there,) = self.times
        return wall if there is None else min(wall, there)

    def _require(self, ask: Callable[[], None]) -> None:
        if self.is_outside:
            raise _LackingError(ask)
        ask()

    def _ask(self, evaluation: Evaluation) -> None:
        """Dead clusters take as long as they may."""
        if self.still_announced is not None:
            found = self.still_announced(evaluation)
            self.told |= {record: found.get(record.path, "") for record in _asked(evaluation)}

    def _ask_time(self) -> None:
        if self.server_now is not None:
            self.times = [self.server_now()]


def _asked(evaluation: Evaluation) -> list[Allocation]:
    """The records that clusters are asked about."""
    return [*leaving(evaluation), *left_behind(evaluation)]


def _unasked(evaluation: Evaluation) -> dict[str, str]:
    """What shrinking gave back stays until somebody asks the clusters that announce it.

    It may rest no time in which they could withdraw it first.
    """
    grown = evaluation.state.grown
    return {record.path: "" for record in leaving(evaluation) if record.path in grown}
