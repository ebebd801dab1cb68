"""Results of an apply, per object and per cluster."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.decision import Drift
from reconciler.clusters.elastic.model import Use


class Result(StrEnum):
    """The result of an object."""

    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    FAILED = "failed"


WRITTEN = (Result.CREATED, Result.CONFIGURED, Result.DELETED)


class State(StrEnum):
    """The state of a cluster after an apply."""

    APPLIED = "applied"
    WAITING = "waiting"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    FAILED = "failed"


class Outcome(Struct, frozen=True):
    """The result of an object.

    Attributes:
        object: `str(ref)`.
        drift: The change of another manager that the write reverts.
        error: The failure; empty if there is none.
    """

    object: str
    result: Result
    drift: Drift | None = None
    error: str = ""


class Applied(Struct, frozen=True):
    """The result of a cluster.

    Attributes:
        cluster: `management`, `<namespace>/<name>`, or the name of a ClusterTarget.
        uid: The identity; empty if unknown.
        revision: The applied revision; empty if there is none.
        outcomes: The results of objects.
        requests: The number of requests.
        error: Why the cluster as a whole failed; empty if it did not.
        notes: Information for the user about things that did not fail.
        is_bug: An internal error ended the work.
        uses: The use of each record by Services; None if not read.
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
        """Return the number of objects with a result."""
        return sum(1 for outcome in self.outcomes if outcome.result is result)

    @property
    def is_failed(self) -> bool:
        """Return whether the cluster or an object failed."""
        if self.state in (State.UNREACHABLE, State.REFUSED, State.FAILED):
            return True
        return any(outcome.result is Result.FAILED for outcome in self.outcomes)

    @property
    def is_changed(self) -> bool:
        """Return whether an object was written, or would be in a dry run."""
        return any(outcome.result in WRITTEN for outcome in self.outcomes)


def together(first: Sequence[Applied], last: Sequence[Applied]) -> list[Applied]:
    """Merge the results of clusters that were applied to twice in one run.

    The last result describes the cluster. Writes of the first one stay listed unless the last one
    has a result for the same object.
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
    # An internal error stays listed.
    lost = (first.error,) if first.is_bug and not last.is_bug else ()
    return replace(
        last,
        outcomes=tuple(outcomes[name] for name in sorted(outcomes)),
        requests=(listed, patched, deleted),
        notes=tuple(dict.fromkeys((*first.notes, *lost, *last.notes))),
        is_bug=first.is_bug or last.is_bug,
        uses=first.uses if last.uses is None else last.uses,
    )
