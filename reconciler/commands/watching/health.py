"""Health and readiness of the daemon. Probes may ask from any thread."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec import field as struct_field

from reconciler.clusters.outcome import Applied, State
from reconciler.ports import GateError, HistoryError, PushRefusedError, ReconcilerError

_TURNS = 3


class Readiness(Struct, frozen=True):
    """Whether the daemon can work.

    Attributes:
        is_leading: Whether this process is the leader.
        reasons: What prevents the work, by subject: `git`, `push`, `records`, `history`,
            `management`, `lease`.
    """

    is_leading: bool = True
    reasons: Mapping[str, str] = struct_field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """Nothing prevents the work."""
        return not self.reasons


@dataclass
class Health:
    """The state that probes report.

    Attributes:
        resync: Seconds in which the loop turns at least once.
        leader: Returns the name of another leader; empty if this process leads or elections are off;
            None if unknown.
        refusal: Returns why the leader is unknown.
    """

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

    def ready(self) -> Readiness:
        """Return whether the daemon can work. A standby is ready."""
        leader = self.leader()
        if leader is None:
            why = self.refusal()
            reasons = {"management": why} if why else {"lease": "the leader is not known"}
            return Readiness(is_leading=False, reasons=reasons)
        if leader:
            return Readiness(is_leading=False)
        return Readiness(is_leading=True, reasons=self._reasons)

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
            is_away = applied.state in (State.UNREACHABLE, State.REFUSED) or not applied.uid
            self._change("management", applied.error if is_away else "")

    def _change(self, subject: str, reason: str) -> None:
        reasons = {key: why for key, why in self._reasons.items() if key != subject}
        self._reasons = {**reasons, subject: reason} if reason else reasons
