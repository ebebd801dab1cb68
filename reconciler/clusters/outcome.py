"""What was done to clusters: one result for each object that was not unchanged, and the sums."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.decision import Drift
from reconciler.clusters.elastic.model import Use


class Result(StrEnum):
    """What became of an object."""

    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    FAILED = "failed"


WRITTEN = (Result.CREATED, Result.CONFIGURED, Result.DELETED)


class State(StrEnum):
    """What became of a cluster."""

    APPLIED = "applied"
    WAITING = "waiting"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    FAILED = "failed"


class Outcome(Struct, frozen=True):
    """What became of one object.

    Attributes:
        object: `str(ref)`.
        drift: What somebody had changed, when the write mends it.
        error: Why it failed; empty when it did not.
    """

    object: str
    result: Result
    drift: Drift | None = None
    error: str = ""


class Applied(Struct, frozen=True):
    """What became of one cluster.

    Attributes:
        cluster: `management`, `<namespace>/<name>`, or the name of a ClusterTarget.
        uid: Its identity; empty when it could not be asked.
        revision: The revision that is applied there now; empty when none ever was.
        outcomes: Of all objects, by reference.
        requests: How many were sent to list, patch and delete.
        error: Why the cluster as a whole is not applied; empty when it is.
        notes: What a person should know although nothing failed.
        is_bug: A bug of ours ended the work.
        uses: How much of each record Services use; None where that was not read in this run.
    """

    cluster: str
    state: State
    uid: str = ""
    revision: str = ""
    outcomes: Sequence[Outcome] = ()
    requests: tuple[int, int, int] = (0, 0, 0)
    error: str = ""
    hint: str = ""
    notes: Sequence[str] = field(default=())
    is_bug: bool = False
    uses: Sequence[Use] | None = None

    def count(self, result: Result) -> int:
        """How many objects had a result."""
        return sum(1 for outcome in self.outcomes if outcome.result is result)

    @property
    def is_failed(self) -> bool:
        """Something there is not as it shall be."""
        if self.state in (State.UNREACHABLE, State.REFUSED, State.FAILED):
            return True
        return any(outcome.result is Result.FAILED for outcome in self.outcomes)

    @property
    def is_changed(self) -> bool:
        """Something was, or would be, written."""
        return any(outcome.result in WRITTEN for outcome in self.outcomes)


def together(first: Sequence[Applied], last: Sequence[Applied]) -> list[Applied]:
    """What became of clusters that were applied to twice in one run.

    How a cluster is now is told by the last time. What was written the first time stays told,
    unless the last time has more to say of that object.
    """
    later = {item.cluster: item for item in last}
    both = [_both(item, later.pop(item.cluster, None)) for item in first]
    return [*both, *later.values()]


def _both(first: Applied, last: Applied | None) -> Applied:
    if last is None:
        return first
    outcomes = {item.object: item for item in first.outcomes if item.result in WRITTEN}
    for item in last.outcomes:
        if item.result is not Result.UNCHANGED or item.object not in outcomes:
            outcomes[item.object] = item
    listed, patched, deleted = (
        sum(pair) for pair in zip(first.requests, last.requests, strict=True)
    )
    # A bug stays told, although the last time nothing brought it out.
    lost = (first.error,) if first.is_bug and not last.is_bug else ()
    return replace(
        last,
        outcomes=tuple(outcomes[name] for name in sorted(outcomes)),
        requests=(listed, patched, deleted),
        notes=tuple(dict.fromkeys((*first.notes, *lost, *last.notes))),
        is_bug=first.is_bug or last.is_bug,
        uses=first.uses if last.uses is None else last.uses,
    )
