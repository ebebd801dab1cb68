"""Events of the daemon for metrics: rounds, watches, and leadership."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from reconciler.clusters.outcome import Applied
from reconciler.commands.looking.elastic import Looked
from reconciler.commands.rounds import Round
from reconciler.evaluate import Evaluation


class Ending(StrEnum):
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
    """A round that ended.

    Attributes:
        number: Counted from 1 since the start of the process.
        reasons: Why it began.
        clusters: The dirty clusters; None for all.
        seconds: Its duration.
        since: Seconds from the oldest mark to its end.
        ending: How it ended.
        code: The exit code of a single run that ends like this.
        rounds: The work in Git and in clusters; empty if Git failed.
        failure: Why it failed; None if it did not.
        looked: The demand of elastic tenants; None if Git failed.
        unasked: The elastic tenants whose last look failed, with the reason.
        head: The revision after the round; None if Git failed.
        held: The clusters that were left out because they did not answer.
    """

    number: int
    reasons: Sequence[str]
    clusters: frozenset[str] | None
    seconds: float
    since: float
    ending: Ending
    code: int
    rounds: Sequence[Round] = ()
    failure: Exception | None = None
    looked: Looked | None = None
    unasked: Mapping[str, str] = field(default_factory=dict)
    head: Evaluation | None = None
    held: frozenset[str] = frozenset()

    @property
    def applied(self) -> Sequence[Applied]:
        """The clusters in order; if one is listed twice, the last counts."""
        return [item for each in self.rounds for item in each.applied or ()]

    @property
    def evaluation(self) -> Evaluation | None:
        """The last evaluation; None if Git failed."""
        return self.rounds[-1].done.evaluation if self.rounds else None


class Observer:
    """Ignores all events. Methods must be quick, and any thread may call them."""

    def round_done(self, done: RoundDone) -> None:
        """Handle the end of a round."""

    def watch_restarted(self, cluster: str, kind: str, why: str) -> None:
        """Handle a watch that broke.

        Args:
            cluster: Name of the cluster.
            kind: Plural and group, for example `ipaddresspools.metallb.io`.
            why: `expired`, `unreachable`, `unauthorized`, `unknown-kind`, or `failed`.
        """

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """Handle a cluster that answers again, or does not answer any more."""

    def cluster_gone(self, cluster: str) -> None:
        """Handle a cluster that is not watched any more."""

    def leading(self, *, is_leader: bool) -> None:
        """Handle a change of the leader."""

    def bug_met(self, where: str) -> None:
        """Handle an unexpected exception."""
