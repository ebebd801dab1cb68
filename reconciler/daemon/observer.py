"""Observer and health state of rounds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct
from msgspec import field as struct_field

from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import GateError, HistoryError, PushRefusedError, ReconcilerError
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.discovery import Looked
from reconciler.reconcile.reconcile import Round


class RoundResult(StrEnum):
    """How a round ended."""

    OK = "ok"
    REFUSED = "refused"  # done, but content is wrong, or a limit holds something back
    PARTIAL = "partial"  # Git is done, and some cluster failed
    FAILED = "failed"  # Git failed or refused the push
    BUG = "bug"


class Push(StrEnum):
    """The result of a push."""

    PUBLISHED = "published"
    LOST = "lost"  # another commit came first, in each attempt
    REFUSED = "refused"  # the remote refused it or did not answer


class RoundDone(Struct, frozen=True):
    """A round that ended. `rounds` is empty, and `looked` and `head` are None, if Git failed."""

    number: int
    reasons: Sequence[str]
    clusters: frozenset[str] | None  # None for all
    seconds: float
    since: float  # seconds from the oldest mark
    ending: RoundResult
    code: int
    rounds: Sequence[Round] = ()
    failure: Exception | None = None
    looked: Looked | None = None
    unasked: Mapping[str, str] = struct_field(default_factory=dict)  # tenants whose look failed
    head: Evaluation | None = None
    held: frozenset[str] = frozenset()  # clusters left out, because they did not answer

    @property
    def applied(self) -> Sequence[Applied]:
        """Return the clusters in order; the last of duplicates counts."""
        return [item for each in self.rounds for item in each.applied or ()]

    @property
    def evaluation(self) -> Evaluation | None:
        """Return the last evaluation; None if Git failed."""
        return self.rounds[-1].done.evaluation if self.rounds else None


class Observer:
    """Ignores all events. Methods must be quick, and any thread may call them."""

    def round_done(self, done: RoundDone) -> None:
        """Handle the end of a round."""

    def watch_restarted(self, cluster: str, why: str) -> None:
        """Handle a watch that broke: `expired`, `unreachable`, `unknown-kind`, …."""

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """Handle a cluster that answers again, or does not answer any more."""

    def cluster_gone(self, cluster: str) -> None:
        """Handle a cluster that is not watched any more."""

    def leading(self, *, is_leader: bool) -> None:
        """Handle a change of the leader."""

    def bug_met(self) -> None:
        """Handle an unexpected exception."""


_TURNS = 3


class HealthAnswer(NamedTuple):
    """The answer of a health endpoint: whether it is positive, and problems or information."""

    is_well: bool = True
    lines: tuple[str, ...] = ()


@dataclass
class HealthState:
    """State for probes. `resync` is in seconds, `leader` returns "" if this process leads."""

    monotonic: Callable[[], float]
    resync: float
    leader: Callable[[], str | None] = lambda: ""
    refusal: Callable[[], str] = lambda: ""
    _turned: float | None = None
    _reasons: dict[str, str] = field(default_factory=lambda: {"git": "not read yet"})

    def turned(self, now: float) -> None:
        """Note that the loop turns."""
        self._turned = now

    def healthy(self) -> bool:
        """Return whether the loop turned within three resyncs, or has not begun yet."""
        return self._turned is None or self.monotonic() - self._turned <= _TURNS * self.resync

    def ready(self) -> HealthAnswer:
        """Return whether the daemon can work, with a line for each obstacle. A standby is ready."""
        leader = self.leader()
        if leader is None:
            why = self.refusal()
            line = f"management: {why}" if why else "lease: the leader is not known"
            return HealthAnswer(is_well=False, lines=(line,))
        if leader:
            return HealthAnswer(lines=("standby: another replica is the leader",))
        lines = tuple(f"{subject}: {why}" for subject, why in sorted(self._reasons.items()))
        return HealthAnswer(not lines, lines)

    def waits(self, why: str) -> None:
        """Note why the branch was not read yet."""
        self._change("git", why)

    def git_works(self) -> None:
        """Note that the branch was read and written."""
        for subject in ("git", "push", "records", "history"):
            self._change(subject, "")

    def git_fails(self, failure: Exception) -> None:
        """Note that the branch could not be read or written."""
        message = str(failure) if isinstance(failure, ReconcilerError) else type(failure).__name__
        subjects: dict[type[Exception], str] = {
            PushRefusedError: "push",
            GateError: "records",
            HistoryError: "history",
        }
        self._change(subjects.get(type(failure), "git"), message)

    def branch(self, failure: Exception | None) -> None:
        """Note the result of a poll of the branch."""
        self._change("branch", "" if failure is None else str(failure))

    def management(self, applied: Applied | None) -> None:
        """Note the state of the management cluster, if the round worked on it."""
        if applied is not None:
            is_away = (
                applied.state in (ClusterState.UNREACHABLE, ClusterState.REFUSED) or not applied.uid
            )
            self._change("management", applied.error if is_away else "")

    def _change(self, subject: str, reason: str) -> None:
        reasons = {key: why for key, why in self._reasons.items() if key != subject}
        self._reasons = {**reasons, subject: reason} if reason else reasons
