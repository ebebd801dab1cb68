"""What a family tells in figures, under the names that its original promised."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from reconciler.documents.document import Documents
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.metric import Metric, Sample
from reconciler.model.plan import Decision, Usage
from reconciler.model.pool import Pool


class Measured(Struct, frozen=True):
    """A revision that was read whole.

    Attributes:
        records: Those that hold addresses, by claim.
    """

    documents: Documents
    pools: Mapping[Key, Pool]
    claims: Mapping[Key, Claim]
    records: Mapping[Key, Allocation]
    usage: Mapping[Key, Usage]


class Turn(Struct, frozen=True):
    """What one round did, of what it read.

    Attributes:
        decisions: Those that were carried out, and what was refused.
        newly_refused: Claims that were refused now, and were not before, or for another reason.
        failed: Objects of the management cluster that could not be written, `group/Kind/…/name`.
        is_applied: The management cluster was applied to, and answered.
        seconds: How long the round took.
        since: Seconds from what the round answers to its end.
    """

    documents: Documents
    claims: Mapping[Key, Claim]
    decisions: tuple[Decision, ...]
    newly_refused: frozenset[Key]
    failed: frozenset[str]
    is_applied: bool
    seconds: float
    since: float


def _of_nothing(usage: Mapping[Key, Usage]) -> Iterator[Sample]:
    del usage
    return iter(())


def _of_nobody(measured: Measured) -> Iterator[Sample]:
    del measured
    return iter(())


def _of_no_turn(turn: Turn) -> Iterator[Sample]:
    del turn
    return iter(())


class Metering(Struct, frozen=True):
    """The figures of a family.

    Attributes:
        metrics: All that it tells.
        of_pools: How full pools are, to gauges. It is asked with the pools of all families.
        of_documents: What a whole revision says, to gauges.
        of_turn: What a round did, to what counters grow by and what histograms are told.
    """

    metrics: tuple[Metric, ...] = ()
    of_pools: Callable[[Mapping[Key, Usage]], Iterator[Sample]] = _of_nothing
    of_documents: Callable[[Measured], Iterator[Sample]] = _of_nobody
    of_turn: Callable[[Turn], Iterator[Sample]] = _of_no_turn
