"""Whether the daemon lives, and does its work: for probes, which may ask from any thread."""

from collections.abc import Callable
from dataclasses import dataclass, field

from reconciler.clusters.outcome import Applied, State
from reconciler.commands.watching.observer import Readiness
from reconciler.ports import PushRefusedError, ReconcilerError

_TURNS = 3


@dataclass
class Health:
    """What is known.

    Attributes:
        monotonic: Tells the time.
        resync: Seconds in which the loop turns once at least.
        leader: Who leads: empty when this process does, or nobody elects; None when nobody knows.
        refusal: Why nobody knows who leads; empty when that is not known, either.
        silence: Why the management cluster does not answer those who watch it; empty when it does.
    """

    monotonic: Callable[[], float]
    resync: float
    leader: Callable[[], str | None] = lambda: ""
    refusal: Callable[[], str] = lambda: ""
    silence: Callable[[], str] = lambda: ""
    _turned: float | None = None
    _reasons: dict[str, str] = field(default_factory=lambda: {"git": "not read yet"})

    def turned(self, now: float) -> None:
        """The loop turns."""
        self._turned = now

    def healthy(self) -> bool:
        """The loop turned within three times the resync, or was not begun yet."""
        return self._turned is None or self.monotonic() - self._turned <= _TURNS * self.resync

    def ready(self) -> Readiness:
        """Whether all that it needs is at hand. One that waits for the Lease of another is ready."""
        leader = self.leader()
        if leader is None:
            why = self.refusal()
            reasons = {"management": why} if why else {"lease": "nobody knows who leads"}
            return Readiness(is_leading=False, reasons=reasons)
        if leader:
            return Readiness(is_leading=False)
        silence = self.silence()
        told = {"management": silence} if silence else {}
        return Readiness(is_leading=True, reasons={**self._reasons, **told})

    def git_works(self) -> None:
        """The branch was read, and written if need be."""
        self._change("git", "")
        self._change("push", "")

    def git_fails(self, failure: Exception) -> None:
        """The branch could not be read, or written."""
        told = str(failure) if isinstance(failure, ReconcilerError) else type(failure).__name__
        self._change("push" if isinstance(failure, PushRefusedError) else "git", told)

    def branch(self, failure: Exception | None) -> None:
        """A look at where the branch is failed, or succeeded; that says nothing of a push."""
        self._change("branch", "" if failure is None else str(failure))

    def management(self, applied: Applied | None) -> None:
        """What became of the management cluster, where it was worked on."""
        if applied is not None:
            is_away = applied.state in (State.UNREACHABLE, State.REFUSED) or not applied.uid
            self._change("management", applied.error if is_away else "")

    def _change(self, about: str, reason: str) -> None:
        reasons = {key: why for key, why in self._reasons.items() if key != about}
        self._reasons = {**reasons, about: reason} if reason else reasons
