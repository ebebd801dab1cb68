"""Results of an apply to clusters."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange


class ObjectResult(StrEnum):
    """The result of an object."""

    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    FAILED = "failed"


WRITTEN = (ObjectResult.CREATED, ObjectResult.CONFIGURED, ObjectResult.DELETED)


class ClusterState(StrEnum):
    """The state of a cluster after an apply."""

    APPLIED = "applied"
    WAITING = "waiting"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    FAILED = "failed"


class Drift(Struct, frozen=True):
    """A change of another field manager to fields of `ipam`; unknown texts are empty."""

    manager: str
    time: str
    fields: tuple[str, ...]


class Use(NamedTuple):
    """The number of addresses of a record that Services use."""

    record: str
    range: IPRange
    used: int


class ObjectOutcome(Struct, frozen=True):
    """The result of an object (`str(ref)`), with the foreign change that a write reverts."""

    object: str
    result: ObjectResult
    drift: Drift | None = None
    error: str = ""


class Applied(Struct, frozen=True):
    """The result of a cluster: `management`, `<namespace>/<name>`, or a ClusterTarget's name."""

    cluster: str
    state: ClusterState
    uid: str = ""
    revision: str = ""
    outcomes: Sequence[ObjectOutcome] = ()
    requests: tuple[int, int, int] = (0, 0, 0)
    error: str = ""
    hint: str = ""
    notes: Sequence[str] = ()
    is_bug: bool = False
    uses: Sequence[Use] | None = None

    def count(self, result: ObjectResult) -> int:
        """Return the number of objects with a result."""
        return sum(1 for outcome in self.outcomes if outcome.result is result)

    @property
    def is_failed(self) -> bool:
        """Return whether the cluster or an object failed."""
        if self.state in (ClusterState.UNREACHABLE, ClusterState.REFUSED, ClusterState.FAILED):
            return True
        return any(outcome.result is ObjectResult.FAILED for outcome in self.outcomes)

    @property
    def is_changed(self) -> bool:
        """Return whether an object was written, or would be in a dry run."""
        return any(outcome.result in WRITTEN for outcome in self.outcomes)


def together(first: Sequence[Applied], last: Sequence[Applied]) -> list[Applied]:
    """Merge results of two applies to clusters: the last counts, with other writes of the first."""
    later = {item.cluster: item for item in last}
    both = [_both(item, later.pop(item.cluster, None)) for item in first]
    return [*both, *later.values()]


def _both(first: Applied, last: Applied | None) -> Applied:
    if last is None:
        return first
    outcomes = {item.object: item for item in first.outcomes if item.result in WRITTEN}
    for item in last.outcomes:
        if item.result is not ObjectResult.UNCHANGED or item.object not in outcomes:
            outcomes[item.object] = item
    listed, patched, deleted = map(sum, zip(first.requests, last.requests, strict=True))
    lost = (first.error,) if first.is_bug and not last.is_bug else ()  # an internal error stays
    return replace(
        last,
        outcomes=tuple(outcomes[name] for name in sorted(outcomes)),
        requests=(listed, patched, deleted),
        notes=tuple(dict.fromkeys((*first.notes, *lost, *last.notes))),
        is_bug=first.is_bug or last.is_bug,
        uses=first.uses if last.uses is None else last.uses,
    )
